import { oneLine } from '../failure/text/printable.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { NewNotice } from '../ledger/notice.ts'
import type { Operation } from '../ledger/operation.ts'
import { expiresAt } from './lifetime.ts'
import { FAILING_AFTER, failedInARow } from './schedule-streak.ts'
import { SCHEDULE_FAILING, SCHEDULE_RECOVERED } from './weight.ts'

/** Name of the schedule that submitted an operation; undefined if none did. */
export function scheduleOf({ source, context }: Operation): string | undefined {
  const name = (context as { cron?: unknown } | undefined)?.cron
  return source === 'cron' && typeof name === 'string' ? name : undefined
}

/**
 * Reports once that a schedule keeps failing, and once that it works again.
 * @param operations the schedule's operations, newest first, starting with the one that ended
 */
export function noticeAboutSchedule(
  { id, at, type }: LedgerEvent,
  name: string,
  operations: readonly Operation[],
): NewNotice | undefined {
  const isGood = type === 'succeeded'
  const streak = failedInARow(isGood ? operations.slice(1) : operations)
  const first = streak.at(-1)
  // A longer streak starts with the same operation, so it has the same key and is not reported again.
  if (first === undefined || streak.length < FAILING_AFTER) return undefined
  const key = `schedule:${name}:${first.id}`
  const weight = isGood ? SCHEDULE_RECOVERED : SCHEDULE_FAILING
  const failure = streak[0]?.failure
  return {
    key: isGood ? `${key}:recovered` : key,
    event: id,
    type: isGood ? 'schedule_recovered' : 'schedule_failing',
    ...weight,
    title: oneLine(isGood ? `schedule ${name} works again` : `schedule ${name} keeps failing`),
    body: isGood
      ? `It had failed ${streak.length} times in a row.`
      : [
          `Its last ${streak.length} operations ended without success: ${streak.map(each => each.id).join(', ')}`,
          ...(failure === undefined ? [] : [oneLine(`${failure.class}/${failure.kind}: ${failure.message}`)]),
          `Details of the last: mulligan ops show ${streak[0]?.id}`,
        ].join('\n'),
    expiresAt: expiresAt(weight.disposition, at),
    ...(isGood ? { readAt: at } : {}),
  }
}
