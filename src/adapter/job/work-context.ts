import type { Invocation } from '../../call/attempt/invocation.ts'
import type { PastAttempt, ResumeFrom, RunFacts, WorkContext } from '../../capability/context.ts'
import { present } from '../../failure/present.ts'
import type { JobContext, JobInfo } from './context.ts'
import { type JobRecord, lastAttempt } from './record.ts'

/** The part of a start that its work context uses. */
export interface JobStart {
  readonly job: JobInfo
  readonly record: JobRecord
  readonly provider: string | undefined
  /** Number of the start, from 1. */
  readonly run: number
  readonly idempotencyKey: string
  isCommitted: boolean
  charge(spent: Parameters<WorkContext['charge']>[0]): void
  keep(facts: RunFacts): void
  observed(seen: unknown): void
}

/** The context of a try. Most fields are getters, because few tries use them all. */
export class JobWorkContext implements JobContext {
  readonly remainingMs: number
  readonly #start: JobStart
  readonly #invocation: Pick<Invocation<unknown>, 'signal'>

  constructor(start: JobStart, invocation: Pick<Invocation<unknown>, 'signal'>, remainingMs: number) {
    this.remainingMs = remainingMs
    this.#start = start
    this.#invocation = invocation
  }

  get jobId(): string {
    return this.#start.job.jobId
  }

  get queue(): string {
    return this.#start.job.queue
  }

  get engine(): string {
    return this.#start.job.engine
  }

  get job(): unknown {
    return this.#start.job.job
  }

  get signal(): AbortSignal {
    return this.#invocation.signal
  }

  get run(): number {
    return this.#start.run
  }

  get idempotencyKey(): string {
    return this.#start.idempotencyKey
  }

  get attempts(): readonly PastAttempt[] {
    return lastAttempt(this.#start.record)
  }

  get attempt(): number {
    return this.#start.record.tries + 1
  }

  get provider(): string | undefined {
    return this.#start.provider
  }

  get resume(): ResumeFrom | undefined {
    const { resume, failure, costUsd } = this.#start.record
    if (resume === undefined) return undefined
    return {
      sessionId: resume,
      ...present({ failure, costUsd }),
    }
  }

  get env(): WorkContext['env'] {
    return process.env
  }

  get charge(): WorkContext['charge'] {
    return spent => this.#start.charge(spent)
  }

  get committed(): WorkContext['committed'] {
    return () => {
      this.#start.isCommitted = true
    }
  }

  /** Does nothing unless its worker is connected: without a ledger, jobs keep no provider health. */
  get observed(): WorkContext['observed'] {
    return seen => this.#start.observed(seen)
  }

  /** Runs the work every time: the engine has no place to remember the result of a step. */
  get step(): WorkContext['step'] {
    return async (_id, work) => work()
  }

  get record(): WorkContext['record'] {
    return facts => this.#start.keep(facts)
  }
}
