import { resolve } from 'node:path'
import { checkFile } from '../ledger/sqlite/check-file.ts'
import type { Finding } from '../ledger/upkeep.ts'
import { parseArguments, UsageError } from './arguments.ts'
import { compact } from './ledger-compact.ts'
import type { Terminal } from './main.ts'
import { printJson } from './print-json.ts'
import { withQueue } from './queue-runtime.ts'
import {
  databaseOf,
  ledgerFileFor,
  loadFor,
  RUNTIME_OPTIONS,
  RUNTIME_USAGE,
  type RuntimeFlags,
  refuseOnServer,
} from './runtime.ts'
import { subcommandOf } from './subcommand.ts'

export const usage = `Usage: mulligan ledger check [FILE] | compact [OPTIONS]

  check [FILE]      verify that a ledger is consistent: running operations are leased, attempts are numbered, every event
                    has its operation, and more. FILE may be a backup or a copy; it is not changed
  compact           rewrite the ledger without its free space. Stop all runners first. Needs free disk space of twice its
                    content; if interrupted, the ledger stays unchanged

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

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options })
  const [verb, given, ...more] = positionals
  if (subcommandOf('ledger', verb, { check: 'check', compact: 'compact' }) === 'compact') {
    if (given !== undefined) throw new UsageError('compact takes no FILE; name its folder with --data')
    await refuseOnServer(values, terminal, ledger => ledger.compact())
    return compact(ledgerFileFor(values, terminal), values, terminal)
  }
  if (more.length > 0) throw new UsageError('name one FILE to check')
  const loaded = loadFor(values, terminal)
  if (given === undefined && databaseOf(loaded, terminal) !== undefined)
    return checkOnServer(values, terminal)
  const file = given === undefined ? ledgerFileFor(values, terminal) : resolve(terminal.cwd, given)
  return report({ ledger: file, ...checkFile(file) }, values, terminal)
}

/** Checks the rows on the server, and that the pg-boss jobs match the operations. */
async function checkOnServer(flags: Flags, terminal: Terminal): Promise<number> {
  return withQueue(flags, terminal, async ({ ledger, place }) => {
    const findings = await ledger.check()
    const { total: operations } = await ledger.counts()
    const events = await ledger.lastEvent()
    return report({ ledger: place, operations, events, findings }, flags, terminal)
  })
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
