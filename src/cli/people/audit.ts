import { changeInOneLine } from '../../daemon/words/change-words.ts'
import { latestChanges } from '../../ledger/change.ts'
import { timeToJson } from '../../time/time-json.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { tableOf } from '../print/table.ts'
import { nothingYet, RUNTIME_OPTIONS, RUNTIME_USAGE, withRuntime } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'

export const usage = `Usage: mulligan audit [OPTIONS]

Shows who changed what, newest first: by a token, a browser, a command or an agent.

  --limit N         how many; default 50
  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 done, 2 wrong usage.`

const OPTIONS = { ...RUNTIME_OPTIONS, limit: { type: 'string' }, json: { type: 'boolean' } } as const
const MOST = 10_000

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  if (positionals.length > 0) throw new UsageError(`audit takes no ${JSON.stringify(positionals[0])}`)
  const limit = Number(values.limit ?? 50)
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
    throw new UsageError(
      `--limit must be a whole number from 1 to ${MOST}, not ${JSON.stringify(values.limit)}`,
    )
  return withRuntime(values, terminal, { absent: 'keep_out', shows: true }, async ({ ledger, place }) => {
    const changes = ledger ? await latestChanges(ledger, limit) : []
    if (values.json) {
      const json = changes.map(each => ({ ...each, at: timeToJson(each.at) }))
      terminal.stdout(`${JSON.stringify({ changes: json })}\n`)
    } else if (!ledger) terminal.stdout(nothingYet(place))
    else if (changes.length === 0) terminal.stdout('Nobody has changed anything.\n')
    else
      terminal.stdout(
        `${tableOf(
          [
            ['WHEN', 'WHO', 'WHAT', 'REASON'],
            ...changes.map(({ at, by, action, subject, reason }) => [
              timeToJson(at),
              by,
              changeInOneLine(action, subject),
              reason ?? '',
            ]),
          ],
          'words',
        )}\n`,
      )
    return 0
  })
}
