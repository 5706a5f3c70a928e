import type { Time } from '../../time/time.ts'
import type { NewAttempt } from '../attempt.ts'
import type { HandBack } from '../ledger.ts'
import type { Fence } from '../operation.ts'
import { aboutFailure } from '../row/failed-attempt.ts'
import type { OperationRow } from '../row/operation-row.ts'
import { numberOf } from '../row/rows.ts'
import { CANCELLED_WHILE_RUNNING, runEnd } from '../row/run-end.ts'
import type { EndingVerdict, Settled, Settlement } from '../settlement.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { type Attempts, attemptValues } from './attempts.ts'
import type { OperationRows } from './operation-rows.ts'
import type { Sql } from './sql.ts'

/** The end of one run, to be written together with others. */
export interface Ending {
  fence: Fence
  settlement: Settlement
}

/** Columns that every end of a run sets; $1 is now, and values start at $7. */
const ENDS = `since = $1, run_cost_usd = 0, cancel_requested = 0, runner = NULL, lease_until = NULL, lease_ms = NULL,
  renewals = NULL, attempts = $7, cost_usd = cost_usd + $8, agent_session = coalesce($9, agent_session)`

/** The usual end, a success with at most one attempt: one statement for any number of runs. */
const SUCCEED = `WITH locked AS (
    SELECT o.id, o.run, o.since, o.last_event, g.* FROM unnest($2::bigint[], $3::int[], $4::text[], $5::int[], $6::int[],
      $7::bigint[], $8::bigint[], $9::text[], $10::text[], $11::text[], $12::text[], $13::float8[], $14::int[], $15::text[],
      $16::text[]) AS g(op, of_run, result, cut, tries, started_at, ended_at, provider, model, failure, verdict, cost, turns,
      session_id, note)
    JOIN operations o ON o.id = g.op AND o.run = g.of_run AND o.state = 'running' AND o.attempts = 0 ORDER BY o.id FOR UPDATE OF o),
  numbered AS (SELECT l.*, nextval('numbers') AS event FROM locked l),
  tried AS (INSERT INTO attempts (id, run, started_at, ended_at, provider, model, cost_usd, turns, note)
    SELECT id * 65536 + 1, run, started_at, ended_at, provider, model, cost, turns, note FROM numbered WHERE tries = 1),
  told AS (INSERT INTO events (id, at, type, operation, run, previous, data)
    SELECT event, $1, 'succeeded', id, run, last_event, CASE WHEN cost IS NULL
      THEN '{"duration_ms":' || greatest(0, $1 - since) || '}'
      ELSE '{"duration_ms":' || greatest(0, $1 - since) || ',"cost_usd":' || cost || '}' END FROM numbered)
  UPDATE operations o SET state = 'succeeded', updated_at = $1, since = $1, ended_at = $1, last_event = n.event,
    attempts = n.tries, run_cost_usd = 0, cost_usd = o.cost_usd + coalesce(n.cost, 0), result = n.result, result_cut = n.cut,
    cancel_requested = 0, runner = NULL, lease_until = NULL, lease_ms = NULL, renewals = NULL
  FROM numbered n WHERE o.id = n.id RETURNING o.id, o.last_event AS event`

/** Ends runs: settles them, or hands them back unfinished. The run number fences every end. */
export class RunEnds {
  readonly #sql: Sql
  readonly #time: Time
  readonly #rows: OperationRows
  readonly #attempts: Attempts

  constructor(sql: Sql, time: Time, rows: OperationRows, attempts: Attempts) {
    this.#sql = sql
    this.#time = time
    this.#rows = rows
    this.#attempts = attempts
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
          ? await this.settle(fence, settlement)
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
    const rows = endings.map(({ fence, settlement }) => {
      const { result, resultCut, attempt } = settlement as Extract<Settlement, { succeeded: true }>
      return [
        numberOf(fence.id) ?? 0,
        fence.run,
        result === undefined ? null : JSON.stringify(result),
        resultCut ? 1 : 0,
        attempt ? 1 : 0,
        ...attemptValues(attempt ?? { startedAt: 0, endedAt: 0 }, undefined),
      ]
    })
    const columns = rows[0]?.map((_, column) => rows.map(row => row[column])) ?? []
    const done = await this.#sql.rows<{ id: number; event: number }>(SUCCEED, [this.#time.now(), ...columns])
    return new Map(done.map(({ id, event }) => [id, event]))
  }

  async settle(fence: Fence, settlement: Settlement): Promise<Settled> {
    const row = await this.#rows.running(fence)
    if (!('attempts' in row)) return row
    const now = this.#time.now()
    const { attempt } = settlement
    const ended = await this.#ended(row, now, attempt)
    if (settlement.succeeded) {
      const event = await this.#rows.change(row, {
        at: now,
        type: 'succeeded',
        data: {
          ...(attempt?.failure ? { attempt: ended.number } : {}),
          ...ended.about,
          ...withoutSecrets(settlement.answered ?? {}),
        },
        set: `${ENDS}, state = 'succeeded', ended_at = $1, result = $10, result_cut = $11`,
        values: [
          ...ended.values,
          settlement.result === undefined ? null : JSON.stringify(settlement.result),
          settlement.resultCut ? 1 : 0,
        ],
      })
      return { settled: true, event, state: 'succeeded' }
    }
    const verdict = row.cancel_requested === 1 ? CANCELLED_WHILE_RUNNING : withoutSecrets(settlement.verdict)
    return this.#end(row, now, verdict, ended)
  }

  /** Hands a run back unfinished: due at once (or at `dueAt`), and nothing is counted. */
  async handBack(
    fence: Fence,
    { dueAt, mode = 'again', attempt, refusal, reason }: HandBack = {},
  ): Promise<Settled> {
    const row = await this.#rows.running(fence)
    if (!('attempts' in row)) return row
    const now = this.#time.now()
    const ended = await this.#ended(row, now, attempt)
    if (row.cancel_requested === 1) return this.#end(row, now, CANCELLED_WHILE_RUNNING, ended)
    const said = reason === undefined ? undefined : withoutSecrets(reason)
    const at = dueAt ?? now
    const event = await this.#rows.change(row, {
      at: now,
      type: 'handed_back',
      data: {
        ...(attempt ? { attempt: ended.number } : {}),
        ...ended.about,
        ...(refusal === undefined ? {} : { refusal }),
        ...(said === undefined ? {} : { reason: said }),
      },
      set: `${ENDS}, state = 'scheduled', due_at = $10, waiting = 'hand_back', mode = $11, reason = $12`,
      values: [...ended.values, at, mode, said ?? null],
    })
    return { settled: true, event, state: 'scheduled', dueAt: at }
  }

  /** Writes the last attempt of a run, and computes how long the run took and what it cost. */
  async #ended(row: OperationRow, now: number, attempt: NewAttempt | undefined): Promise<Ended> {
    const number = attempt ? row.attempts + 1 : row.attempts
    const failure = attempt && (await this.#attempts.write(row.id, number, row.run, attempt))
    // Nearly every operation has one attempt, which needs no query.
    const spent = number > 1 ? await this.#attempts.spent(row.id, number, row.run) : attempt?.costUsd
    const about = {
      ...aboutFailure(failure),
      duration_ms: Math.max(0, now - row.since),
      ...(spent === undefined ? {} : { cost_usd: spent }),
    }
    return { number, attempt, about, values: [number, attempt?.costUsd ?? 0, attempt?.sessionId ?? null] }
  }

  async #end(row: OperationRow, now: number, verdict: EndingVerdict, ended: Ended): Promise<Settled> {
    const { type, told, state, reason, again, parkedFor, deadAs } = runEnd(verdict, now)
    const event = await this.#rows.change(row, {
      at: now,
      type,
      data: { ...(ended.attempt ? { attempt: ended.number } : {}), ...ended.about, ...told },
      set: `${ENDS}, state = $10, reason = $11, due_at = coalesce($12, due_at), waiting = coalesce($13, waiting),
        mode = coalesce($14, mode), retries = retries + $15, waits = waits + $15, snoozes = snoozes + $16,
        snoozed_ms = snoozed_ms + $17, parked_for = $18, dead_as = $19, ended_at = $20`,
      values: [
        ...ended.values,
        state,
        reason,
        again?.dueAt ?? null,
        again?.waiting ?? null,
        again?.mode ?? null,
        again?.retries ?? 0,
        again?.snoozes ?? 0,
        again?.snoozedMs ?? 0,
        parkedFor ?? null,
        deadAs ?? null,
        deadAs === undefined ? null : now,
      ],
    })
    return { settled: true, event, state, ...(again ? { dueAt: again.dueAt } : {}) }
  }
}

interface Ended {
  number: number
  attempt: NewAttempt | undefined
  about: Record<string, unknown>
  values: readonly unknown[]
}

/** A success with nothing else to record. */
function isPlain(settlement: Settlement): boolean {
  return (
    settlement.succeeded === true &&
    settlement.answered === undefined &&
    settlement.attempt?.failure === undefined &&
    settlement.attempt?.verdict === undefined &&
    settlement.attempt?.sessionId === undefined
  )
}
