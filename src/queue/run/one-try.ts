import type { Outcome } from '../../call/attempt/outcome.ts'
import { type Spending, Tally, totalCost } from '../../call/attempt/tally.ts'
import { priceOf } from '../../call/price.ts'
import type { ResumeFrom, RunFacts } from '../../capability/context.ts'
import { failureOfWholeTry } from '../../capability/whole-try.ts'
import { runWork, workFailure } from '../../capability/work.ts'
import type { Interruption } from '../../engine/claim-loop.ts'
import type { ClaimedRun } from '../../engine/engine.ts'
import type { Failure } from '../../failure/failure.ts'
import { present } from '../../failure/present.ts'
import { redact } from '../../failure/redact.ts'
import { type TokenUsage, usedBy } from '../../failure/stream/usage.ts'
import type { NewAttempt } from '../../ledger/attempt.ts'
import type { Choice, Cost, Permit } from '../../provider/gate.ts'
import { isLifted } from '../../verdict/second-try.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { classifyContextOf } from '../queue-deps.ts'
import { INTERRUPTION_WORDS } from './interruption-words.ts'
import type { Run } from './run.ts'
import type { NextTry } from './run-end.ts'
import { WorkSteps } from './work-steps.ts'

type Admitted = Extract<Choice, { permit: Permit }>

/** Runs the work once, and classifies how it ended. */
export async function tryOnce(run: Run, next: NextTry, choice: Admitted | undefined): Promise<OneTry> {
  const { capability, model, mask, history } = run.subject
  const tried = new OneTry(run, next.resume, choice?.permit)
  const number = history.attempts.length + 1
  run.events?.started({ ...tried, number }, tried.remainingMs, choice?.passedOver ?? [])
  const span = run.spans?.try(run.subject, number, tried)
  tried.outcome = await (span ? span.within(() => tried.do()) : tried.do())
  if (tried.outcome.ended === 'returned') tried.answeredWith(tried.outcome.value)
  await run.recorder.written()
  const about = classifyContextOf(run.deps, capability, tried.provider, model)
  const failure = workFailure(inWords(tried.outcome), about, mask)
  if (failure) tried.spentAtLeast(failure)
  tried.failure = failure && tried.ofWhole(failure)
  span?.ended(tried)
  // A session begun here can be resumed; sessions of abandoned earlier tries cannot.
  history.session = tried.failure?.sessionId ?? tried.sessionId
  return tried
}

/** The code names an interruption with one word; people read a sentence. */
function inWords(outcome: Outcome): Outcome {
  if (outcome.ended !== 'aborted') return outcome
  const words = INTERRUPTION_WORDS[outcome.reason as Interruption]
  return words === undefined ? outcome : { ...outcome, reason: words }
}

/** One try of an operation's work: how it ended and what it cost. */
export class OneTry {
  readonly startedAt: number
  /** Undefined if the work needs no provider. */
  readonly permit: Permit | undefined
  readonly provider: string | undefined
  /** Time left for tries in this process when it began, in milliseconds; Infinity without a budget. */
  readonly remainingMs: number
  sessionId: string | undefined
  /** What it used, as far as its work or its answer says so. */
  usage: TokenUsage | undefined
  model: string | undefined
  /** Set once it has ended. */
  outcome!: Outcome
  /** Undefined if it succeeded. */
  failure: Failure | undefined
  readonly #run: Run
  readonly #resume: ResumeFrom | undefined
  /** Its last request was refused, but what it did before may have taken effect. */
  isLifted = false
  #isCommitted = false
  readonly #tally = new Tally()
  /** Made when the work first uses steps: most work has none. */
  #steps: WorkSteps | undefined

  constructor(run: Run, resume: ResumeFrom | undefined, permit: Permit | undefined) {
    this.#run = run
    this.#resume = resume
    this.startedAt = run.deps.time.now()
    this.permit = permit
    this.provider = permit?.provider
    this.remainingMs = run.inProcess?.remainingMs ?? Infinity
    this.sessionId = resume?.sessionId
  }

  get cost(): Cost {
    return this.#tally
  }

  /** What the work threw or returned, unchanged. */
  get cause(): unknown {
    const { outcome } = this
    return outcome.ended === 'returned' ? outcome.value : 'error' in outcome ? outcome.error : outcome.reason
  }

  /** A failure of this try, with the effect of everything it did. */
  ofWhole(failure: Failure): Failure {
    const { capability } = this.#run.subject
    const { outcome } = this
    const isAtomic =
      capability.atomic || ('error' in outcome && this.#steps?.isOfOneRequest(outcome.error) === true)
    const whole = failureOfWholeTry({ ...capability, atomic: isAtomic }, outcome, failure, this.#isCommitted)
    this.isLifted = isLifted(failure, whole)
    return whole
  }

  async do(): Promise<Outcome> {
    const { deps, claimed, recorder, signal } = this.#run
    const { capability, params, pool, history, mask } = this.#run.subject
    const { attempts } = history
    // The provider must be known after a crash: the session is there.
    if (this.provider !== undefined && pool.length > 1) recorder.write({ provider: this.provider })
    return runWork(
      capability,
      params,
      {
        signal,
        run: claimed.fence.run,
        idempotencyKey: idempotencyKey(claimed),
        attempts,
        attempt: attempts.length + 1,
        provider: this.provider,
        remainingMs: this.remainingMs,
        resume: this.#resume,
        env: deps.env,
        charge: spent => this.#charge(spent),
        committed: () => {
          this.#isCommitted = true
        },
        observed: seen => this.permit?.observed?.(mask.value(seen)),
        record: facts => this.#record(facts),
        step: (id, work, options) => this.#workSteps.step(id, work, options),
      },
      {
        time: deps.time,
        onTimeoutProblem: problem =>
          deps.report({
            about: 'hook',
            problem: { capability: capability.name, hook: 'timeoutMs', problem: redact(mask.text(problem)) },
          }),
      },
    )
  }

  get #workSteps(): WorkSteps {
    const { deps, claimed, subject, recorder } = this.#run
    this.#steps ??= new WorkSteps({
      ledger: deps.ledger,
      fence: claimed.fence,
      mask: subject.mask,
      onStale: recorder.lost,
    })
    return this.#steps
  }

  /** The try as it is stored. */
  asAttempt(failure?: Failure, verdict?: Verdict, note?: unknown): NewAttempt {
    const { costUsd } = this.#tally
    const sessionId = failure?.sessionId ?? this.sessionId
    return {
      startedAt: this.startedAt,
      endedAt: this.#run.deps.time.now(),
      ...present({ provider: this.provider }),
      ...present({ model: failure?.model ?? this.model, usage: this.usage }),
      ...present({ failure, verdict }),
      ...(costUsd === null ? {} : { costUsd }),
      ...(failure?.turns === undefined ? {} : { turns: failure.turns }),
      ...present({ sessionId, note }),
    }
  }

  /** What an answer says that it used, and what that costs, unless the work said so. */
  answeredWith(value: unknown): void {
    const { usage, model } = usedBy(value)
    if (!usage || this.usage) return
    this.usage = usage
    this.model ??= model
    const { prices } = this.#run.deps
    if (!prices || this.#tally.costUsd !== null) return
    const usd = priceOf(prices, { provider: this.provider, model: this.model, usage })
    if (usd !== undefined) this.#charge({ usd })
  }

  /** The failure may know of a cost that the work did not report: that of a call within the work. */
  spentAtLeast(failure: Failure): void {
    const costUsd = totalCost(this.#tally, failure)
    if (costUsd !== null) this.#tally.costs(costUsd)
  }

  #charge(spent: Spending): void {
    this.#tally.add(spent)
    const { costUsd } = this.#tally
    if (spent.usd !== undefined && costUsd !== null) this.#run.recorder.write({ costUsd })
  }

  #record({ sessionId, cwd, costUsd, usage, model }: RunFacts): void {
    if (sessionId !== undefined) this.sessionId = sessionId
    this.usage = usage ?? this.usage
    this.model = model ?? this.model
    if (costUsd !== undefined) this.#tally.costs(costUsd)
    if (sessionId !== undefined || cwd !== undefined || costUsd !== undefined)
      this.#run.recorder.write(present({ agentSession: sessionId, folder: cwd, costUsd }))
  }
}

/** The same for all tries of an operation, and different for every other operation, in any ledger. */
export function idempotencyKey({ operation }: Pick<ClaimedRun, 'operation'>): string {
  return `${operation.id}.${operation.createdAt.toString(36)}`
}
