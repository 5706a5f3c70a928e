import type { Failure } from '../failure/failure.ts'
import { blocking } from './block.ts'
import type { Cell } from './cell.ts'
import type { CellMaker } from './cell-maker.ts'
import { YIELD_MS } from './down-line.ts'
import type { BlockScope } from './event.ts'
import {
  ADMITTED_MS,
  afterAdmitted,
  afterRefusal,
  nextTurnAt,
  type Pace,
  paceAt,
  type Refused,
  withoutTurn,
  withTurn,
} from './pace.ts'
import { type Refusal, refusedByPace, refusedByTime } from './refusal.ts'

const FEW_ANSWERS = 10
const FEW_SAY_MS = 1_000

/** The pace of one scope, as all processes see it, and the calls of this one that are not admitted yet. */
export class PaceCell {
  readonly cell: Cell<Pace>
  readonly #cells: CellMaker
  /** When each was sent, in epoch milliseconds, the first first. */
  readonly #out = new Map<string, { at: number; cancel: () => void }>()

  /** How long the quickest answer took since the limit was met, in milliseconds. */
  #quickestMs = 0
  #answers = 0

  constructor(key: string, scope: BlockScope, cells: CellMaker) {
    this.#cells = cells
    this.cell = cells.make<Pace>(key, (before, after) => {
      if (after && after.at !== before?.at)
        cells.emit({ type: 'paced', scope, until: after.until, failure: after.failure })
    })
  }

  at(now: number): Pace | undefined {
    const pace = this.cell.value
    if (!pace) return undefined
    const current = paceAt(pace, now)
    if (!current) this.cell.update(present => present && paceAt(present, now))
    return current
  }

  /** Whether the rate is known that it takes. */
  hasRate(now: number): boolean {
    return this.at(now)?.rate !== undefined
  }

  /** Whether it refused calls lately, and neither said until when nor is the rate known that it takes. */
  isUnknown(now: number): boolean {
    const pace = this.at(now)
    if (pace === undefined || pace.isChance) return false
    return pace.rate === undefined && pace.failure.resetAt === undefined
  }

  /**
   * Refuses while it is not the next call's turn, and a call that cannot end in time: its turn serves another.
   * @param own the failure that a retry follows
   * @param left what is left of the call's time, in milliseconds, and of its tries
   */
  refusal(
    provider: string,
    now: number,
    own: Failure | undefined,
    { remainingMs, triesLeft }: { remainingMs: number; triesLeft: number },
  ): Refusal | undefined {
    const pace = this.at(now)
    if (!pace) return undefined
    if (remainingMs < this.#leastMs) return refusedByTime(provider, pace, this.#quickestMs, now)
    const turnAt = nextTurnAt(
      pace,
      now,
      [...this.#out.values()].map(({ at }) => at),
      own?.resetAt !== undefined && own.fingerprint === pace.failure.fingerprint,
    )
    // Whoever goes first may be refused: rather one that would not fail for good with it.
    const { resetAt, retryAfterMs } = pace.failure
    const isLast = triesLeft <= 1 && pace.room <= 1 && (resetAt ?? retryAfterMs) === undefined
    const until = isLast ? Math.max(turnAt, pace.until + YIELD_MS) : turnAt
    return until > now ? refusedByPace(provider, pace, until, now) : undefined
  }

  /** @param onAdmitted called if the call is not refused for a while: then the next one may go */
  began(id: string, now: number, onAdmitted: () => void): void {
    if (!this.at(now)) return
    const cancel = this.#cells.time.after(ADMITTED_MS, () => {
      this.#forget(id)
      onAdmitted()
    })
    this.#out.set(id, { at: now, cancel })
    this.cell.update(present => present && withTurn(present, id, now))
  }

  /** The call was served, or its answer has begun. */
  admitted(id: string | undefined, startedAt: number, isWaitedFor: boolean): void {
    this.#end(id)
    if (this.cell.value === undefined) return
    const now = this.#cells.time.now()
    this.cell.update(present => afterAdmitted(present, startedAt, now, isWaitedFor))
  }

  refused(refused: Refused): void {
    const kept = { ...refused, failure: blocking(refused.failure), out: this.#out.size }
    if (this.cell.value === undefined) this.#quickestMs = this.#answers = 0
    this.cell.update(present => afterRefusal(present, kept))
  }

  /** @param ms how long the answer took */
  answered(ms: number): void {
    this.#answers++
    if (this.#quickestMs === 0 || ms < this.#quickestMs) this.#quickestMs = Math.max(0, ms)
  }

  /** The call ended. */
  ended(id: string): void {
    this.#forget(id)
  }

  clear(): void {
    this.cell.update(() => undefined)
  }

  /** With less time left, a call is not sent. A few answers show little: those of a burst are slow. */
  get #leastMs(): number {
    return this.#answers < FEW_ANSWERS ? Math.min(this.#quickestMs, FEW_SAY_MS) : this.#quickestMs
  }

  #forget(id: string): void {
    this.#end(id)
    this.cell.update(present => withoutTurn(present, id))
  }

  #end(id: string | undefined): void {
    if (id === undefined) return
    this.#out.get(id)?.cancel()
    this.#out.delete(id)
  }
}
