import type { Effect } from '../failure/failure.ts'
import type { Cost } from '../provider/gate.ts'
import type { Attempt } from './attempt/attempt.ts'
import type { AttemptFailure } from './attempt/failure.ts'

/** The attempts of one call, in order. */
export class AttemptLog {
  list: readonly Attempt[] = []
  /** The last failure that says why the call fails: not that its time was over. */
  known: AttemptFailure | undefined

  begin(provider: string | undefined, startedAt: number): Attempt {
    const number = this.list.length + 1
    const attempt: Attempt = { number, startedAt, durationMs: 0, costUsd: null, tokens: null }
    if (provider !== undefined) attempt.provider = provider
    // Pushing to an empty list would allocate room for many; nearly every call makes one try.
    this.list = number === 1 ? [attempt] : [...this.list, attempt]
    return attempt
  }

  /** Records how long an attempt took, and what it cost. */
  note(attempt: Attempt, { costUsd, tokens }: Cost, durationMs: number): void {
    attempt.durationMs = durationMs
    attempt.costUsd = costUsd
    attempt.tokens = tokens
  }

  get last(): Attempt | undefined {
    return this.list.at(-1)
  }

  /** The effect of all attempts together. */
  get effect(): Effect {
    return this.list.every(({ failure }) => failure?.effect === 'none') ? 'none' : 'maybe'
  }
}
