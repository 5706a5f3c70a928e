import { recordChange } from '../../ledger/change.ts'
import { LEAST_EVENTS_MS, type Retention, retentionOf, setRetention } from '../../queue/retention.ts'
import { RETENTION_KEYS, type RetentionKey } from '../../queue/retention-keys.ts'
import { durationInWords } from '../../verdict/duration-words.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { durationFlag } from '../flag/flags.ts'
import { RETENTION_OPTIONS } from '../flag/retention.ts'
import { printJson } from '../print/print-json.ts'
import { tableOf } from '../print/table.ts'
import { userOf } from '../runtime/changing.ts'
import { type QueueRuntime, withQueue } from '../runtime/queue-runtime.ts'
import { RUNTIME_OPTIONS, RUNTIME_USAGE } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'

export const usage = `Usage: mulligan ledger retention [OPTIONS]

Shows how long history is kept, and who says so. With a duration, sets it in the ledger: it then comes before [queue] prune
of the config, for every host that shares the ledger. What is older is deleted within the hour.

  --succeeded D     keep succeeded operations for this long, such as 14d
  --dead D          keep dead operations for this long
  --events D        keep queue and provider events for this long; at least 1h
  --workflows D     keep ended workflow runs for this long
  --reset           return to the config
  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 shown or set, 2 wrong usage.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  ...RETENTION_OPTIONS,
  reset: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  if (positionals.length > 0)
    throw new UsageError(`ledger retention takes no ${JSON.stringify(positionals[0])}; use --succeeded 14d`)
  const given = RETENTION_KEYS.flatMap(key => {
    const ms = durationFlag(`--${key}`, values[key])
    return ms === undefined ? [] : [[key, ms] as const]
  })
  const changes: Partial<Record<RetentionKey, number | null>> = Object.fromEntries(given)
  if ((changes.events ?? LEAST_EVENTS_MS) < LEAST_EVENTS_MS)
    throw new UsageError('--events must be at least 1h: what reads events may be down for a while')
  if (values.reset && given.length > 0) throw new UsageError('--reset takes no durations')
  const isChange = values.reset === true || given.length > 0
  const show = async ({ ledger, loaded }: QueueRuntime) => {
    if (values.reset) await setRetention(ledger, Object.fromEntries(RETENTION_KEYS.map(key => [key, null])))
    else if (isChange) await setRetention(ledger, changes)
    if (isChange)
      await recordChange(ledger, { by: userOf(terminal.env), via: 'command', action: 'ledger retention' })
    const kept = await retentionOf(ledger, loaded.config)
    if (values.json) printJson(terminal, { retention: kept.map(retentionToJson) })
    else terminal.stdout(inWords(kept))
    return 0
  }
  return withQueue(values, terminal, show, isChange ? {} : { absent: 'look', shows: true })
}

/** A retention in JSON. */
function retentionToJson({ key, afterMs, setIn }: Retention) {
  return { key, after_ms: afterMs, set_in: setIn }
}

const NAMES: Record<RetentionKey, string> = {
  succeeded: 'succeeded operations',
  dead: 'dead operations',
  events: 'queue and provider events',
  workflows: 'ended workflow runs',
}

function inWords(kept: readonly Retention[]): string {
  const rows = kept.map(({ key, afterMs, setIn }) => [
    NAMES[key],
    durationInWords(afterMs),
    setIn === 'ledger' ? 'set in the ledger' : 'by the config or its default',
  ])
  return `${tableOf(rows, 'words')}\n`
}
