import type { ClassifyContext } from '../failure/context.ts'
import { present } from '../failure/present.ts'
import { realTime, type Time } from '../time/time.ts'
import { Judge } from './attempt/judge.ts'
import { AttemptLog } from './attempt-log.ts'
import { Budget } from './budget.ts'
import { CallEvents } from './call-events.ts'
import { CallCircumstances } from './circumstances.ts'
import type { CallOptions } from './options.ts'
import type { Route } from './route.ts'
import { warnOfPolicy } from './warn.ts'

/** What the parts of one call share. Parts that only a failure needs are created on access, because most calls succeed. */
export class CallDeps {
  readonly options: CallOptions
  readonly time: Time
  readonly budget: Budget
  readonly log = new AttemptLog()
  /** Undefined if nothing listens. */
  readonly events: CallEvents | undefined
  /** Set before the first try. */
  route: Route = { providers: [] }
  #circumstances: CallCircumstances | undefined
  #judge: Judge | undefined

  constructor(options: CallOptions) {
    this.options = options
    this.time = options.time ?? realTime
    this.budget = new Budget(this.time, options)
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

  /** The classifier's context, as of now. */
  context(provider?: string): ClassifyContext {
    return classifyContextOf(this.options, this.time.now(), provider, this.modelAt(provider))
  }

  /** The model that the call asks for at a provider. */
  modelAt(provider: string | undefined): string | undefined {
    const { models } = this.route
    return (provider === undefined ? undefined : models?.[provider]) ?? this.options.model
  }
}

/** What the classifier gets besides the failure. */
function classifyContextOf(
  { classify, classifier, onPolicyProblem = warnOfPolicy }: CallOptions,
  now: number,
  provider: string | undefined,
  model: string | undefined,
): ClassifyContext {
  return {
    ...classify,
    ...(classifier
      ? {
          classifier,
          onClassifierProblem: ({ classifier: policy, problem }) =>
            onPolicyProblem({ policy, member: 'classifier', problem }),
        }
      : {}),
    now,
    ofModel: true,
    ...present({ provider, model }),
  }
}
