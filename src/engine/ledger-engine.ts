import type { NewAttempt } from '../ledger/attempt.ts'
import type {
  Appended,
  CancelOutcome,
  Changes,
  Inserted,
  Ledger,
  LedgerTransaction,
  RunRecord,
} from '../ledger/ledger.ts'
import type { Fence, NewOperation } from '../ledger/operation.ts'
import type { Parking, Unparking } from '../ledger/parking.ts'
import { blockedUntil, letOneThrough, unblockAccess } from '../ledger/record/provider-access.ts'
import type { Records } from '../ledger/record/records.ts'
import type { Rejudged, Rejudgement } from '../ledger/rejudgement.ts'
import type { Settled } from '../ledger/settlement.ts'
import { answerOf, type MaybePromise, type Writing } from '../ledger/writing.ts'
import type { Time } from '../time/time.ts'
import { block, pauseClaims, pauses, resumeClaims } from './closures.ts'
import type {
  BlockReason,
  ClaimRequest,
  Claims,
  Maintained,
  MaintainOptions,
  Pauses,
  StoppableClaims,
} from './engine.ts'
import { maintain } from './maintenance.ts'
import { type WakeSource, WakeTimer } from './wake-timer.ts'

/** Name of the setting that records a wake, so that other processes notice it. */
const WAKE = 'engine.wake'
/** Most operations that a bulk change moves in one transaction. */
const STEP = 200

/** A ledger that an engine can stand on: it answers the engine's own questions too. */
export type EngineLedger = Ledger & WakeSource & Pick<Records, 'ask' | 'write'>

/** What engines do alike on both databases. They differ in how they lease runs, look for due work and look for clocks that went back. */
export abstract class LedgerEngine {
  protected readonly time: Time
  protected readonly wakeTimer: WakeTimer
  readonly #ledger: EngineLedger

  constructor(ledger: EngineLedger) {
    this.#ledger = ledger
    this.time = ledger.time
    this.wakeTimer = new WakeTimer(ledger)
  }

  async schedule(operations: readonly NewOperation[]): Promise<readonly Inserted[]> {
    const inserted = await this.#ledger.transaction(writes => writes.insert(operations))
    for (const { created, dueAt } of inserted) if (created) this.wakeTimer.at(dueAt)
    return inserted
  }

  append(fence: Fence, attempt: NewAttempt, options?: { lostRunner?: boolean }): Promise<Appended> {
    return this.#ledger.transaction(writes => writes.append(fence, attempt, options))
  }

  record(fence: Fence, record: RunRecord): Promise<boolean> {
    return this.#ledger.transaction(writes => writes.record(fence, record))
  }

  async cancel(ids: readonly string[], reason = 'cancelled by a person'): Promise<readonly CancelOutcome[]> {
    const outcomes = await this.#each(ids, (writes, id) => writes.cancel(id, reason))
    // Runners of this process hear of it now; those of others when they see the change.
    if (outcomes.includes('requested')) this.wakeTimer.at(this.time.now())
    return outcomes
  }

  async revive(ids: readonly string[], dueAt?: number): Promise<readonly boolean[]> {
    const revived = await this.#each(ids, (writes, id) => writes.revive(id, dueAt))
    this.wakeTimer.at(dueAt ?? this.time.now())
    return revived
  }

  async unpark(ids: readonly string[], why: Unparking): Promise<readonly boolean[]> {
    const moved = await this.#each(ids, (writes, id) => writes.unpark(id, why))
    this.wakeTimer.at(this.time.now())
    return moved
  }

  async rejudge(id: string, rejudgement: Rejudgement): Promise<Rejudged> {
    const rejudged = await this.#ledger.transaction(writes => writes.rejudge(id, rejudgement))
    if (rejudged?.dueAt !== undefined) this.wakeTimer.at(rejudged.dueAt)
    return rejudged
  }

  park(ids: readonly string[], why: Parking): Promise<readonly boolean[]> {
    return this.#each(ids, (writes, id) => writes.park(id, why))
  }

  async edit(id: string, changes: Changes, { revive = false } = {}): Promise<boolean> {
    const edited = await this.#ledger.transaction(function* (writes): Writing<boolean> {
      if (revive) yield* answerOf(writes.revive(id, changes.dueAt))
      return yield* answerOf(writes.edit(id, changes))
    })
    if (changes.dueAt !== undefined) this.wakeTimer.at(changes.dueAt)
    if (changes.providers !== undefined || revive) this.wakeTimer.at(this.time.now())
    return edited
  }

  discard(ids: readonly string[]): Promise<readonly boolean[]> {
    return this.#each(ids, (writes, id) => writes.discard(id))
  }

  async claim(request: ClaimRequest): Promise<Claims> {
    const claims = await this.take(request)
    if (claims.nextAt !== undefined) this.wakeTimer.at(claims.nextAt)
    return claims
  }

  /** Claims due work and lost runs. */
  protected abstract take(request: ClaimRequest): Promise<Claims>

  /** A run has ended, or could not: wakes who waits for its operation. */
  protected ended(settled: Settled): Settled {
    if (settled.settled && settled.dueAt !== undefined) this.wakeTimer.at(settled.dueAt)
    return settled
  }

  block(provider: string, until: number | 'cleared', why?: BlockReason): Promise<void> {
    return this.#ledger.write(() => block(provider, until, why, this.time.now()))
  }

  letOneThrough(provider: string): Promise<boolean> {
    return this.#ledger.write(() => letOneThrough(provider))
  }

  async unblock(provider: string): Promise<void> {
    await this.#ledger.write(() => unblockAccess(provider, this.time.now()))
    this.wakeTimer.at(this.time.now())
  }

  blocks(): Promise<ReadonlyMap<string, number | 'cleared'>> {
    return this.#ledger.ask(blockedUntil)
  }

  pause(what: StoppableClaims): Promise<void> {
    return this.#ledger.write(() => pauseClaims(what, this.time.now()))
  }

  async resume(what: StoppableClaims): Promise<void> {
    await this.#ledger.write(() => resumeClaims(what, this.time.now()))
    this.wakeTimer.at(this.time.now())
  }

  pauses(): Promise<Pauses> {
    return this.#ledger.ask(() => pauses(this.time.now()))
  }

  async maintain(options: MaintainOptions = {}): Promise<Maintained> {
    const repaired = await this.repairClock(options.signal)
    const tended = await maintain(this.#ledger, options)
    if (tended.unparked > 0 || repaired > 0) this.wakeTimer.at(this.time.now())
    return { ...tended, repaired }
  }

  /** Repairs due times after the wall clock was ahead and went back. Returns how many. */
  protected abstract repairClock(signal: AbortSignal | undefined): Promise<number>

  async wake(): Promise<void> {
    await this.#ledger.setSetting(WAKE, this.time.now())
    this.wakeTimer.at(this.time.now())
  }

  onWork(listener: () => void): () => void {
    return this.wakeTimer.listen(listener)
  }

  async close(): Promise<void> {
    this.wakeTimer.close()
  }

  /** Changes many single operations, in short transactions. */
  async #each<T>(
    ids: readonly string[],
    change: (writes: LedgerTransaction, id: string) => MaybePromise<T>,
  ): Promise<T[]> {
    const results: T[] = []
    for (let from = 0; from < ids.length; from += STEP) {
      const step = ids.slice(from, from + STEP)
      results.push(
        ...(await this.#ledger.transaction(function* (writes): Writing<T[]> {
          const changed: T[] = []
          for (const id of step) changed.push(yield* answerOf(change(writes, id)))
          return changed
        })),
      )
    }
    return results
  }
}
