import { classify } from '../failure/classify.ts'
import type { ClassifyContext } from '../failure/context.ts'
import type { Failure } from '../failure/failure.ts'
import { present } from '../failure/present.ts'
import { checkNames, namesOf } from '../option/check-names.ts'
import type { Time } from '../time/time.ts'
import type { SelfRetry } from './run-progress.ts'

/** A CLI that keeps retrying on its own instead of reporting the failure. */
export interface SelfRetrying {
  provider: string
  /** Consecutive retry notices, without any work between them. */
  count: number
  /** Milliseconds since the first of them. */
  sinceMs: number
  /** How long it says it waits now, in milliseconds. */
  delayMs: number | undefined
  /** What it is waiting for, if recognised. */
  cause: Failure | null
}

/** When to end a CLI that is stuck in its own retry loop, so the policy can do better. */
export interface WatchSettings {
  /** Consecutive notices that are tolerated. Default 2. */
  maxSelfRetries?: number
  /** Longest time in such a loop, announced or measured, in milliseconds. Default 60 s. */
  maxSelfWaitMs?: number
  /** Decides in place of the two above: true ends the run. */
  shouldEnd?: (retrying: SelfRetrying) => boolean
}

export const MAX_SELF_RETRIES_DEFAULT = 2
export const MAX_SELF_WAIT_DEFAULT_MS = 60_000

const NAMES = namesOf<WatchSettings>({ maxSelfRetries: true, maxSelfWaitMs: true, shouldEnd: true })

/** Throws `WrongArgument` if `watch` has an unknown setting. */
export function checkWatch(where: string, { watch = {} }: { watch?: WatchSettings }): void {
  checkNames(`${where}: watch`, watch, NAMES)
}

/** Kinds that do not pass within a minute, unless they state such a time. */
const HOPELESS = new Set(['usage_limit', 'quota', 'billing'])

/** Time that a CLI has to end by itself after its log shows that it should, in milliseconds. */
const LAST_WORDS_MS = 1_000

/** Notices a CLI that is stuck in its own retry loop. */
export class Watch {
  readonly #time: Time
  readonly #settings: WatchSettings
  readonly #provider: string
  readonly #classify: ClassifyContext
  readonly #end: (cause: Failure | null) => void
  /** Failed requests and notices since it last worked: both may tell of the same. */
  readonly #counts = { request: 0, notice: 0 }
  #since: number | undefined
  #cause: Failure | null = null
  #cancelTimer: (() => void) | undefined
  #cancelEnd: (() => void) | undefined

  constructor(details: {
    time: Time
    settings: WatchSettings
    provider: string
    /** The classifier's context: the name by which it knows the CLI, and its signatures. */
    classify: ClassifyContext
    end: (cause: Failure | null) => void
  }) {
    this.#time = details.time
    this.#settings = details.settings
    this.#provider = details.provider
    this.#classify = details.classify
    this.#end = details.end
  }

  selfRetried({ delayMs, cause, hasAnotherWay = false, by = 'notice' }: SelfRetry): void {
    this.#since ??= this.#time.monotonic()
    // What it waits for may be hours away, and it says nothing more until then.
    if (!this.#settings.shouldEnd)
      this.#cancelTimer ??= this.#time.after(this.#maxWaitMs, () => this.#end(this.#cause))
    this.#cause = this.#causeBy(by, classify(cause, { ...this.#classify, now: this.#time.now() }))
    if (hasAnotherWay) return
    this.#counts[by]++
    const retrying = {
      provider: this.#provider,
      count: this.#count,
      sinceMs: this.#time.monotonic() - this.#since,
      delayMs: delayMs ?? (by === 'request' ? this.#cause?.retryAfterMs : undefined),
      cause: this.#cause,
    }
    if (!this.#shouldEnd(retrying)) return
    if (by === 'notice') this.#end(this.#cause)
    // It may be about to give up by itself, and says more than its log then.
    else this.#cancelEnd ??= this.#time.after(LAST_WORDS_MS, () => this.#end(this.#cause))
  }

  /** A notice has words, a request in the log has headers. */
  #causeBy(by: NonNullable<SelfRetry['by']>, now: Failure | null): Failure | null {
    const before = this.#cause
    if (by === 'notice') return now && withTimesOf(now, before)
    return before && before.class === now?.class ? withTimesOf(before, now) : now
  }

  get #count(): number {
    return Math.max(this.#counts.request, this.#counts.notice)
  }

  #shouldEnd(retrying: SelfRetrying): boolean {
    try {
      return (this.#settings.shouldEnd ?? this.#isHopeless)(retrying)
    } catch {
      return this.#isHopeless(retrying)
    }
  }

  /** What it is waiting for now; null if it is not in such a loop, or the cause is not recognised. */
  get waitingOut(): Failure | null {
    return this.#count > 0 ? this.#cause : null
  }

  /** It recovered. */
  worked(): void {
    this.#counts.request = 0
    this.#counts.notice = 0
    this.#cause = null
    this.#since = undefined
    this.stop()
  }

  /** The model says something: it is not just waiting, but may still fail as before. */
  said(): void {
    this.stop()
  }

  stop(): void {
    this.#cancelEnd?.()
    this.#cancelEnd = undefined
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
  }

  get #maxWaitMs(): number {
    return this.#settings.maxSelfWaitMs ?? MAX_SELF_WAIT_DEFAULT_MS
  }

  readonly #isHopeless = ({ count, delayMs, cause }: SelfRetrying): boolean =>
    count > (this.#settings.maxSelfRetries ?? MAX_SELF_RETRIES_DEFAULT) ||
    (delayMs ?? 0) > this.#maxWaitMs ||
    cause?.class === 'permanent' ||
    (HOPELESS.has(cause?.kind ?? '') && (cause?.retryAfterMs ?? Infinity) > this.#maxWaitMs)
}

/** A failure with the stated time of another one of its class, if it has none. */
export function withTimesOf(failure: Failure, other: Failure | null): Failure {
  if (!other || other.class !== failure.class || failure.resetAt !== undefined) return failure
  const { retryAfterMs, resetAt } = other
  const { clock } = other.evidence
  // Who stated it decides how far it is believed.
  const evidence = clock === undefined ? failure.evidence : { ...failure.evidence, clock }
  return { ...failure, ...present({ retryAfterMs, resetAt }), evidence }
}
