import { startFacts } from '../../call/attempt/start-facts.ts'
import { Spans } from '../../call/telemetry.ts'
import { tracing } from '../../call/tracing.ts'
import type { Failure } from '../../failure/failure.ts'
import { present } from '../../failure/present.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { JobInfo } from './context.ts'
import type { EngineJob } from './engine-job.ts'
import type { WorkerEvent } from './event.ts'
import { isFinal, type JobOutcome, outcomeInWords } from './outcome.ts'
import { withoutRecord } from './record.ts'

/** The part of a worker that telemetry needs. */
export interface Observed {
  readonly name: string
  readonly provider: string | undefined
  readonly time: { now(): number }
  readonly hasListener: boolean
  emit(event: WorkerEvent): void
}

type StartedJob = JobInfo & Pick<EngineJob, 'data'>

/** How a try ended. */
export interface EndedTry {
  outcome: JobOutcome
  verdict: Verdict | undefined
  failure: Failure | undefined
  attempt: number
  durationMs: number
  costUsd: number | null
}

/** Notifies listeners and tracers when a try starts and ends. */
export class JobTelemetry {
  readonly #worker: Observed
  readonly #job: StartedJob
  readonly #spans: Spans | undefined

  private constructor(worker: Observed, job: StartedJob, spans: Spans | undefined) {
    this.#worker = worker
    this.#job = job
    this.#spans = spans
  }

  /** Says that a try starts. Undefined if nobody listens: then telemetry costs nothing. */
  static start(worker: Observed, job: StartedJob, attempt: number): JobTelemetry | undefined {
    const found = tracing()
    const spans = found && Spans.start(worker.name, found)
    if (!spans && !worker.hasListener) return undefined
    const telemetry = new JobTelemetry(worker, job, spans)
    telemetry.#started(attempt)
    return telemetry
  }

  #started(attempt: number): void {
    if (this.#worker.hasListener)
      this.#worker.emit({
        ...this.#event(attempt),
        type: 'job.started',
        ...startFacts(withoutRecord(this.#job.data)),
      })
    this.#spans?.listen({
      ...this.#callEvent(),
      type: 'attempt.started',
      attempt,
      provider: this.#worker.provider,
      remainingMs: Infinity,
      passedOver: [],
    })
  }

  ended({ outcome, verdict, failure, attempt, durationMs, costUsd }: EndedTry): void {
    if (this.#worker.hasListener)
      this.#worker.emit({
        ...this.#event(attempt),
        type: 'job.ended',
        outcome,
        ...present({ failure, verdict }),
        durationMs,
        costUsd,
      })
    if (!this.#spans) return
    const { provider } = this.#worker
    if (failure && verdict)
      this.#spans.listen({
        ...this.#callEvent(),
        ...{ type: 'attempt.failed', attempt, provider, failure, verdict, durationMs, costUsd },
        model: failure.model,
        usage: undefined,
      })
    const error =
      isFinal(outcome) && outcome.outcome !== 'done' ? new Error(outcomeInWords(outcome)) : undefined
    this.#spans.listen({
      ...this.#callEvent(),
      ...{ type: 'settled', outcome: 'passed', attempts: attempt, provider, durationMs, costUsd, error },
    })
  }

  #event(attempt: number) {
    const { jobId, queue, engine } = this.#job
    return { worker: this.#worker.name, jobId, queue, engine, at: this.#worker.time.now(), attempt }
  }

  #callEvent() {
    return { call: this.#job.jobId, name: this.#worker.name, at: this.#worker.time.now() }
  }
}
