import { resolve } from 'node:path'
import { checkFile } from '../ledger/sqlite/check-file.ts'
import { parseArguments, UsageError } from './arguments.ts'
import { compact } from './ledger-compact.ts'
import type { Terminal } from './main.ts'
import { ledgerFileFor, RUNTIME_OPTIONS, RUNTIME_USAGE } from './runtime.ts'
import { subcommandOf } from './subcommand.ts'

export const usage = `Usage: mulligan ledger check [FILE] | compact [OPTIONS]

  check             verifies every promise that can be read from a ledger: running operations are leased, attempts are
                    numbered, no event is without its operation, and more. FILE may be a backup or any copy; nothing is
                    written to it
  compact           rewrites the ledger without the room that forgotten operations have left, and gives that back to the
                    disk. No runner may be alive. Needs twice the room of what is in it meanwhile; whatever ends it
                    half-way leaves the ledger as it was

  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 all promises hold, or it was compacted; 1 one does not hold, or it could not be done; 2 wrong usage.`

const options = { ...RUNTIME_OPTIONS, json: { type: 'boolean' } } as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options })
  const [verb, given, ...more] = positionals
  if (subcommandOf('ledger', verb, { check: 'check', compact: 'compact' }) === 'compact') {
    if (given !== undefined) throw new UsageError('compact takes no FILE: name its folder by --data')
    return compact(ledgerFileFor(values, terminal), values, terminal)
  }
  if (more.length > 0) throw new UsageError('give one FILE to check')
  const file = given === undefined ? ledgerFileFor(values, terminal) : resolve(terminal.cwd, given)
  const { findings, operations, events } = checkFile(file)
  if (values.json) terminal.stdout(`${JSON.stringify({ ledger: file, operations, events, findings })}\n`)
  else {
    for (const { rule, message } of findings) terminal.stdout(`${rule}: ${message}\n`)
    const verdict = findings.length === 0 ? 'all promises hold' : `${findings.length} findings`
    terminal.stdout(`${file}: ${operations} operations, ${events} events, ${verdict}\n`)
  }
  return findings.length === 0 ? 0 : 1
}
