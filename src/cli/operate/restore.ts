import { resolve } from 'node:path'
import { dataFolder } from '../../config/data-folder.ts'
import { restore } from '../../queue/backup.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { loadFor, RUNTIME_OPTIONS, RUNTIME_USAGE } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'

export const usage = `Usage: mulligan restore FOLDER [OPTIONS]
Restores a backup into the data folder. Checks the backup first, and refuses a data folder that already has a ledger.

  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 restored, 1 the backup is damaged or the data folder has a ledger, 2 wrong usage.`

const options = { ...RUNTIME_OPTIONS, json: { type: 'boolean' } } as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options })
  const [source, ...more] = positionals
  if (source === undefined || more.length > 0)
    throw new UsageError('name one FOLDER made by "mulligan backup"')
  const data = dataFolder(loadFor(values, terminal), terminal)
  const { operations, results, withKey } = await restore(resolve(terminal.cwd, source), data)
  terminal.stdout(
    values.json
      ? `${JSON.stringify({ data, operations, results, with_key: withKey })}\n`
      : `restored ${operations} operations and ${results} result files to ${data}${withKey ? ', with the key' : ''}\n`,
  )
  return 0
}
