import { type Asking, rows, written } from './asking.ts'

/**
 * Events that no operation needs: those of the queue, of a capability or a provider as a whole, and those of discarded
 * operations. What a consumer has not read stays, and so does the highest number: readers need it to know the last one, and it
 * must not be used again.
 */
const OLD = `SELECT id FROM events WHERE (operation IS NULL OR type = 'discarded') AND at < $1
  AND id <= (SELECT coalesce(min(event), ${Number.MAX_SAFE_INTEGER}) FROM cursors)
  AND id < greatest((SELECT coalesce(max(id), 0) FROM operations), (SELECT coalesce(max(id), 0) FROM events))
  ORDER BY at LIMIT $2`

/** Whether there are any older than this time, epoch milliseconds. */
export function* hasOldEvents(before: number): Asking<boolean> {
  return (yield* rows(OLD, before, 1)).length > 0
}

/** Deletes the oldest of them, at most `most`. Returns how many. */
export function forgetOldEvents(before: number, most: number): Asking<number> {
  return written(`DELETE FROM events WHERE id IN (${OLD}) RETURNING id`, before, most)
}
