import type { Time } from '../../time/time.ts'
import type { Fence } from '../operation.ts'
import { settleRun } from '../record/runs.ts'
import { numberOf } from '../row/rows.ts'
import type { Settled, Settlement } from '../settlement.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { answer } from './answer.ts'
import type { Sql } from './sql.ts'

/** How plain successes are written. */
export interface SuccessOptions {
  /** Whether an earlier try may have written them, without an answer. */
  isAgain: boolean
  /** How many more may start for each success of a provider that opens gradually. */
  startsPerServed: number
}

/** The end of one run, to be written together with others. */
export interface Ending {
  fence: Fence
  settlement: Settlement
}

/**
 * The usual end, a success with at most one attempt: one statement for any number of runs. It locks nothing first: a row that
 * another transaction changed since it was read has another last event, and is left to {@link settleRun}. It asks for a
 * lease, not for the state, or the server would compare each of them with everything that runs. A provider that serves while
 * it opens lets more runs start.
 */
export const SUCCEED = `WITH numbered AS (
    SELECT o.id, o.run, o.since, o.due_at, o.last_event, g.*, nextval('numbers') AS event FROM unnest($2::bigint[], $3::int[], $4::text[],
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
    SELECT event, $1, 'succeeded', id, run, last_event, '{"duration_ms":' || greatest(0, $1 - since)
      || CASE WHEN since > due_at THEN ',"waited_ms":' || since - due_at ELSE '' END
      || CASE WHEN cost IS NULL THEN '' ELSE ',"cost_usd":' || cost END || '}' FROM succeeded),
  served AS (UPDATE provider_gates g SET taken = g.taken - $14 * s.n FROM (SELECT x.provider, count(*)::int AS n
    FROM succeeded u JOIN provider_gates x ON x.provider = u.provider AND x.freed_at <= u.started_at GROUP BY 1) s
    WHERE g.provider = s.provider)
  SELECT id, event FROM succeeded`

/** Ends many runs at once. The run number fences every end. */
export class RunEnds {
  readonly #sql: Sql
  readonly #time: Time

  constructor(sql: Sql, time: Time) {
    this.#sql = sql
    this.#time = time
  }

  /** Settles them one after the other. */
  async settleAll(endings: readonly Ending[]): Promise<Settled[]> {
    if (endings.length > 1) this.#lock(endings)
    const settled: Settled[] = []
    for (const { fence, settlement } of endings)
      settled.push(await answer(this.#sql, settleRun(fence, settlement, this.#time)))
    return settled
  }

  /** Locks all rows, in the order of ids, before any is written: otherwise this and a renewal could deadlock. */
  #lock(endings: readonly Ending[]): void {
    this.#sql.send('SELECT 1 FROM operations WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE', [
      endings.map(({ fence }) => numberOf(fence.id) ?? 0),
    ])
  }

  /** Ends plain successes in one statement; its COMMIT travels with it. */
  async succeedAll(
    endings: readonly Ending[],
    { isAgain, startsPerServed }: SuccessOptions,
  ): Promise<(Settled | undefined)[]> {
    // The run is ours alone: if it has succeeded, an earlier try wrote that.
    const before = isAgain ? await this.#succeededBefore(endings) : []
    const now = await this.#succeed(endings, startsPerServed)
    const events = new Map([...before, ...now].map(({ id, event }) => [id, event]))
    return endings.map(({ fence }) => {
      const event = events.get(numberOf(fence.id) ?? 0)
      return event === undefined ? undefined : { settled: true, event, state: 'succeeded' }
    })
  }

  #succeededBefore(endings: readonly Ending[]): Promise<Succeeded[]> {
    return this.#sql.rows<Succeeded>(
      `SELECT o.id, o.last_event AS event FROM unnest($1::bigint[], $2::int[]) AS g(id, run)
        JOIN operations o ON o.id = g.id AND o.run = g.run WHERE o.state = 'succeeded'`,
      [endings.map(({ fence }) => numberOf(fence.id) ?? 0), endings.map(({ fence }) => fence.run)],
    )
  }

  #succeed(endings: readonly Ending[], startsPerServed: number): Promise<Succeeded[]> {
    const each = endings
      .map(({ fence, settlement }) => ({
        ...(settlement as Extract<Settlement, { succeeded: true }>),
        id: numberOf(fence.id) ?? 0,
        run: fence.run,
      }))
      // In the order in which a renewal locks them: otherwise they could deadlock.
      .sort((a, b) => a.id - b.id)
    return this.#sql.last<Succeeded>(SUCCEED, [
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
      startsPerServed,
    ])
  }
}

/** An operation that has succeeded, and the number of the event that says so. */
interface Succeeded {
  id: number
  event: number
}
