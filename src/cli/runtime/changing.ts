import { hostname, userInfo } from 'node:os'
import { present } from '../../failure/present.ts'
import { redact } from '../../failure/redact.ts'
import { oneLine } from '../../failure/text/printable.ts'
import { recordChange } from '../../ledger/change.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Terminal } from '../terminal.ts'

/** The commands that change something for others, besides `submit`, which its operation records; the subcommands of those that also show. */
export const CHANGING: Readonly<Record<string, readonly string[] | 'always'>> = {
  ops: ['retry', 'cancel', 'discard', 'done', 'edit'],
  workflow: ['start', 'advance', 'retry', 'skip', 'cancel'],
  group: ['start', 'cancel'],
  schedule: ['run', 'pause', 'resume'],
  queue: ['pause', 'resume'],
  providers: ['reset', 'pause', 'resume'],
  unknowns: ['label', 'withdraw', 'import'],
  inbox: ['--read', '--all'],
  notices: ['snooze', 'test'],
  prune: 'always',
}

/** Subcommands that change nothing for others. */
export const SHOWING: readonly string[] = 'ls show watch wait graph results export probe'.split(' ')

/** Changes that are only shown unless they are confirmed by `--yes`; those of operations if they are chosen by a filter. */
const CONFIRMED: ReadonlySet<string> = new Set(['ops retry', 'ops cancel', 'ops discard'])
/** The same, but a terminal asks instead. */
const ASKED: ReadonlySet<string> = new Set(['unknowns label', 'unknowns import'])

/**
 * What this command changes, and why: its words without other flags; undefined if it only shows.
 * @param canAsk whether it can ask at a terminal
 */
export function changeIn(
  argv: readonly string[],
  canAsk = true,
): { action: string; subject?: string; reason?: string } | undefined {
  const [command = '', ...rest] = argv
  const which = Object.hasOwn(CHANGING, command) ? CHANGING[command] : undefined
  if (which === undefined) return undefined
  if (which === 'always') return { action: command }
  // Flags and their values may stand before it.
  const at = rest.findIndex(word => which.includes(wordOf(word)) || SHOWING.includes(word))
  const found = wordOf(rest[at] ?? '')
  if (!which.includes(found)) return undefined
  const after = rest.slice(at + 1)
  const action = `${command} ${found}`
  const isFiltered = CONFIRMED.has(action) && !after.some(word => /^op_\d/.test(word))
  if (!rest.includes('--yes') && (isFiltered || (ASKED.has(action) && !canAsk))) return undefined
  const subject = isFiltered
    ? after.filter(word => word !== '--yes').join(' ')
    : after.find(word => !word.startsWith('-'))
  return { action, ...present({ subject, reason: reasonIn(rest) }) }
}

/** `--read` of `--read=notice_1`. */
function wordOf(argument: string): string {
  return argument.startsWith('-') ? (argument.split('=', 1)[0] as string) : argument
}

/** What was said with `--reason`, redacted: it is shown to everybody who may read. */
function reasonIn(argv: readonly string[]): string | undefined {
  const at = argv.findIndex(word => word === '--reason' || word.startsWith('--reason='))
  if (at < 0) return undefined
  const said = argv[at] === '--reason' ? argv[at + 1] : argv[at]?.slice('--reason='.length)
  return said === undefined ? undefined : redact(oneLine(said)).slice(0, LONGEST_REASON)
}

const LONGEST_REASON = 500

/** Records that this command changed something, and who ran it. */
export async function recordCommand(
  ledger: Pick<Ledger, 'transaction'> | undefined,
  { doing, env, ask }: Pick<Terminal, 'doing' | 'env' | 'ask'>,
): Promise<void> {
  const change = ledger && doing && changeIn(doing, ask !== undefined)
  if (!change) return
  await recordChange(ledger, { by: userOf(env), via: 'command', ...change })
}

/** The user, and whom they act for by sudo. */
export function userOf(env: Terminal['env']): string {
  const name = env.SUDO_USER === undefined ? nameOf() : `${env.SUDO_USER} as ${nameOf()}`
  return `${name} on ${hostname()}`
}

function nameOf(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run as a user without a name.
    return `user ${process.geteuid?.() ?? 'unknown'}`
  }
}
