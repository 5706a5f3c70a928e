import type { Judge } from '../../call/attempt/judge.ts'
import type { ResumeFrom } from '../../capability/context.ts'
import type { Interruption } from '../../engine/claim-loop.ts'
import type { ClaimedRun } from '../../engine/engine.ts'
import type { ClassifyContext } from '../../failure/context.ts'
import type { Failure } from '../../failure/failure.ts'
import type { NewAttempt } from '../../ledger/attempt.ts'
import type { RunRecord } from '../../ledger/ledger.ts'
import type { ProviderHolds } from '../provider-holds.ts'
import { classifyContextOf, type QueueDeps } from '../queue-deps.ts'
import type { Counters } from './counters.ts'
import type { InProcess } from './in-process.ts'
import { Recorder, type RecorderListener } from './recorder.ts'
import { RunEvents, type RunListener } from './run-events.ts'
import { RunWriter } from './run-writer.ts'
import type { Subject } from './subject.ts'

/** What one run is given. */
export interface RunOptions {
  deps: QueueDeps
  holds: ProviderHolds
  claimed: ClaimedRun
  /** Aborted when the run was lost, cancelled or is to stop; its reason is an {@link Interruption}. */
  signal: AbortSignal
  /** For tries in the process of the caller, in milliseconds: retries are waited for here while it lasts. Default none. */
  budgetMs?: number
  /** For waits between these tries, in milliseconds; what waits longer is handed over. Default all of the budget. */
  waitHereMs?: number | undefined
  /** Told of the tries of this run. Default nobody. */
  listener?: RunListener
}

/** What the steps of one run share, and all that they change. */
export class RunState implements RecorderListener {
  readonly deps: QueueDeps
  readonly holds: ProviderHolds
  readonly claimed: ClaimedRun
  readonly budgetMs: number | undefined
  readonly waitHereMs: number | undefined
  readonly writer: RunWriter
  readonly recorder: Recorder
  /** Undefined where nobody listens. */
  readonly events: RunEvents | undefined
  readonly counters: Counters
  /** What the run is about. Set by the step before the first try, like its judge: without them there is no try. */
  subject!: Subject
  judge!: Judge
  /** Decides for the process of the caller; undefined where nobody waits for the run. */
  inProcess: InProcess | undefined
  /** Providers that were tried in this run. */
  readonly tried = new Set<string>()
  /** The provider that the next try goes to, and nobody else. */
  again: string | undefined
  /** The session that the next try continues. */
  resume: ResumeFrom | undefined
  /** The last failure of this run, and what it was read from. */
  last: { failure: Failure; cause: unknown } | undefined
  /** Whether the last verdict was one for this process; one of the durable kind ends the run. */
  isDecidedInProcess = false
  /** What is written down with the attempts of this run. */
  note: unknown
  /** Whether the work was begun in this run: what it did is not known before its end is written. */
  hasTried = false
  readonly #given: AbortSignal
  readonly #controller = new AbortController()

  constructor({ deps, holds, claimed, signal, budgetMs, waitHereMs, listener }: RunOptions) {
    this.deps = deps
    this.holds = holds
    this.claimed = claimed
    this.budgetMs = budgetMs
    this.waitHereMs = waitHereMs
    this.counters = { ...claimed.operation }
    const mayHandOver = budgetMs === undefined || deps.settings.enabled
    // Who waits for a run is told at once that it cannot be written; a runner has time.
    this.writer = new RunWriter(deps, claimed, mayHandOver, budgetMs === undefined ? signal : undefined)
    this.events = listener && new RunEvents(listener, claimed, deps.time)
    this.recorder = new Recorder(deps.engine, claimed.fence, this)
    this.#given = signal
    if (signal.aborted) this.#controller.abort(signal.reason)
    else signal.addEventListener('abort', this, { once: true })
  }

  /** Aborted when the run must end, whoever found out; its reason is an {@link Interruption}. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Epoch milliseconds. */
  get now(): number {
    return this.deps.time.now()
  }

  /** The signal that was given is aborted. */
  handleEvent(): void {
    this.#controller.abort(this.#given.reason)
  }

  onRecord({ costUsd }: RunRecord): void {
    this.events?.spent(costUsd)
  }

  onStale(): void {
    this.#controller.abort('lost' satisfies Interruption)
  }

  onRecordError(error: unknown): void {
    this.deps.report({ about: 'queue', error, operation: this.claimed.operation.id })
  }

  /** For a failure of this provider. */
  classifyContext(provider: string | undefined): ClassifyContext {
    return classifyContextOf(this.deps, this.subject.capability, provider, this.subject.model)
  }

  /** Writes down an attempt that does not end the run, and remembers it. False if the run is stale. */
  async append(attempt: NewAttempt, lostRunner = false): Promise<boolean> {
    if (!(await this.writer.append(attempt, lostRunner))) return false
    this.subject.history.add(attempt, this.claimed.fence.run)
    return true
  }

  /** Listens no more. */
  close(): void {
    this.#given.removeEventListener('abort', this)
  }
}
