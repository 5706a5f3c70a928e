/** The agent CLIs that we know, by the names that providers and binaries go by. */
const AGENTS: readonly (readonly [string, RegExp])[] = [
  ['claude', /^claude(?:[-_ ]?(?:code|agent-sdk|code-action|cli))?$/],
  ['codex', /^codex(?:-cli|-acp|-exec)?$/],
  ['opencode', /^(?:opencode(?:-go|-cli)?|kilo(?:-code|-cli)?)$/],
  ['gemini', /^(?:gemini-cli|gemini-code|antigravity(?:-cli)?)$/],
  ['qwen', /^qwen(?:-code|-cli)?$/],
  ['kimi', /^kimi(?:-cli|-code|-for-coding)?$/],
  ['goose', /^goose(?:-cli)?$/],
  ['aider', /^aider$/],
  ['crush', /^crush$/],
  ['amp', /^amp(?:code)?$/],
  ['copilot', /^(?:github-)?copilot(?:-cli)?$/],
  ['cursor', /^(?:cursor(?:-agent|-cli)?)$/],
  ['droid', /^(?:droid|factory(?:-droid)?)$/],
  ['cline', /^cline(?:-cli)?$/],
  ['roo', /^roo(?:-code|-cli)?$/],
  ['continue', /^(?:continue(?:-cli)?|cn)$/],
  ['openhands', /^openhands(?:-cli)?$/],
  ['swe-agent', /^(?:mini-)?swe-?agent$/],
  ['plandex', /^plandex$/],
]

/** The agent CLI that a provider's name means; undefined for programs that are none. */
export function agentOf(provider: string | undefined): string | undefined {
  if (!provider) return undefined
  const name = provider.toLowerCase().split('/').at(-1) as string
  return AGENTS.find(([, pattern]) => pattern.test(name))?.[0]
}

/** CLIs that end with exit code 0 after a failure: their text has to be read all the same. */
export const EXITS_ZERO_ON_FAILURE: ReadonlySet<string> = new Set(['goose', 'aider', 'amp', 'openhands', 'swe-agent', 'gemini', 'copilot', 'plandex', 'roo'])
