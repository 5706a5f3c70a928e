import type { ClassifyContext } from '../failure/context.ts'
import type { Effect } from '../failure/failure.ts'
import { present } from '../failure/present.ts'
import { realTime, type Time } from '../time/time.ts'
import type { Attempt } from './attempt/attempt.ts'
import type { AttemptFailure } from './attempt/failure.ts'
import { Judge } from './attempt/judge.ts'
import { Budget } from './budget.ts'
import { CallEvents } from './call-events.ts'
import { CallCircumstances } from './circumstances.ts'
import type { CallOptions } from './options.ts'
import type { Route } from './route.ts'
import { warnOfPolicy } from './warn.ts'

/** What two calls that race for one answer share. */
export interface Race {
  budget: Budget
  /** The work of one has delivered output. */
  onCommitted(): void
}

/** What the parts of one call share. Parts that only a failure needs are created on access, because most calls succeed. */
export class CallDeps {
  readonly options: CallOptions
  readonly time: Time
  readonly budget: Budget
  /** Undefined for a call that nobody races. */
  readonly race: Race | undefined
  readonly log = new AttemptLog()
  /** Undefined if nothing listens. */
  readonly events: CallEvents | undefined
  /** Set before the first try. */
  route: Route = { providers: [] }
  #circumstances: CallCircumstances | undefined
  #judge: Judge | undefined

  constructor(options: CallOptions, race?: Race) {
    this.options = options
    this.time = options.time ?? realTime
    this.race = race
    this.budget = race?.budget ?? new Budget(this.time, options)
    this.events = CallEvents.for(options, this.time)
  }

  get circumstances(): CallCircumstances {
    this.#circumstances ??= new CallCircumstances(this.options, this.time, this.budget, this.route.failover)
    return this.#circumstances
  }

  get judge(): Judge {
    this.#judge ??= new Judge(this.circumstances)
    return this.#judge
  }

  /** What the classifier gets besides the failure, as of now. */
  context(provider?: string): ClassifyContext {
    const { classify, classifier, onPolicyProblem = warnOfPolicy } = this.options
    return {
      ...classify,
      ...(classifier
        ? {
            classifier,
            onClassifierProblem: ({ classifier: policy, problem }) =>
              onPolicyProblem({ policy, member: 'classifier', problem }),
          }
        : {}),
      now: this.time.now(),
      ofModel: true,
      ...present({ provider, model: this.modelAt(provider) }),
    }
  }

  /** The model that the call asks for at a provider. */
  modelAt(provider: string | undefined): string | undefined {
    const { models } = this.route
    return (provider === undefined ? undefined : models?.[provider]) ?? this.options.model
  }
}

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

  get last(): Attempt | undefined {
    return this.list.at(-1)
  }

  /** The effect of all attempts together. */
  get effect(): Effect {
    return this.list.every(({ failure }) => failure?.effect === 'none') ? 'none' : 'maybe'
  }
}
