import { join, resolve } from 'node:path'
import { dataFolder } from '../../config/data-folder.ts'
import { inNumbers } from '../../daemon/words/in-numbers.ts'
import { recordChange } from '../../ledger/change.ts'
import { LEDGER_NAME } from '../../ledger/location.ts'
import { openLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import { restore } from '../../queue/backup.ts'
import { cleaningUp } from '../../time/clean-up.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { userOf } from '../runtime/changing.ts'
import { loadFor, RUNTIME_OPTIONS, RUNTIME_USAGE } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'

export const usage = `Usage: mulligan ledger restore FOLDER [OPTIONS]
Restores a backup into the data folder. Checks the backup first, and refuses a data folder that already has a ledger.

  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 restored, 1 the backup is damaged or the data folder has a ledger, 2 wrong usage.`

const options = { ...RUNTIME_OPTIONS, json: { type: 'boolean' } } as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options })
  const [source, ...more] = positionals
  if (source === undefined || more.length > 0)
    throw new UsageError('name one FOLDER made by "mulligan ledger backup"')
  const data = dataFolder(loadFor(values, terminal), terminal)
  const from = resolve(terminal.cwd, source)
  const { operations, results, withKey } = await restore(from, data)
  const ledger = await openLedger({ file: join(data, LEDGER_NAME) })
  await cleaningUp(
    () =>
      recordChange(ledger, { by: userOf(terminal.env), via: 'command', action: 'restore', subject: from }),
    () => ledger.close(),
  )
  terminal.stdout(
    values.json
      ? `${JSON.stringify({ data, operations, results, with_key: withKey })}\n`
      : `restored ${inNumbers(operations, 'operation')} and ${inNumbers(results, 'result file')} to ${data}${withKey ? ', with the key' : ''}\n`,
  )
  return 0
}
