import { resolve } from 'node:path'
import { isThere } from '../config/private-folder.ts'
import { LedgerError, openLedger } from '../ledger/index.ts'
import { parseArguments, UsageError } from './arguments.ts'
import type { Terminal } from './main.ts'
import { ledgerFileFor, RUNTIME_OPTIONS, RUNTIME_USAGE } from './runtime.ts'

export const usage = `Usage: mulligan backup FILE [OPTIONS]
Copies the ledger to FILE, consistently, while everything goes on. FILE must not exist yet.

  --json            say where it is as JSON
${RUNTIME_USAGE}

Exit codes: 0 copied, 1 it could not be, 2 wrong usage.`

const options = { ...RUNTIME_OPTIONS, json: { type: 'boolean' } } as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options })
  const [target, ...more] = positionals
  if (target === undefined || more.length > 0) throw new UsageError('give one FILE to copy the ledger to')
  const file = ledgerFileFor(values, terminal)
  if (!isThere(file)) throw new LedgerError('io', `there is no ledger at ${file}: give its folder by --data`)
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
