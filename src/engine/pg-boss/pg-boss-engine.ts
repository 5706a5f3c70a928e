import type { NewAttempt } from '../../ledger/attempt.ts'
import type { Appended, CancelOutcome, Changes, HandBack, Inserted, RunRecord } from '../../ledger/ledger.ts'
import type { Fence, NewOperation } from '../../ledger/operation.ts'
import type { Parking, Unparking } from '../../ledger/parking.ts'
import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import type { PostgresTransaction } from '../../ledger/postgres/postgres-transaction.ts'
import type { Rejudged, Rejudgement } from '../../ledger/rejudgement.ts'
import { numberOf, toId } from '../../ledger/row/rows.ts'
import type { Settled, Settlement } from '../../ledger/settlement.ts'
import type { Time } from '../../time/time.ts'
import {
  type Begun,
  type BlockReason,
  type ClaimRequest,
  type Claims,
  type Engine,
  type Interrupted,
  LEASE_DEFAULT_MS,
  type Maintained,
  type MaintainOptions,
  type Pausable,
  type Pauses,
  type Renewal,
} from '../engine.ts'
import { WakeTimer } from '../wake-timer.ts'
import { Claimer } from './claim.ts'
import { Closures } from './closures.ts'
import { checkHolds, freeHeldForNothing } from './hold-check.ts'
import { checkJobs } from './job-check.ts'
import { repairJobs } from './job-repair.ts'
import { Jobs } from './jobs.ts'
import { Leases } from './leases.ts'
import { Maintenance } from './maintenance.ts'
import { takeRepairTurn } from './repair-turn.ts'
import { Settling } from './settling.ts'
import { unrecordedHolds } from './unrecorded-holds.ts'

/** What the engine needs. */
export interface PgBossEngineOptions {
  /** Its database also holds pg-boss's tables, in a separate schema, as well as provider access and pauses. */
  ledger: PostgresLedger
}

/** Name of the setting that records a wake, so that other processes notice it. */
const WAKE = 'engine.wake'
/** Most operations that a bulk change moves in one transaction. */
const STEP = 200

/**
 * An engine on PostgreSQL. pg-boss has one job for each pending run, sent and removed in the transaction that changes the
 * operation's row. The next operation comes from the ledger's own index, with FOR UPDATE SKIP LOCKED, because pg-boss cannot
 * order by time, apply limits across queues, or skip one provider: see docs/decisions.md.
 */
export class PgBossEngine implements Engine {
  readonly #ledger: PostgresLedger
  readonly #time: Time
  readonly #jobs: Jobs
  readonly #claimer: Claimer
  readonly #closures: Closures
  readonly #settling: Settling
  readonly #maintenance: Maintenance
  readonly #wakeTimer: WakeTimer

  constructor({ ledger }: PgBossEngineOptions) {
    this.#ledger = ledger
    this.#time = ledger.time
    this.#jobs = new Jobs(ledger)
    this.#claimer = new Claimer(ledger, new Leases(ledger.time))
    this.#closures = new Closures(ledger, this.#claimer)
    this.#settling = new Settling(ledger)
    this.#maintenance = new Maintenance(ledger)
    this.#wakeTimer = new WakeTimer(ledger)
    ledger.keepInStep(
      (sql, touched) => this.#jobs.keep(sql, touched),
      async sql => [...(await checkJobs(sql, this.#jobs.schema)), ...(await checkHolds(sql))],
    )
  }

  /** Creates pg-boss's tables if missing. Every method does so when it needs them. */
  async open(): Promise<void> {
    await this.#jobs.open()
  }

  async schedule(operations: readonly NewOperation[]): Promise<readonly Inserted[]> {
    const inserted = await this.#ledger.transaction(writes => writes.insert(operations))
    for (const { created, dueAt } of inserted) if (created) this.#wakeTimer.at(dueAt)
    return inserted
  }

  begin(
    operation: NewOperation,
    { runner, leaseMs = LEASE_DEFAULT_MS }: { runner: string; leaseMs?: number },
  ): Promise<Begun> {
    return this.#ledger.transaction(async (writes): Promise<Begun> => {
      const [inserted] = (await writes.insert([operation])) as [Inserted]
      const { id, created } = inserted
      const started = created ? await writes.start(id, undefined, { runner, lengthMs: leaseMs }) : undefined
      if (!started) return { existing: id }
      return { claimed: { operation: started.operation, fence: { id, run: started.operation.run }, leaseMs } }
    })
  }

  async claim(request: ClaimRequest): Promise<Claims> {
    const claims = await this.#claimer.claim(request)
    if (claims.nextAt !== undefined) this.#wakeTimer.at(claims.nextAt)
    return claims
  }

  async renew(fences: readonly Fence[]): Promise<readonly Renewal[]> {
    if (fences.length === 0) return []
    const rows = await this.#ledger.read(sql =>
      sql.rows<{ id: number; run: number; cancel_requested: number }>(
        // Locked in the order of ids, as in every bulk change, so that they never deadlock.
        `WITH locked AS (SELECT o.id FROM unnest($1::bigint[], $2::int[]) AS g(id, run) JOIN operations o
           ON o.id = g.id AND o.run = g.run AND o.state = 'running' ORDER BY o.id FOR UPDATE OF o)
         UPDATE operations o SET lease_until = $3 + coalesce(o.lease_ms, ${LEASE_DEFAULT_MS}), renewals = coalesce(o.renewals, 0) + 1
         FROM locked l WHERE o.id = l.id RETURNING o.id, o.run, o.cancel_requested`,
        [...columnsOf(fences), this.#time.now()],
      ),
    )
    const held = new Map(rows.map(row => [row.id, row]))
    return fences.map(({ id, run }): Renewal => {
      const row = held.get(numberOf(id) ?? 0)
      if (row?.run !== run) return { id, run, held: false }
      return { id, run, held: true, cancelRequested: row.cancel_requested === 1 }
    })
  }

  async interrupted(fences: readonly Fence[]): Promise<readonly Interrupted[]> {
    if (fences.length === 0) return []
    const rows = await this.#ledger.read(sql =>
      sql.rows<{ id: number; run: number; cancel_requested: number }>(
        // One that has ended under this run's number was ended by it, and is not disturbed: its runner is about to hear so.
        `SELECT o.id, o.run, o.cancel_requested FROM unnest($1::bigint[], $2::int[]) AS g(id, run) JOIN operations o
          ON o.id = g.id AND o.run = g.run`,
        columnsOf(fences),
      ),
    )
    const cancels = new Map(rows.map(row => [toId(row.id), row.cancel_requested === 1]))
    return fences.flatMap(({ id, run }): Interrupted[] => {
      const isCancelled = cancels.get(id)
      if (isCancelled === undefined) return [{ id, run, by: 'lost' }]
      return isCancelled ? [{ id, run, by: 'cancel' }] : []
    })
  }

  append(fence: Fence, attempt: NewAttempt, options?: { lostRunner?: boolean }): Promise<Appended> {
    return this.#ledger.transaction(writes => writes.append(fence, attempt, options))
  }

  record(fence: Fence, record: RunRecord): Promise<boolean> {
    return this.#ledger.transaction(writes => writes.record(fence, record))
  }

  async release(fence: Fence, options?: HandBack): Promise<Settled> {
    return this.#ended(await this.#ledger.transaction(writes => writes.handBack(fence, options)))
  }

  async settle(fence: Fence, settlement: Settlement): Promise<Settled> {
    return this.#ended(await this.#settling.settle(fence, settlement))
  }

  async cancel(ids: readonly string[], reason = 'cancelled by a person'): Promise<readonly CancelOutcome[]> {
    const outcomes = await this.#each(ids, (writes, id) => writes.cancel(id, reason))
    // Runners of this process hear of it now; those of others when they see the change.
    if (outcomes.includes('requested')) this.#wakeTimer.at(this.#time.now())
    return outcomes
  }

  async revive(ids: readonly string[], dueAt?: number): Promise<readonly boolean[]> {
    const revived = await this.#each(ids, (writes, id) => writes.revive(id, dueAt))
    this.#wakeTimer.at(dueAt ?? this.#time.now())
    return revived
  }

  async unpark(ids: readonly string[], why: Unparking): Promise<readonly boolean[]> {
    const moved = await this.#each(ids, (writes, id) => writes.unpark(id, why))
    this.#wakeTimer.at(this.#time.now())
    return moved
  }

  async rejudge(id: string, rejudgement: Rejudgement): Promise<Rejudged> {
    const rejudged = await this.#ledger.transaction(writes => writes.rejudge(id, rejudgement))
    if (rejudged?.dueAt !== undefined) this.#wakeTimer.at(rejudged.dueAt)
    return rejudged
  }

  park(ids: readonly string[], why: Parking): Promise<readonly boolean[]> {
    return this.#each(ids, (writes, id) => writes.park(id, why))
  }

  async edit(id: string, changes: Changes): Promise<boolean> {
    const edited = await this.#ledger.transaction(writes => writes.edit(id, changes))
    if (changes.dueAt !== undefined) this.#wakeTimer.at(changes.dueAt)
    if (changes.providers !== undefined) this.#wakeTimer.at(this.#time.now())
    return edited
  }

  discard(ids: readonly string[]): Promise<readonly boolean[]> {
    return this.#each(ids, (writes, id) => writes.discard(id))
  }

  block(provider: string, until: number | 'cleared', why?: BlockReason): Promise<void> {
    return this.#closures.block(provider, until, why)
  }

  async unblock(provider: string): Promise<void> {
    await this.#closures.unblock(provider)
    this.#wakeTimer.at(this.#time.now())
  }

  pause(what: Pausable): Promise<void> {
    return this.#closures.pause(what)
  }

  async resume(what: Pausable): Promise<void> {
    await this.#closures.resume(what)
    this.#wakeTimer.at(this.#time.now())
  }

  pauses(): Promise<Pauses> {
    return this.#closures.pauses()
  }

  async unrecordedHolds(): Promise<Readonly<Record<string, number>>> {
    return this.#ledger.read(sql => unrecordedHolds(sql, this.#time.now()))
  }

  async maintain(options?: MaintainOptions): Promise<Maintained> {
    const tended = await this.#maintenance.run(options)
    await this.#ledger.tellOfOpenTransactions()
    const isAborted = options?.signal?.aborted ?? false
    if (!isAborted && (await this.#ledger.read(sql => takeRepairTurn(sql, this.#time.now())))) {
      await this.repairJobs(options?.signal)
      await freeHeldForNothing(this.#ledger, options?.signal)
    }
    if (tended.unparked > 0 || tended.repaired > 0) this.#wakeTimer.at(this.#time.now())
    return tended
  }

  /** Repairs pg-boss's jobs to match the ledger, for example after a restored backup. Returns how many were sent or removed. */
  async repairJobs(signal?: AbortSignal): Promise<number> {
    await this.open()
    this.#jobs.forgetQueues()
    return repairJobs(this.#ledger.database, this.#jobs, signal)
  }

  async wake(): Promise<void> {
    await this.#ledger.setSetting(WAKE, this.#time.now())
    this.#wakeTimer.at(this.#time.now())
  }

  onWork(listener: () => void): () => void {
    return this.#wakeTimer.listen(listener)
  }

  async close(): Promise<void> {
    this.#wakeTimer.close()
    await this.#jobs.close()
  }

  #ended(settled: Settled): Settled {
    if (settled.settled && settled.dueAt !== undefined) this.#wakeTimer.at(settled.dueAt)
    return settled
  }

  /** Changes many single operations, in short transactions. */
  async #each<T>(
    ids: readonly string[],
    change: (writes: PostgresTransaction, id: string) => Promise<T>,
  ): Promise<T[]> {
    const results: T[] = []
    for (let from = 0; from < ids.length; from += STEP) {
      const step = ids.slice(from, from + STEP)
      results.push(
        ...(await this.#ledger.transaction(async writes => {
          const changed: T[] = []
          for (const id of step) changed.push(await change(writes, id))
          return changed
        })),
      )
    }
    return results
  }
}

function columnsOf(fences: readonly Fence[]): [number[], number[]] {
  return [fences.map(({ id }) => numberOf(id) ?? 0), fences.map(({ run }) => run)]
}
