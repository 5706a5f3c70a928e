import type { Failure } from '../failure/failure.ts'
import type { HealthMark } from '../verdict/policy.ts'
import { bounded, isOfCredential, isOfModel } from './block.ts'
import type { BlockCell } from './block-cell.ts'
import { BREAKER_DEFAULTS, type BreakerRules } from './breaker.ts'
import { BreakerCell } from './breaker-cell.ts'
import type { Caller } from './caller.ts'
import type { Cell, StoredCell } from './cell.ts'
import type { CellMaker } from './cell-maker.ts'
import { keys } from './keys.ts'
import { Logins } from './logins.ts'
import type { QuotaHealth } from './quota-health.ts'
import { type Refusal, refusalOfBreaker, refusedByConcurrency, refusedByPause } from './refusal.ts'
import { RetryBucket } from './retry-bucket.ts'
import type { ProviderSettings } from './settings.ts'

/** A provider that a person paused. */
export interface Pause {
  /** Epoch milliseconds. */
  at: number
  reason?: string
  /** When it ends, epoch milliseconds. Absent: when a person resumes the provider. */
  until?: number
}

/** What health depends on in a try. */
export interface Tried extends Caller {
  /** Epoch milliseconds. */
  startedAt: number
  /** Set if it was the probe of a half-open breaker. */
  probe?: { id: string; of: BreakerCell } | undefined
}

/** A provider's record, for the policy. */
export interface Standing {
  strikes: number
  credentialKnown: boolean
}

/** One provider: its breakers, logins, pause, and number of running calls. Its limits are those of its quota. */
export class ProviderHealth {
  readonly settings: ProviderSettings
  readonly quota: QuotaHealth
  readonly rules: BreakerRules
  readonly breaker: BreakerCell
  readonly pause: Cell<Pause>
  readonly logins: Logins
  readonly bucket: RetryBucket
  /** Calls that hold a permit. */
  running = 0
  /** True if its own probe could not be made because of our setup: then calls find out. */
  isProbeBroken = false
  /** The provider that serves the pools that prefer this one, since this one did not admit. */
  #standIn: string | undefined
  readonly #modelBreakers = new Map<string, BreakerCell>()
  readonly #cells: CellMaker

  constructor(settings: ProviderSettings, quota: QuotaHealth, cells: CellMaker) {
    const { id } = settings
    this.settings = settings
    this.quota = quota
    this.#cells = cells
    this.rules = { ...BREAKER_DEFAULTS, ...settings.breaker }
    this.bucket = new RetryBucket(cells.time, settings.retryBucket)
    this.logins = new Logins(id, settings.credential, cells)
    this.breaker = new BreakerCell(id, undefined, this.rules, cells)
    this.pause = cells.make(keys.pause(id), (before, after) => {
      const reason = after?.reason === undefined ? {} : { reason: after.reason }
      if (after && !before) cells.emit({ type: 'paused', provider: id, ...reason })
      else if (before && !after) cells.emit({ type: 'resumed', provider: id })
    })
  }

  get id(): string {
    return this.settings.id
  }

  /**
   * Why it does not admit a call now; a breaker if it admits only the call that holds the breaker's probe.
   * @param own the failure whose own block does not hold up the retry it was set for
   */
  refusal(caller: Caller, now: number, own?: Failure): Refusal | BreakerCell | undefined {
    const { model, tool, credential } = caller
    const { id } = this.settings
    const pause = this.pauseAt(now)
    if (pause) return refusedByPause(id, pause, now)
    const refusal =
      this.logins.refusal(credential, now) ??
      this.quota.refusal(id, caller, now, own) ??
      (tool === undefined ? undefined : this.quota.refusalOfTool(id, tool, now, own))
    if (refusal) return refusal
    const byBreaker = refusalOfBreaker(this.breaker, now) ?? this.#refusedForModel(model, now)
    if (byBreaker !== undefined && !(byBreaker instanceof BreakerCell)) return byBreaker
    return this.isFull ? refusedByConcurrency(id, this.running, now) : byBreaker
  }

  /** Whether a breaker of it is not closed. */
  get isDown(): boolean {
    for (const { cell } of this.breakers()) if (cell.value && cell.value.state !== 'closed') return true
    return false
  }

  /** Whether it runs its maximum of calls. */
  get isFull(): boolean {
    return this.running >= (this.settings.maxConcurrent ?? Infinity)
  }

  /** The pause in force; one whose time is over is none. */
  pauseAt(now: number): Pause | undefined {
    const pause = this.pause.value
    return pause && (pause.until ?? Infinity) > now ? pause : undefined
  }

  /** Whether its own probe, rather than a call, finds out if this breaker may close. A probe asks for no model. */
  hasProbeFor(breaker: BreakerCell): boolean {
    return breaker === this.breaker && this.settings.probe !== undefined && !this.isProbeBroken
  }

  /** How many times in a row it refused this way before, and whether the failed call's credential is known. */
  standing(failure: Failure, tried: Tried, now: number): Standing {
    const { credential, startedAt } = tried
    const strikes = isOfCredential(failure)
      ? this.logins.strikesBefore(failure, credential, startedAt, now)
      : this.quota.strikesBefore(failure, startedAt, now)
    return { strikes, credentialKnown: this.logins.isKnown(credential) }
  }

  /** Records a success. On a healthy provider this writes nothing and reads no clock. */
  succeeded(tried: Tried): void {
    this.bucket.refund()
    this.answering(tried)
    const { credential, startedAt } = tried
    if (this.logins.isAnyRefused) this.logins.succeeded(credential, startedAt, this.#cells.time.now())
  }

  /** Its answer has begun: it is not down. */
  answering({ model, startedAt, probe }: Tried): void {
    this.breaker.succeeded(startedAt, probeIdOf(probe, this.breaker))
    if (this.#modelBreakers.size > 0 && model !== undefined) {
      const breaker = this.#modelBreakers.get(model)
      breaker?.succeeded(startedAt, probeIdOf(probe, breaker))
    }
  }

  failed(told: Failure, wanted: HealthMark, now: number, tried: Tried): void {
    const { failure, until } = bounded(told, wanted.blockUntil, now)
    const mark = until === undefined ? wanted : { ...wanted, blockUntil: until }
    if (mark.ofTool) {
      this.quota.blockTool(failure, now, mark.blockUntil, tried.tool)
      tried.probe?.of.released(tried.probe.id)
      return
    }
    const { model, probe, startedAt } = tried
    const isOfMember = mark.ofModel === true && this.quota.blockMember(failure, now, mark.blockUntil, model)
    if (!isOfMember) this.#block(failure, mark, now, tried)
    const breaker = model !== undefined && isOfModel(failure) ? this.modelBreaker(model) : this.breaker
    if (probe && (probe.of !== breaker || mark.breaker === 'none')) probe.of.released(probe.id)
    if (mark.breaker !== 'none')
      breaker.failed(failure, mark.breaker, { startedAt, now }, probeIdOf(probe, breaker))
  }

  /** A call goes through blocks that time does not end. */
  takeTest({ model, credential }: Caller, now: number): void {
    this.logins.takeTest(credential, now)
    this.quota.takeTest(model, now)
  }

  /** Another provider serves a call that would have preferred this one. */
  replacedBy(standIn: string): void {
    this.#standIn = standIn
  }

  /** It serves a call that prefers it. Reported if another provider served before. */
  servesAgain(): void {
    if (this.#standIn === undefined) return
    const from = this.#standIn
    this.#standIn = undefined
    this.#cells.emit({ type: 'returned', provider: this.id, from })
  }

  released(probe: Tried['probe']): void {
    probe?.of.released(probe.id)
  }

  /** A probe was answered: the provider can serve, and every block that waited for that is cleared. */
  answered(now: number, probe: Tried['probe']): void {
    this.succeeded({ startedAt: now, probe })
    this.logins.answered('probe')
    this.quota.answered()
  }

  /** Closes the breakers and ends every block. Recorded spending stays. */
  reset(): void {
    for (const breaker of this.breakers()) breaker.reset()
    this.logins.clear('reset')
    this.quota.clear()
  }

  modelBreaker(model: string): BreakerCell {
    let breaker = this.#modelBreakers.get(model)
    if (!breaker) {
      breaker = new BreakerCell(this.id, model, this.rules, this.#cells)
      this.#modelBreakers.set(model, breaker)
    }
    return breaker
  }

  /** The provider's own breaker first, then those of models. */
  *breakers(): Iterable<BreakerCell> {
    yield this.breaker
    yield* this.#modelBreakers.values()
  }

  /** Every block of its logins and of its quota. */
  *blocks(): Iterable<BlockCell> {
    yield* this.logins.blocks()
    yield* this.quota.blocks.values()
  }

  *cells(): Iterable<StoredCell> {
    for (const { cell } of this.breakers()) yield cell
    yield this.pause
    yield* this.logins.cells()
  }

  #refusedForModel(model: string | undefined, now: number): Refusal | BreakerCell | undefined {
    if (model === undefined || this.#modelBreakers.size === 0) return undefined
    const breaker = this.#modelBreakers.get(model)
    return breaker && refusalOfBreaker(breaker, now)
  }

  #block(failure: Failure, { blockUntil, fillWindows, pace }: HealthMark, now: number, tried: Tried): void {
    const isForAll = !pace || blockUntil === 'cleared' || this.quota.pace(failure, now, blockUntil, tried)
    if (isOfCredential(failure)) this.logins.refused(failure, blockUntil, now, tried)
    else if (blockUntil !== undefined && isForAll) this.quota.block(failure, now, blockUntil, tried)
    if (fillWindows && isForAll) this.quota.windows.fill(failure, now, blockUntil, tried.model)
  }
}

function probeIdOf(probe: Tried['probe'], breaker: BreakerCell): string | undefined {
  return probe?.of === breaker ? probe.id : undefined
}
