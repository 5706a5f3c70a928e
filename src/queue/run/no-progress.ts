import type { Failure } from '../../failure/failure.ts'
import { present } from '../../failure/present.ts'
import type { LedgerEvent } from '../../ledger/event.ts'
import type { Run } from './run.ts'

/** Until when an operation waits, and why. */
export interface Wait {
  /** Epoch milliseconds. */
  until: number
  reason: string
}

/** First and longest wait of an operation that returns for the same reason as before, in milliseconds. */
const FIRST_MS = 5_000
const LONGEST_MS = 900_000

type Asking = Pick<Run, 'deps' | 'subject' | 'claimed'>

/**
 * Lengthens a wait if the operation has returned for the same reason before without progress: a wrong estimate of when it can
 * continue must not become a loop of claims. Waits that are long enough stay unchanged.
 * @param failure the failure that the operation waits out
 * @param freely how often it may return before its waits grow; default 0
 */
export async function lengthenRepeatedWait(
  run: Asking,
  { until, reason }: Wait,
  failure: Failure,
  freely = 0,
): Promise<Wait> {
  const times = (await inARow(run, failure)) - freely
  const now = run.deps.time.now()
  const least = now + waitAfter(times)
  if (until >= least) return { until, reason }
  const why = `it has come back ${times} ${times === 1 ? 'time' : 'times'} for this reason without progress`
  return {
    until: least,
    reason: `${reason}; ${why}, so it waits until ${new Date(least).toISOString().replace('.000Z', 'Z')}`,
  }
}

/**
 * How long to wait after returning this often for one reason, in milliseconds; doubles each time.
 * @param times 0 for the first wait, which may be of any length
 */
export function waitAfter(times: number): number {
  return times <= 0 ? 0 : Math.min(FIRST_MS * 2 ** Math.min(times - 1, 30), LONGEST_MS)
}

/** How many of the last runs ended the same way: with the same failure, or without a try, for the same refusal. */
async function inARow({ deps, subject, claimed }: Asking, failure: Failure): Promise<number> {
  const { id, run } = claimed.fence
  if (run === 1) return 0
  const ends = lastOfEachRun(await deps.ledger.timeline(id), run)
  const { attempts } = subject.history
  let times = 0
  for (const end of ends.reverse()) {
    const last = attempts.findLast(attempt => attempt.run === end.run)
    // Its message may name the request, the time or the tenant; what it waits for is the same.
    const isSame = last ? last.failure?.kind === failure.kind : isSameRefusal(end, failure)
    if (!isSame) break
    times++
  }
  return times
}

/** How each run before this one ended, the first run first; the count starts again when a person asks for a run. */
function lastOfEachRun(timeline: readonly LedgerEvent[], before: number): LedgerEvent[] {
  const asked = timeline.findLastIndex(
    ({ type }) => type === 'revived' || type === 'unparked' || type === 'edited',
  )
  return timeline.slice(asked + 1).filter(({ type, run }) => ENDS.has(type) && (run ?? 0) < before)
}

const ENDS: ReadonlySet<string> = new Set(['handed_back', 'snoozed'])

/** What refused a run before anything was tried, as stored with the end of that run. */
export function refusalOf({ evidence, provider }: Failure): { rule: string; provider?: string } {
  return { rule: evidence.rule, ...present({ provider }) }
}

function isSameRefusal({ data }: LedgerEvent, failure: Failure): boolean {
  const before = data?.refusal as ReturnType<typeof refusalOf> | undefined
  const { rule, provider } = refusalOf(failure)
  return before?.rule === rule && before.provider === provider
}
