import type { Time } from '../../time/time.ts'
import type { Fence } from '../operation.ts'
import { settleRun } from '../record/runs.ts'
import { numberOf } from '../row/rows.ts'
import { isPlain } from '../row/run-end.ts'
import type { Settled, Settlement } from '../settlement.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { answer } from './answer.ts'
import type { Sql } from './sql.ts'

/** The end of one run, to be written together with others. */
export interface Ending {
  fence: Fence
  settlement: Settlement
}

/**
 * The usual end, a success with at most one attempt: one statement for any number of runs. It locks nothing first: a row that
 * another transaction changed since it was read has another last event, and is left to {@link settleRun}. It asks for a
 * lease, not for the state, or the server would compare each of them with everything that runs.
 */
export const SUCCEED = `WITH numbered AS (
    SELECT o.id, o.run, o.since, o.last_event, g.*, nextval('numbers') AS event FROM unnest($2::bigint[], $3::int[], $4::text[],
      $5::int[], $6::int[], $7::bigint[], $8::bigint[], $9::text[], $10::text[], $11::float8[], $12::int[], $13::text[])
      AS g(op, of_run, result, cut, tries, started_at, ended_at, provider, model, cost, turns, note)
    JOIN operations o ON o.id = g.op AND o.run = g.of_run AND o.lease_until IS NOT NULL AND o.attempts = 0),
  succeeded AS (UPDATE operations o SET state = 'succeeded', updated_at = $1, since = $1, ended_at = $1, last_event = n.event,
      attempts = n.tries, run_cost_usd = 0, cost_usd = o.cost_usd + coalesce(n.cost, 0), result = n.result, result_cut = n.cut,
      cancel_requested = 0, runner = NULL, lease_until = NULL, lease_ms = NULL, renewals = NULL
    FROM numbered n WHERE o.id = n.id AND o.last_event = n.last_event RETURNING n.*),
  tried AS (INSERT INTO attempts (id, run, started_at, ended_at, provider, model, cost_usd, turns, note)
    SELECT id * 65536 + 1, run, started_at, ended_at, provider, model, cost, turns, note FROM succeeded WHERE tries = 1),
  told AS (INSERT INTO events (id, at, type, operation, run, previous, data)
    SELECT event, $1, 'succeeded', id, run, last_event, CASE WHEN cost IS NULL
      THEN '{"duration_ms":' || greatest(0, $1 - since) || '}'
      ELSE '{"duration_ms":' || greatest(0, $1 - since) || ',"cost_usd":' || cost || '}' END FROM succeeded)
  SELECT id, event FROM succeeded`

/** Ends many runs at once. The run number fences every end. */
export class RunEnds {
  readonly #sql: Sql
  readonly #time: Time

  constructor(sql: Sql, time: Time) {
    this.#sql = sql
    this.#time = time
  }

  /** Settles all of them, plain successes first in one statement. Results are in the order of `endings`. */
  async settleAll(endings: readonly Ending[]): Promise<Settled[]> {
    const settled: Settled[] = []
    const plain = endings.flatMap((ending, place) => (isPlain(ending.settlement) ? [place] : []))
    const unique = new Map(plain.map(place => [endings[place]?.fence.id, place]))
    if (plain.length < endings.length && endings.length > 1) this.#lock(endings)
    const events = await this.#succeedAll([...unique.values()].map(place => endings[place] as Ending))
    for (const [place, { fence, settlement }] of endings.entries()) {
      const event = unique.get(fence.id) === place ? events.get(numberOf(fence.id) ?? 0) : undefined
      settled[place] =
        event === undefined
          ? await answer(this.#sql, settleRun(fence, settlement, this.#time))
          : { settled: true, event, state: 'succeeded' }
    }
    return settled
  }

  /** Locks all rows, in the order of ids, before any is written: otherwise this and a renewal could deadlock. */
  #lock(endings: readonly Ending[]): void {
    this.#sql.send('SELECT 1 FROM operations WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE', [
      endings.map(({ fence }) => numberOf(fence.id) ?? 0),
    ])
  }

  async #succeedAll(endings: readonly Ending[]): Promise<Map<number, number>> {
    if (endings.length === 0) return new Map()
    const each = endings
      .map(({ fence, settlement }) => ({
        ...(settlement as Extract<Settlement, { succeeded: true }>),
        id: numberOf(fence.id) ?? 0,
        run: fence.run,
      }))
      // In the order in which a renewal locks them: otherwise they could deadlock.
      .sort((a, b) => a.id - b.id)
    const done = await this.#sql.rows<{ id: number; event: number }>(SUCCEED, [
      this.#time.now(),
      each.map(({ id }) => id),
      each.map(({ run }) => run),
      each.map(({ result }) => (result === undefined ? null : JSON.stringify(result))),
      each.map(({ resultCut }) => (resultCut ? 1 : 0)),
      each.map(({ attempt }) => (attempt ? 1 : 0)),
      each.map(({ attempt }) => attempt?.startedAt ?? 0),
      each.map(({ attempt }) => attempt?.endedAt ?? 0),
      each.map(({ attempt }) => attempt?.provider ?? null),
      each.map(({ attempt }) => attempt?.model ?? null),
      each.map(({ attempt }) => attempt?.costUsd ?? null),
      each.map(({ attempt }) => attempt?.turns ?? null),
      each.map(({ attempt }) =>
        attempt?.note === undefined ? null : JSON.stringify(withoutSecrets(attempt.note)),
      ),
    ])
    return new Map(done.map(({ id, event }) => [id, event]))
  }
}
