import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { answerOf } from '../../lab/answer/answer.ts'
import type { Facts } from '../../lab/facts.ts'
import { faultReply } from '../../lab/fault/apply.ts'
import type { Reply } from '../../lab/reply.ts'
import type { LabRequest } from '../../lab/request.ts'
import type { AgentOptions } from '../../src/agent/options.ts'
import { runAgent } from '../../src/agent/run-agent.ts'
import { run } from '../../src/process/run.ts'
import { quietly } from '../../src/time/clean-up.ts'
import { CLIS } from './cli.ts'
import { CLI_NAMES, type CliName, installClis } from './install.ts'
import { startFaulty } from './own-faults.ts'
import { processesOf } from './processes.ts'

// Shows that a CLI announces a tool before the tool starts: the tool, a shell command, leaves a mark and then kills the
// whole CLI with SIGKILL. What the CLI had printed by then is all that a driver ever sees.

/** What lets a CLI run a shell command without asking. */
const UNASKED: Record<CliName, AgentOptions> = {
  claude: { allowedTools: ['Bash'] },
  codex: { permissionMode: 'bypassPermissions' },
  opencode: { permissionMode: 'bypassPermissions' },
  gemini: { permissionMode: 'bypassPermissions' },
  qwen: { permissionMode: 'bypassPermissions' },
  kimi: {},
  copilot: { allowedTools: ['shell'] },
}

const SHELL = /^(?:bash|shell|exec_command|local_shell|run_shell_command)$/i

/** Leaves its mark, then kills all its ancestors up to this process. Without a fork, so the CLI has no time to say more. */
const KILLER = (mark: string) => `#!/bin/sh
: > '${mark}'
p=$PPID
all=
while [ "$p" -gt 1 ] && [ "$p" != ${process.pid} ]; do
  all="$p $all"
  while read -r key value; do
    if [ "$key" = PPid: ]; then p=$value; break; fi
  done < "/proc/$p/status"
done
kill -9 $all
`

export interface Announced {
  cli: CliName
  /** Whether the tool ran at all. */
  ran: boolean
  /** Whether it was announced before: then the effect of the run is `maybe`. */
  isAnnounced: boolean
  effect: string
  printed: string
}

/** How a run ends after its tool began. */
export const ENDS = ['killed', 'refused', 'cut'] as const
export type End = (typeof ENDS)[number]

/**
 * Runs a CLI whose model calls a shell command.
 * @param end `killed`: the command kills the CLI; `refused`: the next request is refused; `cut`: the answer breaks off after the call
 */
export async function endedInTool(cli: CliName, end: End, bin: string): Promise<Announced> {
  const home = mkdtempSync(join(tmpdir(), `mulligan-announced-${cli}-`))
  const cwd = join(home, 'work')
  mkdirSync(cwd)
  await run({ argv: ['git', 'init', '--quiet', cwd] })
  const mark = `${process.pid}-${home}`
  const ran = join(home, 'ran')
  const killer = join(home, 'killer.sh')
  writeFileSync(killer, end === 'killed' ? KILLER(ran) : `#!/bin/sh\n: > '${ran}'\n`, { mode: 0o700 })
  const lab = await startFaulty({
    summary: 'the model calls a shell command',
    expected: { class: 'permanent', kind: 'invalid_request' },
    reply: facts => replyOf(facts, killer, end),
  })
  const logFile = join(home, 'printed.log')
  try {
    const { env, model, settings = {} } = CLIS[cli](home, lab.url, true)
    const outcome = await runAgent(
      { id: cli, cli, binary: join(bin, cli), model, allowDangerous: true, ...settings },
      { prompt: 'Do it.', options: { timeoutMs: 60_000, ...UNASKED[cli] } },
      {
        cwd,
        logFile,
        killGraceMs: 1_000,
        env: {
          PATH: process.env.PATH,
          HOME: home,
          TERM: 'dumb',
          LANG: 'C.UTF-8',
          MULLIGAN_LAB_RUN: mark,
          ...env,
        },
      },
    )
    const effect = outcome.ok ? 'answered' : outcome.failure.effect
    return {
      cli,
      ran: existsSync(ran),
      isAnnounced: effect === 'maybe' && !outcome.ok && outcome.failure.did === 'acted',
      effect: outcome.ok ? effect : `${effect} ${outcome.failure.did}`,
      printed: existsSync(logFile) ? readFileSync(logFile, 'utf8') : JSON.stringify(outcome),
    }
  } finally {
    await quietly(() => lab.close())
    for (const pid of processesOf('MULLIGAN_LAB_RUN', mark)) process.kill(pid, 'SIGKILL')
    void quietly(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  }
}

function replyOf(facts: Facts, command: string, end: End): Reply {
  const tool = callOf(facts.request, command)
  // Requests for a title offer no tools.
  if (!tool) return answerOf(facts, { ends: 'stop', text: 'ok' })
  if (/tool_result|function_call_output|functionResponse|"role":"tool"/.test(facts.request.text))
    return faultReply(facts, { fault: 'invalid_request' as never }, '')
  const whole = answerOf(facts, { ends: 'tool', text: 'I will do it.', tool })
  if (end !== 'cut') return whole
  const last = whole.parts.findLastIndex(part => String(part).includes(tool.name))
  return { ...whole, delivery: { kind: 'cut', parts: Math.min(last + 2, whole.parts.length - 1) } }
}

function callOf(request: LabRequest, command: string): { name: string; input: unknown } | undefined {
  const shell = toolsOf(request.body.tools).find(({ name }) => SHELL.test(name))
  if (!shell) return undefined
  const { properties = {} } = shell.schema
  const [field = 'command'] = Object.keys(properties).filter(name => /^(?:command|cmd)$/.test(name))
  const isList = (properties[field] as { type?: string } | undefined)?.type === 'array'
  const input: Record<string, unknown> = { [field]: isList ? [command] : command }
  if ('description' in properties) input.description = 'do it'
  return { name: shell.name, input }
}

function toolsOf(tools: unknown): { name: string; schema: { properties?: Record<string, unknown> } }[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool: Record<string, unknown>) => {
    const declared = tool.functionDeclarations
    const all = Array.isArray(declared) ? (declared as Record<string, unknown>[]) : [tool.function ?? tool]
    return all.flatMap(each => {
      const { name, input_schema, parameters, parametersJsonSchema } = each as Record<string, unknown>
      if (typeof name !== 'string') return []
      return [
        {
          name,
          schema: (input_schema ?? parameters ?? parametersJsonSchema ?? {}) as {
            properties?: Record<string, unknown>
          },
        },
      ]
    })
  })
}

/** A race shows only sometimes. */
const MORE_KILLS = 3

async function main(): Promise<void> {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const bin = await installClis(join(root, '.cache', 'lab-clis'), line => process.stderr.write(`${line}\n`))
  const asked = process.argv.slice(2)
  for (const cli of CLI_NAMES.filter(name => asked.length === 0 || asked.includes(name)))
    for (const end of [...ENDS, ...Array.from({ length: MORE_KILLS }, () => 'killed' as const)]) {
      const result = await endedInTool(cli, end, bin)
      const kept = join(root, '.cache', 'lab-matrix')
      mkdirSync(kept, { recursive: true, mode: 0o700 })
      writeFileSync(join(kept, `announced-${cli}-${end}.txt`), result.printed, { mode: 0o600 })
      const isRight = !result.ran || result.isAnnounced
      process.stdout.write(
        `${isRight ? 'ok  ' : 'NO  '} ${cli.padEnd(9)} ${end.padEnd(8)} ran ${String(result.ran).padEnd(5)} announced ${String(result.isAnnounced).padEnd(5)} effect ${result.effect}\n`,
      )
      if (!isRight) process.exitCode = 1
    }
}

if (import.meta.main) await main()
