import type { Found } from './found.ts'

/** A commented mulligan.toml for what was found. What costs money or starts by itself is written as a comment. */
export function starterConfig({ agents, keys }: Found): string {
  return [
    '# Every key: docs/reference/config.md in the package mulligan, as all guides. To check this file: mulligan config check',
    agents.length > 0 ? agentsPart(agents) : NO_AGENTS,
    BUDGET,
    keys.map(keyPart).join('\n\n'),
    QUEUE,
    TOLD,
  ]
    .filter(part => part !== '')
    .join('\n\n')
    .concat('\n')
}

function agentsPart(agents: Found['agents']): string {
  const providers = agents.map(cli => `[[provider]]\nid = "${cli}"`).join('\n\n')
  return `# The agent CLIs of this machine. When one is at its limit, the next one of the pool is asked:
# mulligan run --pool coding -- "fix the failing test"
${providers}

[[pool]]
id = "coding"
providers = [${agents.map(cli => `"${cli}"`).join(', ')}]`
}

const NO_AGENTS = `# Agent CLIs, in the order in which they are asked (claude, codex, opencode, gemini, kimi, qwen, copilot).
# [[provider]]
# id = "claude"`

const BUDGET = `# A bound for all agents together. Without it, only each call's own budget holds.
# [budget]
# day_usd = 20`

function keyPart({ variable, api }: Found['keys'][number]): string {
  return `# ${variable} is set: the proxy can use it for every agent that has the proxy's token (docs/proxy.md).
# [[provider]]
# id = "${api}-api"
# api = "${api}"
# credential = "env:${variable}"`
}

const QUEUE = `# Work that must not get lost: mulligan submit greet --param name=Ada, and the daemon (mulligan serve) runs it.
# [[capability]]
# name = "greet"
# argv = ["echo", "hello {name}"]
# retry = "replay" # running it twice is harmless; else "none" or "verify_first"
# params = { name = {} }`

const TOLD = `# Where people hear what needs them; also slack, telegram, webhook, command (docs/notices.md).
# [[surface]]
# name = "desk"
# kind = "desktop"`
