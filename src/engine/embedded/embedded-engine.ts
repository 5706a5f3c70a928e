import type { StatementSync } from 'node:sqlite'
import type { NewAttempt } from '../../ledger/attempt.ts'
import { type CitizenReport, type CitizenReported, writeReport } from '../../ledger/citizen.ts'
import type { Appended, CancelOutcome, Changes, HandBack, Inserted, RunRecord } from '../../ledger/ledger.ts'
import type { Fence, NewOperation } from '../../ledger/operation.ts'
import type { Parking, Unparking } from '../../ledger/parking.ts'
import type { Rejudged, Rejudgement } from '../../ledger/rejudgement.ts'
import { numberOf } from '../../ledger/row/rows.ts'
import type { Settled, Settlement } from '../../ledger/settlement.ts'
import type { SqliteLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import type { SqliteTransaction } from '../../ledger/sqlite/sqlite-transaction.ts'
import type { Time } from '../../time/time.ts'
import { blockedEvent, pauseClaims, pauses, resumeClaims } from '../closures.ts'
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
  type Pauses,
  type Renewal,
  type StoppableClaims,
} from '../engine.ts'
import {
  blockAccess,
  blockedUntil,
  letOneThrough,
  opensByUnblock,
  servedAccess,
  unblockAccess,
} from '../provider-access.ts'
import { UNTIL_CLEARED } from '../provider-access-state.ts'
import { unrecordedHolds } from '../unrecorded-holds.ts'
import { WakeTimer } from '../wake-timer.ts'
import { Claimer } from './claim.ts'
import { Leases } from './leases.ts'
import { Maintenance } from './maintenance.ts'

/** What an embedded engine needs. */
export interface EmbeddedEngineOptions {
  /** Its file also stores the leases, provider access and pauses. */
  ledger: SqliteLedger
}

/** Name of the setting that records a wake, for other processes to notice. */
const WAKE = 'engine.wake'
/** Maximum number of operations that a bulk method changes in one transaction. */
const STEP = 200

/** An engine on the ledger's own SQLite file: claims and ledger state change in one transaction. */
export class EmbeddedEngine implements Engine {
  readonly #ledger: SqliteLedger
  readonly #time: Time
  readonly #runRow: StatementSync
  readonly #leases: Leases
  readonly #claimer: Claimer
  readonly #maintenance: Maintenance
  readonly #wakeTimer: WakeTimer

  constructor({ ledger }: EmbeddedEngineOptions) {
    this.#ledger = ledger
    this.#time = ledger.time
    const parts = ledger.read((db, answers) => {
      const leases = new Leases(db, ledger.time)
      const claimer = new Claimer(ledger, db, answers, leases)
      const runRow = db.prepare('SELECT id, state, run, cancel_requested FROM operations WHERE id = ?')
      return { runRow, leases, claimer, maintenance: new Maintenance(ledger, db, answers) }
    })
    this.#runRow = parts.runRow
    this.#leases = parts.leases
    this.#claimer = parts.claimer
    this.#maintenance = parts.maintenance
    this.#wakeTimer = new WakeTimer(ledger)
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
    return this.#ledger.transaction((writes): Begun => {
      const [inserted] = writes.insert([operation]) as [Inserted]
      const { id, created } = inserted
      const started = created ? writes.start(id) : undefined
      if (!started) return { existing: id }
      const { capability, providers, run } = started.operation
      const provider = providers.length === 1 ? (providers[0] as string) : ''
      const lease = {
        operation: numberOf(id) as number,
        run,
        runner,
        capability,
        provider,
        length_ms: leaseMs,
      }
      this.#leases.write(lease)
      return { claimed: { operation: started.operation, fence: { id, run }, leaseMs } }
    })
  }

  async claim(request: ClaimRequest): Promise<Claims> {
    const claims = await this.#claimer.claim(request)
    if (claims.nextAt !== undefined) this.#wakeTimer.at(claims.nextAt)
    return claims
  }

  renew(fences: readonly Fence[]): Promise<readonly Renewal[]> {
    return this.#ledger.transaction(() =>
      fences.map(({ id, run }): Renewal => {
        const row = this.#runOf(id)
        if (row?.state !== 'running' || row.run !== run) return { id, run, held: false }
        this.#leases.renew(row.id, run)
        return { id, run, held: true, cancelRequested: row.cancel_requested === 1 }
      }),
    )
  }

  async interrupted(fences: readonly Fence[]): Promise<readonly Interrupted[]> {
    return this.#ledger.read(() =>
      fences.flatMap(({ id, run }): Interrupted[] => {
        const row = this.#runOf(id)
        if (row?.run !== run) return [{ id, run, by: 'lost' }]
        return row.cancel_requested === 1 ? [{ id, run, by: 'cancel' }] : []
      }),
    )
  }

  append(fence: Fence, attempt: NewAttempt, options?: { lostRunner?: boolean }): Promise<Appended> {
    return this.#ledger.transaction(writes => writes.append(fence, attempt, options))
  }

  record(fence: Fence, record: RunRecord): Promise<boolean> {
    return this.#ledger.transaction(writes => writes.record(fence, record))
  }

  release(fence: Fence, options?: HandBack): Promise<Settled> {
    return this.#end(fence, writes => {
      const settled = writes.handBack(fence, options)
      if (options?.heldBy !== undefined && settled.settled) writes.hold([fence.id], options.heldBy)
      return settled
    })
  }

  report(report: CitizenReport): Promise<CitizenReported | undefined> {
    const leases = this.#leases
    return this.#ledger.transaction(function* (writes) {
      const reported = yield* writeReport(writes, report)
      // It may have been claimed to be handed back.
      if (reported) leases.end(numberOf(reported.id) as number)
      return reported
    })
  }

  settle(fence: Fence, settlement: Settlement): Promise<Settled> {
    return this.#end(fence, writes => {
      const settled = writes.settle(fence, settlement)
      const { succeeded, attempt } = settlement
      const provider = settled.settled && succeeded ? attempt?.provider : undefined
      if (attempt && provider !== undefined && this.#claimer.isOpening(provider))
        writes.answers.of(servedAccess(provider, attempt.startedAt))
      return settled
    })
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
    return this.#ledger.transaction(writes => {
      const end = until === 'cleared' ? UNTIL_CLEARED : until
      if (writes.answers.of(blockAccess(provider, end)))
        writes.tell('provider_blocked', blockedEvent(provider, until, why))
    })
  }

  async letOneThrough(provider: string): Promise<boolean> {
    return this.#ledger.transaction(writes => writes.answers.of(letOneThrough(provider)))
  }

  async unblock(provider: string): Promise<void> {
    if (this.#ledger.read((_, answers) => answers.of(opensByUnblock(provider, this.#time.now()))))
      await this.#claimer.gather(provider)
    await this.#ledger.transaction(writes => {
      if (writes.answers.of(unblockAccess(provider, this.#time.now()))) this.#claimer.freed(provider, writes)
    })
    this.#wakeTimer.at(this.#time.now())
  }

  async blocks(): Promise<ReadonlyMap<string, number | 'cleared'>> {
    return this.#ledger.read((_, answers) => answers.of(blockedUntil()))
  }

  pause(what: StoppableClaims): Promise<void> {
    return this.#ledger.transaction(writes => {
      if (writes.answers.of(pauseClaims(what))) writes.tell('paused', { ...what })
    })
  }

  async resume(what: StoppableClaims): Promise<void> {
    await this.#ledger.transaction(writes => {
      if (writes.answers.of(resumeClaims(what))) writes.tell('resumed', { ...what })
    })
    this.#wakeTimer.at(this.#time.now())
  }

  async pauses(): Promise<Pauses> {
    return this.#ledger.read((_, answers) => answers.of(pauses(this.#time.now())))
  }

  async unrecordedHolds(): Promise<Readonly<Record<string, number>>> {
    return this.#ledger.read((_, answers) => answers.of(unrecordedHolds(this.#time.now())))
  }

  async maintain(options?: MaintainOptions): Promise<Maintained> {
    const tended = await this.#maintenance.run(options)
    if (tended.unparked > 0 || tended.repaired > 0) this.#wakeTimer.at(this.#time.now())
    return tended
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
  }

  async #end(fence: Fence, write: (writes: SqliteTransaction) => Settled): Promise<Settled> {
    const settled = await this.#ledger.transaction(writes => {
      const result = write(writes)
      if (result.settled) this.#leases.end(numberOf(fence.id) as number)
      return result
    })
    if (settled.settled && settled.dueAt !== undefined) this.#wakeTimer.at(settled.dueAt)
    return settled
  }

  #runOf(id: string): RunRow | undefined {
    return this.#runRow.get(numberOf(id) ?? 0) as unknown as RunRow | undefined
  }

  /** Many changes to single operations, in short transactions. */
  async #each<T>(ids: readonly string[], change: (writes: SqliteTransaction, id: string) => T): Promise<T[]> {
    const results: T[] = []
    for (let from = 0; from < ids.length; from += STEP) {
      const step = ids.slice(from, from + STEP)
      results.push(...(await this.#ledger.transaction(writes => step.map(id => change(writes, id)))))
    }
    return results
  }
}

interface RunRow {
  id: number
  state: string
  run: number
  cancel_requested: number
}
