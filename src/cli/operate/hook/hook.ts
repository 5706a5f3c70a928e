import { parseArguments, UsageError } from '../../flag/arguments.ts'
import { subcommandOf } from '../../flag/subcommand.ts'
import { RUNTIME_OPTIONS, RUNTIME_USAGE, type RuntimeFlags } from '../../runtime/runtime.ts'
import type { Terminal } from '../../terminal.ts'

/** What a client tells its hooks, on stdin. */
export type HookInput = Readonly<Record<string, unknown>>

/** Answers one event of a client. */
export type Hook = (input: HookInput, flags: HookFlags, terminal: Terminal) => Promise<void>

/** Flags of every hook. */
export interface HookFlags extends RuntimeFlags {
  client: string
  /** Whether a session that a limit stopped is to be continued when it lifts. */
  continue?: boolean | undefined
  /** Pid of the client. */
  owner?: string | undefined
}

const HOOKS: Readonly<Record<string, () => Promise<Hook>>> = {
  stop: async () => (await import('./stop.ts')).stop,
  'stop-failure': async () => (await import('./stop-failure.ts')).stopFailure,
  'tool-failure': async () => (await import('./tool-failure.ts')).toolFailure,
  'status-line': async () => (await import('./status-line.ts')).statusLine,
}

export const usage = `Usage: mulligan hook ${Object.keys(HOOKS).join('|')} [--client NAME]

For the hooks of agent CLIs, which "mulligan install" writes; each reads the event as JSON on stdin.

  stop              keeps a session from ending while its inbox has something that needs action, once
  stop-failure      records the failure that ended a turn, with the time when its limit lifts
  tool-failure      tells the model what a failed tool call means
  status-line       prints what is blocked, what waits and what needs a person

  --client NAME     the agent CLI; default claude
  --continue        stop-failure: continue the session once its limit has lifted and its client has ended
  --owner PID       the client's process
${RUNTIME_USAGE}

Exit codes: 0, whatever happens, because a hook must not break its agent; on a terminal 2 wrong usage.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  client: { type: 'string' },
  continue: { type: 'boolean' },
  owner: { type: 'string' },
} as const

/** As long as clients give a hook; one that was left behind has nobody else to end it. */
const LONGEST_MS = 20_000

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const giveUp = setTimeout(() => terminal.exit?.(0), LONGEST_MS)
  try {
    const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
    const [name, ...rest] = positionals
    if (name === undefined || rest.length > 0) throw new UsageError('name one hook; see mulligan hook --help')
    const load = subcommandOf('hook', name, HOOKS)
    // A status line needs nothing of the session, and its client may keep stdin open.
    const hasInput = name !== 'status-line' && !terminal.isTerminal
    const input = hasInput ? inputOf(await terminal.readStdin()) : {}
    await (await load())(input, { ...values, client: values.client ?? 'claude' }, terminal)
  } catch (error) {
    // A client takes 2 for "go on", also from a hook that it knows and this version does not.
    if (!(error instanceof UsageError)) terminal.stderr(`mulligan hook: ${(error as Error).message}\n`)
    else if (terminal.isTerminal) throw error
  } finally {
    clearTimeout(giveUp)
  }
  return 0
}

function inputOf(text: string): HookInput {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as HookInput) : {}
  } catch {
    return {}
  }
}

/** A field of the event that is a text. */
export function textOf(input: HookInput, name: string): string | undefined {
  const value = input[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
