import type { ClassifyContext } from '../failure/context.ts'
import type { Failure } from '../failure/failure.ts'
import type { Permit } from '../provider/gate.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { Attempt } from './attempt/attempt.ts'
import { stopped, thrown } from './attempt/failure.ts'
import type { Judge } from './attempt/judge.ts'
import { timeoutError } from './attempt/outcome.ts'
import type { AttemptLog } from './attempt-log.ts'
import type { Budget } from './budget.ts'
import type { CallEvents, Progress } from './call-events.ts'
import { CallFailed } from './call-failed.ts'
import type { CallResult } from './call-result.ts'

/** The one place where the result or the error of a call is made, and told. */
export class Ending {
  readonly #log: AttemptLog
  readonly #budget: Budget
  readonly #judge: Judge
  readonly #events: CallEvents | undefined
  readonly #context: () => ClassifyContext

  /** @param context for the classifier, as things stand when it is asked */
  constructor(
    log: AttemptLog,
    budget: Budget,
    judge: Judge,
    events: CallEvents | undefined,
    context: () => ClassifyContext,
  ) {
    this.#log = log
    this.#budget = budget
    this.#judge = judge
    this.#events = events
    this.#context = context
  }

  /** @param durationMs since the call began */
  succeeded<T>(value: T, provider: string | undefined, durationMs: number): CallResult<T> {
    const { costUsd } = this.#budget
    const attempts = this.#log.list
    this.#events?.settled({ attempts: attempts.length, provider, durationMs, costUsd })
    return provider === undefined ? { value, attempts, costUsd } : { value, attempts, provider, costUsd }
  }

  failed(failure: Failure, verdict: Verdict, cause: unknown): CallFailed {
    const error = this.error(failure, verdict, cause)
    this.#events?.settledWith(error, this.#progress())
    return error
  }

  /** The error alone: of a call that has settled, and whose stream failed. */
  error(failure: Failure, verdict: Verdict, cause: unknown): CallFailed {
    const { costUsd } = this.#budget
    return new CallFailed({ failure, verdict, attempts: this.#log.list, costUsd }, cause)
  }

  /** Stopped between two tries, or before the first: what was done is what the tries before it did. */
  stopped(cause: unknown, own: NonNullable<ClassifyContext['own']>): CallFailed {
    const sessionId = this.#log.last?.failure?.sessionId
    const failure: Failure = {
      ...stopped(cause, this.#context(), own),
      effect: this.#log.effect,
      ...(sessionId === undefined ? {} : { sessionId }),
    }
    return this.failed(failure, this.#judge.verdict(failure), cause)
  }

  aborted(signal: AbortSignal): CallFailed {
    return this.stopped(signal.reason, { aborted: true })
  }

  outOfTime(): CallFailed {
    return this.stopped(timeoutError(this.#budget.elapsedMs), { timedOut: true })
  }

  /** Without health there is no provider to ask; what the gate threw is classified so that the reader knows why. */
  gateFailed(cause: unknown): CallFailed {
    const reason = 'the health of the providers could not be asked'
    const verdict: Verdict = { action: 'cancel', as: 'refused', reason, rule: 'call:gate' }
    return this.failed(thrown(cause, this.#context()), verdict, cause)
  }

  /** Nothing failed: the provider is left as it was, and the error goes on untouched. */
  passedThrough(error: unknown, attempt: Attempt, permit: Permit | undefined): unknown {
    permit?.released(attempt)
    this.#events?.passedThrough(error, this.#progress())
    return error
  }

  #progress(): Progress {
    const { elapsedMs: durationMs, costUsd } = this.#budget
    const { list, last } = this.#log
    return { attempts: list.length, provider: last?.provider, durationMs, costUsd }
  }
}
