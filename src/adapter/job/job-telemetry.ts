import { Spans } from '../../call/telemetry.ts'
import { tracing } from '../../call/tracing.ts'
import type { Failure } from '../../failure/failure.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { JobInfo } from './context.ts'
import type { WorkerEvent } from './event.ts'
import { isFinal, type JobOutcome, outcomeInWords } from './outcome.ts'

/** The part of a worker that telemetry needs. */
export interface Observed {
  readonly name: string
  readonly provider: string | undefined
  readonly time: { now(): number }
  readonly hasListener: boolean
  emit(event: WorkerEvent): void
}

/** How a try ended. */
export interface EndedTry {
  outcome: JobOutcome
  verdict: Verdict | undefined
  failure: Failure | undefined
  attempt: number
  durationMs: number
  costUsd: number | null
}

/** Notifies listeners and tracers when a try starts and ends. Creates nothing without listeners. */
export class JobTelemetry {
  readonly #worker: Observed
  readonly #job: JobInfo
  #spans: Spans | undefined

  constructor(worker: Observed, job: JobInfo) {
    this.#worker = worker
    this.#job = job
  }

  started(attempt: number): void {
    const found = tracing()
    this.#spans = found && Spans.start(this.#worker.name, found)
    if (this.#worker.hasListener) this.#worker.emit({ ...this.#event(attempt), type: 'job.started' })
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
        ...(failure ? { failure } : {}),
        ...(verdict ? { verdict } : {}),
        durationMs,
        costUsd,
      })
    if (!this.#spans) return
    const { provider } = this.#worker
    if (failure && verdict)
      this.#spans.listen({
        ...this.#callEvent(),
        ...{ type: 'attempt.failed', attempt, provider, failure, verdict, durationMs, costUsd },
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
