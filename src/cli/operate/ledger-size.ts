import { sizeInWords } from '../../daemon/words/size-words.ts'
import { present } from '../../failure/present.ts'
import { growthOf, type SizeSample, sizeSamples } from '../../queue/size-samples.ts'
import { timeToJson } from '../../time/time-json.ts'
import { durationInWords } from '../../verdict/duration-words.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { printJson } from '../print/print-json.ts'
import { tableOf } from '../print/table.ts'
import { type QueueRuntime, withQueue } from '../runtime/queue-runtime.ts'
import { nothingYet, RUNTIME_OPTIONS, RUNTIME_USAGE } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'

const WEEK_MS = 7 * 86_400_000
/** Days that are listed. */
const MOST_DAYS = 14

export const usage = `Usage: mulligan ledger size [--json]

Shows how large the ledger is and how it grew. The daemon records its size every hour; kept are two days of hours and 400
days.

  --json            JSON on stdout, with all samples
${RUNTIME_USAGE}

Exit codes: 0 shown, 2 wrong usage.`

const OPTIONS = { ...RUNTIME_OPTIONS, json: { type: 'boolean' } } as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  if (positionals.length > 0) throw new UsageError(`ledger size takes no ${JSON.stringify(positionals[0])}`)
  const show = async ({ ledger, place, isBegun }: QueueRuntime) => {
    const { bytes, freeBytes } = await ledger.size()
    const samples = await sizeSamples(ledger)
    if (values.json)
      printJson(terminal, {
        ledger: place,
        bytes,
        ...present({ free_bytes: freeBytes }),
        samples: samples.map(sample => ({ at: timeToJson(sample.at), bytes: sample.bytes })),
      })
    else if (!isBegun) terminal.stdout(nothingYet(place))
    else {
      const free = freeBytes ? `, ${sizeInWords(freeBytes)} of it free` : ''
      const now = terminal.now()
      terminal.stdout(`${place}: ${sizeInWords(bytes)}${free}${growthInWords(samples, bytes, now)}\n`)
      terminal.stdout(daysInWords(samples))
    }
    return 0
  }
  return withQueue(values, terminal, show, { absent: 'look', shows: true })
}

/** How a ledger grew within a week, to follow its size; empty if nothing is known. */
export function growthInWords(samples: readonly SizeSample[], bytes: number, now: number): string {
  const growth = growthOf(samples, bytes, now, WEEK_MS)
  if (!growth) return ''
  const { bytes: by, overMs } = growth
  if (by === 0) return `, as ${durationInWords(overMs)} ago`
  return `, ${sizeInWords(Math.abs(by))} ${by > 0 ? 'more' : 'less'} than ${durationInWords(overMs)} ago`
}

/** The last size of each of the last days. */
function daysInWords(samples: readonly SizeSample[]): string {
  const days = new Map(samples.map(({ at, bytes }) => [timeToJson(at).slice(0, 10), bytes]))
  const rows = [...days].slice(-MOST_DAYS).map(([day, bytes]) => [day, sizeInWords(bytes)])
  return rows.length > 0 ? `${tableOf(rows)}\n` : ''
}
