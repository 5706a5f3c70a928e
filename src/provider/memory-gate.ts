import type { Failure } from '../failure/failure.ts'
import type { Time } from '../time/index.ts'
import type { HealthMark } from '../verdict/index.ts'
import type { Choice, Gate, GateRequest, Outlook, PassedOver, Permit } from './gate.ts'
import { RetryBucket } from './retry-bucket.ts'

interface Block {
  until: number
  failure: Failure
}

/** Every provider has been tried and none says more. */
const NOBODY_LEFT: Failure = {
  class: 'transient',
  kind: 'overloaded',
  effect: 'none',
  message: 'no provider is left to try',
  evidence: { rule: 'gate:nobody_left', where: 'gate', excerpt: '', lost: [] },
  fingerprint: 'fp1:0000000000000000',
}

/** The least that a pool needs, in this process alone: blocks, and a bucket against storms of retries. */
export class MemoryGate implements Gate {
  readonly #time: Time
  readonly #blocks = new Map<string, Block>()
  readonly #buckets = new Map<string, RetryBucket>()

  constructor(time: Time) {
    this.#time = time
  }

  choose({ pool, tried, again, after }: GateRequest): Choice {
    const passedOver: PassedOver[] = []
    for (const provider of again === undefined ? pool : [again]) {
      const block = this.#blockOf(provider)
      // A retry goes back to the provider it waited for, whose own failure set the block.
      if (provider === again || (!block && !tried.has(provider)))
        return { permit: this.#permit(provider), passedOver }
      passedOver.push(
        block
          ? { provider, reason: `blocked: ${block.failure.message}`, until: block.until }
          : { provider, reason: 'already failed in this call' },
      )
    }
    return { failure: this.#refusal(pool, after), ...this.#firstFree(pool), passedOver }
  }

  outlook({ pool, tried }: GateRequest): Outlook {
    const free = pool.some(provider => !tried.has(provider) && !this.#blockOf(provider))
    return { otherProviderAvailable: free, ...this.#firstFree(pool) }
  }

  mayRetry(provider: string): boolean {
    return this.#bucket(provider).take()
  }

  #permit(provider: string): Permit {
    return {
      provider,
      succeeded: () => {
        this.#bucket(provider).refund()
        this.#blocks.delete(provider)
      },
      failed: (failure: Failure, mark: HealthMark) => {
        if (mark.blockUntil === undefined) return
        const until = mark.blockUntil === 'cleared' ? Infinity : mark.blockUntil
        this.#blocks.set(provider, { until, failure })
      },
      released: () => {},
    }
  }

  #blockOf(provider: string): Block | undefined {
    const block = this.#blocks.get(provider)
    if (block && block.until <= this.#time.now()) {
      this.#blocks.delete(provider)
      return undefined
    }
    return block
  }

  #firstFree(pool: readonly string[]): { availableAt?: number } {
    const times = pool.map(provider => this.#blockOf(provider)?.until ?? this.#time.now())
    const first = Math.min(...times)
    return Number.isFinite(first) ? { availableAt: first } : {}
  }

  /** The failure of the block that ends first, else the one that sent the call here; nothing was tried now. */
  #refusal(pool: readonly string[], after: Failure | undefined): Failure {
    const blocks = pool.flatMap(provider => {
      const block = this.#blockOf(provider)
      return block ? [{ provider, ...block }] : []
    })
    if (blocks.length === 0) return after ?? NOBODY_LEFT
    const first = blocks.reduce((best, block) => (block.until < best.until ? block : best))
    const { resetAt: _resetAt, retryAfterMs: _retryAfterMs, ...failure } = first.failure
    const ends = Number.isFinite(first.until)
      ? { resetAt: first.until, retryAfterMs: first.until - this.#time.now() }
      : {}
    return {
      ...failure,
      ...ends,
      effect: 'none',
      provider: first.provider,
      evidence: { ...failure.evidence, rule: `gate:${failure.evidence.rule}` },
    }
  }

  #bucket(provider: string): RetryBucket {
    let bucket = this.#buckets.get(provider)
    if (!bucket) {
      bucket = new RetryBucket(this.#time)
      this.#buckets.set(provider, bucket)
    }
    return bucket
  }
}
