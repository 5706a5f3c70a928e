import { dirname, resolve } from 'node:path'
import { SECRET_KEY_VARIABLE } from '../../capability/secret/key.ts'
import { isThere } from '../../config/private-folder.ts'
import { inNumbers } from '../../daemon/words/in-numbers.ts'
import { LedgerError } from '../../ledger/error.ts'
import { openLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import { backUp } from '../../queue/backup.ts'
import { quietly } from '../../time/clean-up.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { printJson } from '../print/print-json.ts'
import {
  ledgerFileFor,
  loadToShow,
  RUNTIME_OPTIONS,
  RUNTIME_USAGE,
  refuseOnServer,
} from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'

export const usage = `Usage: mulligan ledger backup FOLDER [OPTIONS]
Copies the ledger and large results to FOLDER: a consistent copy, taken while the daemon keeps running. FOLDER must not
exist yet. "mulligan ledger restore FOLDER" restores it.

  --with-key        also copy the key that decrypts secret parameters; keep that copy as safe as the secrets
  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 copied, 1 failed, 2 wrong usage.`

const options = { ...RUNTIME_OPTIONS, 'with-key': { type: 'boolean' }, json: { type: 'boolean' } } as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options })
  const [target, ...more] = positionals
  if (target === undefined || more.length > 0) throw new UsageError('name one FOLDER to copy to')
  const loaded = loadToShow(values, terminal)
  await refuseOnServer(loaded, terminal, ledger => ledger.backup(target))
  const file = ledgerFileFor(loaded, terminal)
  if (!isThere(file)) throw new LedgerError('io', `no ledger at ${file}; name its folder with --data`)
  const ledger = await openLedger({ file })
  const copy = resolve(terminal.cwd, target)
  try {
    const { operations, results, withKey } = await backUp(ledger, dirname(file), copy, {
      withKey: values['with-key'] === true,
      env: terminal.env,
    })
    if (values.json)
      printJson(terminal, { ledger: file, backup: copy, operations, results, with_key: withKey })
    else {
      terminal.stdout(
        `copied ${inNumbers(operations, 'operation')} and ${inNumbers(results, 'result file')} to ${copy}\n`,
      )
      terminal.stdout(
        withKey
          ? `The copy includes the key: anyone who can read it can read the secrets.\n${
              terminal.env[SECRET_KEY_VARIABLE]
                ? `It does not include the key in ${SECRET_KEY_VARIABLE}.\n`
                : ''
            }`
          : 'The copy does not include the key of secret parameters; --with-key adds it.\n',
      )
    }
    return 0
  } finally {
    // Only read.
    await quietly(() => ledger.close())
  }
}
