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
import type { Rejudged, Rejudgement } from '../ledger/rejudgement.ts'
import { answerOf, type MaybePromise, type Writing } from '../ledger/writing.ts'
import type { Time } from '../time/time.ts'
import { type WakeSource, WakeTimer } from './wake-timer.ts'

/** Name of the setting that records a wake, so that other processes notice it. */
const WAKE = 'engine.wake'
/** Most operations that a bulk change moves in one transaction. */
const STEP = 200

/** What both engines do alike: they change operations in the ledger, and wake who waits for them. */
export abstract class OperationChanges {
  protected readonly time: Time
  protected readonly wakeTimer: WakeTimer
  readonly #ledger: Ledger

  constructor(ledger: Ledger & WakeSource) {
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
