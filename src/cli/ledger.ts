import { resolve } from 'node:path'
import { nearest } from '../config/nearest.ts'
import { checkFile, ledgerFile } from '../ledger/index.ts'
import { parseArguments, UsageError } from './arguments.ts'
import type { Terminal } from './main.ts'

export const usage = `Usage: mulligan ledger check [FILE] [OPTIONS]
Verifies every promise that can be read from a ledger: running operations are leased, attempts are numbered,
no event is without its operation, and more. FILE may be a backup or any copy; nothing is written to it.

  --data FOLDER  check the ledger of this data folder; default mulligan in the XDG state folder
  --json         print the findings as JSON

Exit codes: 0 all promises hold, 1 one does not or the file cannot be read, 2 wrong usage.`

const options = { data: { type: 'string' }, json: { type: 'boolean' } } as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options })
  const [verb, given, ...more] = positionals
  if (verb !== 'check') {
    const guess = verb === undefined ? 'check' : nearest(verb, ['check'])
    throw new UsageError(
      verb === undefined
        ? 'say what to do with the ledger: check'
        : `unknown verb ${JSON.stringify(verb)}${guess ? `; did you mean "${guess}"?` : '; there is: check'}`,
    )
  }
  if (more.length > 0) throw new UsageError('give one FILE to check')
  const file =
    given === undefined ? ledgerFile(values.data, terminal.env, terminal.cwd) : resolve(terminal.cwd, given)
  const { findings, operations, events } = checkFile(file)
  if (values.json) terminal.stdout(`${JSON.stringify({ ledger: file, operations, events, findings })}\n`)
  else {
    for (const { rule, message } of findings) terminal.stdout(`${rule}: ${message}\n`)
    const verdict = findings.length === 0 ? 'all promises hold' : `${findings.length} findings`
    terminal.stdout(`${file}: ${operations} operations, ${events} events, ${verdict}\n`)
  }
  return findings.length === 0 ? 0 : 1
}
