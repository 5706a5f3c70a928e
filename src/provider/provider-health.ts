import type { Failure } from '../failure/failure.ts'
import type { HealthMark } from '../verdict/index.ts'
import { credentialHash } from './block.ts'
import { BlockCell } from './block-cell.ts'
import {
  afterFailure,
  afterSuccess,
  BREAKER_DEFAULTS,
  type BreakerRules,
  type BreakerState,
  breakerAt,
  CLOSED,
  slotAt,
  tripped,
  withoutProbe,
  withSuccesses,
} from './breaker.ts'
import { Cell } from './cell.ts'
import { keys } from './keys.ts'
import { ProbeRight } from './probe-right.ts'
import type { QuotaHealth } from './quota-health.ts'
import {
  type Refusal,
  refusedByBlock,
  refusedByBreaker,
  refusedByCrowd,
  refusedByPause,
  refusedByProbe,
} from './refusal.ts'
import { RetryBucket } from './retry-bucket.ts'
import type { ProviderSettings } from './settings.ts'
import type { Surroundings } from './surroundings.ts'

/** A provider that a person took out. */
export interface Pause {
  /** Epoch milliseconds. */
  at: number
  reason?: string
}

/** One provider: its breaker, its login, its pause, and how many calls it runs; its limits are those of its quota. */
export class ProviderHealth {
  readonly settings: ProviderSettings
  readonly quota: QuotaHealth
  readonly rules: BreakerRules
  readonly breaker: Cell<BreakerState>
  readonly pause: Cell<Pause>
  readonly login: BlockCell
  readonly bucket: RetryBucket
  readonly probeRight: ProbeRight
  /** Calls that hold a permit. */
  running = 0
  /** Who serves in its place, since it did not admit. */
  servedBy: string | undefined
  /** Its own probe could not be made, for a fault of our set-up: then calls find out. */
  isProbeBroken = false
  /** Successes that no write has counted yet, and the part of the breaker's window they belong to. */
  #successes = 0
  #slot = 0
  #lastFailure: Failure | undefined
  readonly #surroundings: Surroundings

  constructor(settings: ProviderSettings, quota: QuotaHealth, surroundings: Surroundings) {
    const { id } = settings
    const { time, store, problem, emit } = surroundings
    this.settings = settings
    this.quota = quota
    this.#surroundings = surroundings
    this.rules = { ...BREAKER_DEFAULTS, ...settings.breaker }
    this.bucket = new RetryBucket(time, settings.retryBucket)
    this.login = new BlockCell(keys.credentialBlock(id), { provider: id }, surroundings)
    this.breaker = new Cell(keys.breaker(id), store, (before, after) => this.#tell(before, after), problem)
    this.probeRight = new ProbeRight(this.breaker, surroundings)
    this.pause = new Cell(
      keys.pause(id),
      store,
      (before, after) => {
        if (after && !before)
          emit({
            type: 'paused',
            provider: id,
            ...(after.reason === undefined ? {} : { reason: after.reason }),
          })
        else if (before && !after) emit({ type: 'resumed', provider: id })
      },
      problem,
    )
  }

  get id(): string {
    return this.settings.id
  }

  /**
   * Why it does not admit a call now; `probe` if it admits only the one call that holds the probe.
   * @param own the failure whose own block does not hold up the retry that it was set for
   */
  refusal(model: string | undefined, now: number, own?: Failure): Refusal | 'probe' | undefined {
    const { id, maxConcurrent = Infinity } = this.settings
    const pause = this.pause.value
    if (pause) return refusedByPause(id, pause.reason)
    const refusal = this.#refusedByLogin(now) ?? this.quota.refusal(id, model, now, own)
    if (refusal) return refusal
    const byBreaker = this.#refusedByBreaker(now)
    if (byBreaker !== undefined && byBreaker !== 'probe') return byBreaker
    return this.running >= maxConcurrent ? refusedByCrowd(id, this.running, now) : byBreaker
  }

  /** Whether its own probe, rather than a call, finds out whether it is back. */
  get hasProbe(): boolean {
    return this.settings.probe !== undefined && !this.isProbeBroken
  }

  breakerAt(now: number): BreakerState {
    return breakerAt(this.breaker.value ?? CLOSED, now)
  }

  /** A call succeeded that began then. One on a healthy provider writes nothing and asks no clock. */
  succeeded(startedAt: number, probeId: string | undefined): void {
    this.bucket.refund()
    if (probeId !== undefined) this.probeRight.ended(probeId)
    const state = this.breaker.value
    if (state === undefined || (state.state === 'closed' && state.failures === 0)) this.#count(startedAt)
    else if (state.state === 'closed' || probeId !== undefined) this.#recover(probeId)
  }

  failed(failure: Failure, mark: HealthMark, now: number, probeId: string | undefined): void {
    if (probeId !== undefined) this.probeRight.ended(probeId)
    this.#block(failure, mark, now)
    const { breaker } = mark
    if (breaker === 'none') {
      if (probeId !== undefined) this.#change(present => withoutProbe(present, probeId))
      return
    }
    this.#lastFailure = failure
    const [successes, slot] = [this.#successes, this.#slot]
    this.#successes = 0
    this.#change(present => {
      const counted = withSuccesses(present, slot, this.rules, successes)
      const isProbe = holds(present, probeId)
      return breaker === 'trip'
        ? tripped(counted, now, this.rules, isProbe)
        : afterFailure(counted, now, this.rules, breaker === 'half' ? 0.5 : 1, isProbe)
    })
  }

  released(probeId: string | undefined): void {
    if (probeId === undefined) return
    this.probeRight.ended(probeId)
    this.#change(present => withoutProbe(present, probeId))
  }

  /** A probe was answered: it can serve, and whatever waited to be cleared is. */
  answered(now: number, probeId: string | undefined): void {
    this.succeeded(now, probeId)
    this.login.clearOpenEnded('probe')
    this.quota.answered()
  }

  /** Closes the breaker and ends every block; what was spent stays. */
  reset(): void {
    this.breaker.update(present => present && undefined)
    this.login.clear('reset')
    this.quota.clear()
    this.#successes = 0
  }

  *cells(): Iterable<Cell<never>> {
    for (const cell of [this.breaker, this.pause, this.login.cell]) yield cell as unknown as Cell<never>
  }

  #change(change: (state: BreakerState) => BreakerState): void {
    this.breaker.update(present => {
      const before = present ?? CLOSED
      const after = change(before)
      return after === before ? present : after
    })
  }

  /** Apart from {@link succeeded}, because a closure in there would be paid for by every success. */
  #recover(probeId: string | undefined): void {
    const now = this.#surroundings.time.now()
    this.#change(present => afterSuccess(present, now, this.rules, holds(present, probeId)))
  }

  #count(startedAt: number): void {
    // A long call that began before others that have ended counts with them.
    const slot = Math.max(this.#slot, slotAt(startedAt, this.rules))
    if (slot !== this.#slot && this.#successes > 0) this.#handIn()
    this.#slot = slot
    this.#successes++
  }

  /** Counts in the breaker's window what was counted beside it; apart from {@link #count} for the same reason. */
  #handIn(): void {
    const [successes, slot] = [this.#successes, this.#slot]
    this.#successes = 0
    this.#change(present => withSuccesses(present, slot, this.rules, successes))
  }

  #block(failure: Failure, { blockUntil, fillWindows }: HealthMark, now: number): void {
    if (blockUntil !== undefined) {
      if (failure.kind === 'auth' || failure.kind === 'forbidden')
        this.login.set(failure, now, blockUntil, this.#credential())
      else this.quota.block(failure, now, blockUntil)
    }
    if (fillWindows) this.quota.fill(failure, now, blockUntil)
  }

  #refusedByLogin(now: number): Refusal | undefined {
    const block = this.login.at(now)
    if (!block) return undefined
    const credential = block.credential === undefined ? undefined : this.#credential()
    // A process that does not know the credential cannot tell that it changed.
    if (credential !== undefined && credential !== block.credential) {
      this.login.clear('credential')
      return undefined
    }
    return refusedByBlock(this.id, block, now)
  }

  #refusedByBreaker(now: number): Refusal | 'probe' | undefined {
    const state = this.breaker.value
    if (state === undefined || state.state === 'closed') return undefined
    const current = breakerAt(state, now)
    if (current.state === 'open') {
      // The clock was set back: everybody has to see the new times, or it would move with every look.
      if (current !== state)
        this.breaker.update(present => (present?.state === 'open' ? breakerAt(present, now) : present))
      return refusedByBreaker(this.id, current.until, now)
    }
    if (current.state === 'closed') return undefined
    return this.probeRight.isFree(current) ? 'probe' : refusedByProbe(this.id, now)
  }

  #credential(): string | undefined {
    const { credential } = this.settings
    try {
      const value = typeof credential === 'function' ? credential() : credential
      return value === undefined ? undefined : credentialHash(value)
    } catch {
      // One that cannot be read now is not known, and the call itself will say why.
      return undefined
    }
  }

  #tell(before: BreakerState | undefined, after: BreakerState | undefined): void {
    const { emit } = this.#surroundings
    const to = after?.state ?? 'closed'
    if (to === (before?.state ?? 'closed')) return
    if (after?.state === 'open') {
      const failure = this.#lastFailure
      emit({
        type: 'breaker.opened',
        provider: this.id,
        until: after.until,
        ...(failure === undefined ? {} : { failure }),
      })
    } else emit({ type: to === 'closed' ? 'breaker.closed' : 'breaker.half_open', provider: this.id })
  }
}

function holds(state: BreakerState, probeId: string | undefined): boolean {
  return probeId !== undefined && state.state === 'half_open' && state.probe?.id === probeId
}
