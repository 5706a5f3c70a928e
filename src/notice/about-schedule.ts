import { oneLine } from '../failure/text/printable.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { NewNotice } from '../ledger/notice.ts'
import type { Operation } from '../ledger/operation.ts'
import { ACTIONABLE_LIFETIME_MS, expiresAt } from './lifetime.ts'
import { SCHEDULE_FAILING, SCHEDULE_RECOVERED } from './weight.ts'

/** Name of the schedule that submitted an operation; undefined if none did. */
export function scheduleOf({ source, context }: Operation): string | undefined {
  const name = (context as { cron?: unknown } | undefined)?.cron
  return source === 'cron' && typeof name === 'string' ? name : undefined
}

/** The cause of the notices about a schedule. */
export function scheduleCauseOf(name: string): string {
  return `schedule:${name}`
}

/**
 * Reports that a schedule stopped succeeding.
 * @param streak its operations that failed in a row, newest first; at least one
 */
export function scheduleFailing(
  { id, at }: LedgerEvent,
  name: string,
  streak: readonly Operation[],
): NewNotice {
  const [last] = streak
  const failure = last?.failure
  const many = streak.length > 1
  return {
    key: `${scheduleCauseOf(name)}:${id}`,
    event: id,
    type: 'schedule_failing',
    ...SCHEDULE_FAILING,
    cause: scheduleCauseOf(name),
    title: oneLine(`Schedule ${name} ${many ? 'keeps failing' : 'failed'}`),
    body: [
      `${many ? `Its last ${streak.length} operations` : 'Its last operation'} ended without success: ${streak.map(each => each.id).join(', ')}`,
      ...(failure === undefined ? [] : [oneLine(`${failure.class}/${failure.kind}: ${failure.message}`)]),
      `Details of the last: mulligan ops show ${last?.id}`,
      'You will not hear of further failures, only of its next success.',
    ].join('\n'),
    expiresAt: at + ACTIONABLE_LIFETIME_MS,
  }
}

/** Reports that a schedule succeeds again, after people were told that it did not. */
export function scheduleRecovered({ id, at }: LedgerEvent, name: string): NewNotice {
  return {
    key: `${scheduleCauseOf(name)}:${id}:recovered`,
    event: id,
    type: 'schedule_recovered',
    ...SCHEDULE_RECOVERED,
    title: oneLine(`Schedule ${name} works again`),
    body: 'Its last operation succeeded.',
    expiresAt: expiresAt(SCHEDULE_RECOVERED.disposition, at),
    readAt: at,
  }
}
