import { type Asking, rows } from '../ledger/record/asking.ts'
import { waitingCapabilities } from '../ledger/record/holds.ts'
import { expire, park, unpark } from '../ledger/record/moves.ts'
import type { Records } from '../ledger/record/records.ts'
import { attendedSince } from '../ledger/record/runners.ts'
import { toId } from '../ledger/row/rows.ts'
import type { Maintained, MaintainOptions } from './engine.ts'
import { EXPIRE_AFTER_DEFAULT_MS, PARK_AFTER_DEFAULT_MS } from './maintenance-bounds.ts'

/** Most operations moved in one transaction. */
const STEP = 200

const OVERDUE = `SELECT id FROM operations WHERE state = 'scheduled' AND held_by IS NULL AND capability = $1
  AND due_at < $2 AND since < $2`
const WAITING_FOR_RUNNER = `SELECT id FROM operations WHERE parked_for IS NOT NULL AND parked_for = 'runner'
  AND capability = ANY($1::text[])`
const PARKED_LONG = 'SELECT id FROM operations WHERE parked_for IS NOT NULL AND since < $1'

/** What maintenance needs of a ledger. */
type Maintainable = Pick<Records, 'time' | 'runners' | 'ask' | 'write'>

/**
 * Maintenance by time: parks what no runner can run, and expires what was parked too long. Processes that do it at the same time
 * skip each other's rows.
 */
export async function maintain(
  ledger: Maintainable,
  { parkAfterMs = PARK_AFTER_DEFAULT_MS, expireAfterMs = EXPIRE_AFTER_DEFAULT_MS, signal }: MaintainOptions,
): Promise<Omit<Maintained, 'repaired'>> {
  const { time } = ledger
  const able = [...new Set((await ledger.runners()).flatMap(({ capabilities }) => capabilities))]
  const now = time.now()
  const before = now - parkAfterMs
  const lately = new Set([...able, ...(await ledger.ask(() => attendedSince(before)))])
  const unattended = (await ledger.ask(waitingCapabilities)).filter(name => !lately.has(name))
  let parked = 0
  for (const capability of unattended) {
    const reason = `no runner had ${capability} for ${Math.round(parkAfterMs / 60_000)} minutes`
    const why = { for: 'runner', origin: 'runner', reason } as const
    parked += await moveAll(ledger, OVERDUE, [capability, before], id => park(id, why, time), signal)
  }
  const isBack = { by: 'runner', reason: 'a runner with its capability is back' } as const
  const unparked = await moveAll(ledger, WAITING_FOR_RUNNER, [able], id => unpark(id, isBack, time), signal)
  const tooLong = `parked for more than ${Math.round(expireAfterMs / 86_400_000)} days`
  const longAgo = now - expireAfterMs
  const expired = await moveAll(ledger, PARKED_LONG, [longAgo], id => expire(id, tooLong, time), signal)
  return { parked, unparked, expired }
}

/** Moves everything that is found, in short transactions. Returns how many it could move. */
async function moveAll(
  ledger: Maintainable,
  find: string,
  values: readonly (string | number | readonly string[])[],
  move: (id: string) => Asking<boolean>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const some = `${find} LIMIT 1`
  const step = `${find} LIMIT ${STEP} FOR UPDATE SKIP LOCKED`
  for (let total = 0; ; ) {
    if (signal?.aborted) return total
    // Looks before it locks: usually there is nothing to do.
    if ((await ledger.ask(() => rows(some, ...values))).length === 0) return total
    const moved = await ledger.write(function* (): Asking<number> {
      let count = 0
      for (const { id } of yield* rows<{ id: number }>(step, ...values)) if (yield* move(toId(id))) count++
      return count
    })
    total += moved
    if (moved < STEP) return total
  }
}
