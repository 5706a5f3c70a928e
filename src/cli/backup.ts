import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { LedgerError, ledgerFile, openLedger } from '../ledger/index.ts'
import { parseArguments, UsageError } from './arguments.ts'
import type { Terminal } from './main.ts'

export const usage = `Usage: mulligan backup FILE [OPTIONS]
Copies the ledger to FILE, consistently, while everything goes on. FILE must not exist yet.

  --data FOLDER  the data folder; default mulligan in the XDG state folder
  --json         say where it is as JSON

Exit codes: 0 copied, 1 it could not be, 2 wrong usage.`

const options = { data: { type: 'string' }, json: { type: 'boolean' } } as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options })
  const [target, ...more] = positionals
  if (target === undefined || more.length > 0) throw new UsageError('give one FILE to copy the ledger to')
  const file = ledgerFile(values.data, terminal.env, terminal.cwd)
  if (!existsSync(file))
    throw new LedgerError('io', `there is no ledger at ${file}: give its folder by --data`)
  const ledger = await openLedger({ file })
  const copy = resolve(terminal.cwd, target)
  try {
    await ledger.backup(copy)
  } finally {
    await ledger.close()
  }
  terminal.stdout(
    values.json ? `${JSON.stringify({ ledger: file, backup: copy })}\n` : `${file} copied to ${copy}\n`,
  )
  return 0
}
