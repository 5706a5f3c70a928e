import { present } from '../../failure/present.ts'
import type { Time } from '../../time/time.ts'
import type { Rejudged, Rejudgement } from '../rejudgement.ts'
import { aboutFailure } from '../row/failed-attempt.ts'
import type { OperationRow } from '../row/operation-row.ts'
import { runEnd } from '../row/run-end.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { type Asking, row } from './asking.ts'
import { reclassify } from './attempts.ts'
import { changed, operationRow } from './operation-rows.ts'

/** Settles a parked operation by a new verdict, without a run. */
export function* rejudge(
  id: string,
  { parkedOn, verdict: given, failure, by }: Rejudgement,
  time: Time,
): Asking<Rejudged> {
  const parked = yield* operationRow(id, 'parked')
  if (parked?.fingerprint !== parkedOn.fingerprint) return undefined
  if (parkedOn.event !== undefined && (yield* parkEvent(parked)) !== parkedOn.event) return undefined
  const now = time.now()
  const verdict = withoutSecrets(given)
  const stored = failure && (yield* reclassify(parked.id, parked.attempts, { failure, verdict, by }))
  const { type, told, state, dueAt, set, values } = runEnd(verdict, now)
  const event = yield* changed(parked, {
    at: now,
    type,
    data: { by, was: parked.parked_for, ...aboutFailure(stored), ...told },
    set: state === 'parked' ? set : `${set}, parked_for = NULL`,
    values,
  })
  return { settled: true, event, state, ...present({ dueAt }) }
}

/** The event that parked it; an edit may have followed. */
function* parkEvent({ id, last_event }: OperationRow): Asking<number | undefined> {
  const found = yield* row<{ id: number }>(
    `WITH RECURSIVE chain AS (SELECT id, type, previous FROM events WHERE id = $2 UNION ALL
      SELECT e.id, e.type, e.previous FROM chain c JOIN events e ON e.id = c.previous
      WHERE c.type <> 'parked' AND c.previous <> $1)
    SELECT id FROM chain WHERE type = 'parked' LIMIT 1`,
    id,
    last_event,
  )
  return found?.id
}
