import { dirname, resolve } from 'node:path'
import { isThere } from '../config/private-folder.ts'
import { LedgerError } from '../ledger/error.ts'
import { openLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import { backUp } from '../queue/backup.ts'
import { parseArguments, UsageError } from './arguments.ts'
import type { Terminal } from './main.ts'
import { ledgerFileFor, RUNTIME_OPTIONS, RUNTIME_USAGE } from './runtime.ts'

export const usage = `Usage: mulligan backup FOLDER [OPTIONS]
Copies the ledger and the large results to FOLDER, consistently, while everything goes on. FOLDER must not exist yet.
"mulligan restore FOLDER" puts it back.

  --with-key        also copy the key of secret parameters: keep such a copy as safe as the secrets themselves
  --json            say where it is as JSON
${RUNTIME_USAGE}

Exit codes: 0 copied, 1 it could not be, 2 wrong usage.`

const options = { ...RUNTIME_OPTIONS, 'with-key': { type: 'boolean' }, json: { type: 'boolean' } } as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options })
  const [target, ...more] = positionals
  if (target === undefined || more.length > 0) throw new UsageError('give one FOLDER to copy everything to')
  const file = ledgerFileFor(values, terminal)
  if (!isThere(file)) throw new LedgerError('io', `there is no ledger at ${file}: give its folder by --data`)
  const ledger = await openLedger({ file })
  const copy = resolve(terminal.cwd, target)
  try {
    const { operations, results, withKey } = await backUp(ledger, dirname(file), copy, {
      withKey: values['with-key'] === true,
    })
    if (values.json)
      terminal.stdout(
        `${JSON.stringify({ ledger: file, backup: copy, operations, results, with_key: withKey })}\n`,
      )
    else {
      terminal.stdout(`${operations} operations and ${results} files of results copied to ${copy}\n`)
      terminal.stdout(
        withKey
          ? 'The key is among it: whoever reads the copy reads the secrets.\n'
          : 'The key of secret parameters is not among it: --with-key copies it too.\n',
      )
    }
    return 0
  } finally {
    await ledger.close()
  }
}
