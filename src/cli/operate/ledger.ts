import { resolve } from 'node:path'
import { checkFile } from '../../ledger/sqlite/check-file.ts'
import type { Finding } from '../../ledger/upkeep.ts'
import type { Command } from '../command.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { subcommandOf } from '../flag/subcommand.ts'
import { printJson } from '../print/print-json.ts'
import { type QueueRuntime, withQueue } from '../runtime/queue-runtime.ts'
import {
  databaseOf,
  ledgerFileFor,
  loadFor,
  loadToShow,
  RUNTIME_OPTIONS,
  RUNTIME_USAGE,
  type RuntimeFlags,
  refuseOnServer,
} from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'
import { compact } from './ledger-compact.ts'

export const usage = `Usage: mulligan ledger check [FILE] | compact | size | retention | backup | restore | migrate | prune [OPTIONS]

  check [FILE]      verify that a ledger is consistent: running operations are leased, attempts are numbered, every event
                    has its operation, and more. FILE may be a backup or a copy; it is not changed
  compact           rewrite the ledger without its free space. Stop all runners first. Needs free disk space of twice its
                    content; if interrupted, the ledger stays unchanged
  size              show how large the ledger is, and how it grew
  retention         show or set how long history is kept
  backup FOLDER     copy ledger and results, even while the daemon runs
  restore FOLDER    restore a backup
  migrate           move the ledger to PostgreSQL, or back to a file
  prune             delete old operations
                    For the options of these six: mulligan ledger backup --help, and so on

  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 valid or compacted, 1 invalid or failed, 2 wrong usage.`

const options = { ...RUNTIME_OPTIONS, json: { type: 'boolean' } } as const

type Flags = RuntimeFlags & { json?: boolean | undefined }

interface Checked {
  ledger: string
  operations: number
  events: number
  findings: readonly Finding[]
}

/** Verbs that are commands of their own. */
const APART: Readonly<Record<string, () => Promise<Command>>> = {
  backup: () => import('./backup.ts'),
  restore: () => import('./restore.ts'),
  migrate: () => import('./migrate.ts'),
  prune: () => import('./prune.ts'),
  size: () => import('./ledger-size.ts'),
  retention: () => import('./ledger-retention.ts'),
}

async function apart([verb]: readonly string[]): Promise<Command | undefined> {
  return verb !== undefined && Object.hasOwn(APART, verb) ? APART[verb]?.() : undefined
}

export async function usageOf(argv: readonly string[]): Promise<string> {
  return (await apart(argv))?.usage ?? usage
}

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const other = await apart(argv)
  if (other) return other.run(argv.slice(1), terminal)
  const { values, positionals } = parseArguments(argv, { usage, options })
  const [verb, given, ...more] = positionals
  if (subcommandOf('ledger', verb, { check: 'check', compact: 'compact', ...APART }) === 'compact') {
    if (given !== undefined) throw new UsageError('compact takes no FILE; name its folder with --data')
    const loaded = loadFor(values, terminal)
    await refuseOnServer(loaded, terminal, ledger => ledger.compact())
    return compact(ledgerFileFor(loaded, terminal), values, terminal)
  }
  if (more.length > 0) throw new UsageError('name one FILE to check')
  const loaded = loadToShow(values, terminal)
  if (given === undefined && databaseOf(loaded, terminal) !== undefined)
    return checkOnServer(values, terminal)
  const file = given === undefined ? ledgerFileFor(loaded, terminal) : resolve(terminal.cwd, given)
  return report({ ledger: file, ...checkFile(file) }, values, terminal)
}

/** Checks the rows on the server. */
async function checkOnServer(flags: Flags, terminal: Terminal): Promise<number> {
  const check = async ({ ledger, place }: QueueRuntime) => {
    const findings = await ledger.check()
    const { total: operations } = await ledger.counts()
    const events = await ledger.lastEvent()
    return report({ ledger: place, operations, events, findings }, flags, terminal)
  }
  return withQueue(flags, terminal, check, { shows: true })
}

function report(checked: Checked, flags: Flags, terminal: Terminal): number {
  const { ledger, operations, events, findings } = checked
  if (flags.json) printJson(terminal, { ledger, operations, events, findings })
  else {
    for (const { rule, message } of findings) terminal.stdout(`${rule}: ${message}\n`)
    const verdict = findings.length === 0 ? 'valid' : `${findings.length} findings`
    terminal.stdout(`${ledger}: ${operations} operations, ${events} events, ${verdict}\n`)
  }
  return findings.length === 0 ? 0 : 1
}
