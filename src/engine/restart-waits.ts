import { type Asking, rows } from '../ledger/record/asking.ts'
import { edit } from '../ledger/record/moves.ts'
import { toId } from '../ledger/row/rows.ts'
import type { Time } from '../time/time.ts'

/** An operation whose wait began in the future. */
export interface Ahead {
  id: number
  due_at: number
  since: number
}

/** Most operations whose waits are restarted in one transaction. */
export const RESTARTED_AT_ONCE = 200

/** Lets each wait as long from now as it was meant to. Returns how many. */
export function* restartWaits(ahead: readonly Ahead[], time: Time): Asking<number> {
  const now = time.now()
  for (const { id, due_at, since } of ahead) {
    if (due_at > now) yield* edit(toId(id), { dueAt: now + Math.max(0, due_at - since) }, time)
    yield* rows('UPDATE operations SET since = $1 WHERE id = $2', now, id)
  }
  return ahead.length
}
