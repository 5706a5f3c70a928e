import { randomBytes } from 'node:crypto'
import type { Capability } from '../capability/capability.ts'
import type { Pausable } from '../engine/engine.ts'
import { present } from '../failure/present.ts'
import type { OperationFilter } from '../ledger/filter.ts'
import type { Inserted } from '../ledger/ledger.ts'
import type { NewOperation } from '../ledger/operation.ts'
import type { PrunePolicy } from '../ledger/upkeep.ts'
import { checkNames } from '../option/check-names.ts'
import { changesAdmission, type HealthEvent } from '../provider/event.ts'
import { Attendants } from './attendants.ts'
import { carryOut, carryOutOn, previewOf, unparkAll } from './bulk.ts'
import type {
  BulkAction,
  BulkDone,
  BulkOptions,
  BulkOutcome,
  BulkPreview,
  RepeatOptions,
  RetryOptions,
} from './bulk-outcome.ts'
import { type EditOptions, edit } from './edit.ts'
import { handOver } from './hand-over.ts'
import { type MarkDoneOptions, markDone } from './mark-done.ts'
import type { OperationId, ParamsAndOptions, Submitted } from './operation-id.ts'
import { type EndedOperation, OperationWaiters } from './operation-waiters.ts'
import { HAND_OVER_NAMES, RUN_NAMES, RUNNER_NAMES, SUBMISSION_NAMES, SUBMIT_NAMES } from './option-names.ts'
import { ProviderHolds } from './provider-holds.ts'
import { type PrunedData, pruneData } from './prune-data.ts'
import { type QueueDeps, type QueueParts, queueDepsOf } from './queue-deps.ts'
import { type OperationResult, resultOf, runResultOf } from './result.ts'
import { type RunNowOptions, RunsNow } from './run-now.ts'
import type { HearBy, RunResult } from './run-result.ts'
import { Runner, type RunnerOptions } from './runner.ts'
import { pauseSchedule, resumeSchedule } from './schedule-pause.ts'
import { ServedProviders } from './served-providers.ts'
import type { Startable } from './startable.ts'
import { type QueueStatus, statusOf } from './status.ts'
import { newOperation, type Submission, type SubmitOneOptions } from './submission.ts'
import { submitAll } from './submit.ts'
import type { HandOverOptions } from './tried-elsewhere.ts'

/**
 * Runs capabilities now or later, and loses none: an operation that cannot succeed now is stored, waits for its time, its
 * provider or a person, and is run by any runner with the capability.
 */
export class Queue {
  readonly #deps: QueueDeps
  readonly #holds: ProviderHolds
  readonly #served: ServedProviders
  readonly #now: RunsNow
  readonly #waiters: OperationWaiters
  readonly #runners = new Set<Runner>()
  readonly #attendants: Attendants

  constructor(parts: QueueParts) {
    // Calls outside the queue may also find a provider blocked.
    const onHealth = (event: HealthEvent) => {
      if (changesAdmission(event)) void this.#holds.sync()
      this.#served.onEvent(event)
    }
    this.#deps = queueDepsOf(parts, () => randomBytes(6).toString('hex'), onHealth)
    const { ledger, health, report } = this.#deps
    this.#served = new ServedProviders({
      ledger,
      health: () => health,
      onError: error => report({ about: 'queue', error }),
    })
    this.#holds = new ProviderHolds(this.#deps)
    this.#now = new RunsNow(this.#deps, this.#holds)
    this.#waiters = new OperationWaiters(parts.ledger, this.#deps.time)
    this.#attendants = new Attendants(this, error => this.#deps.report({ about: 'queue', error }))
    for (const workflow of parts.workflows ?? []) this.#attendants.add(workflow)
  }

  /** The durable record that it writes to. */
  get ledger() {
    return this.#deps.ledger
  }

  /** Knows what is due and who claimed it. */
  get engine() {
    return this.#deps.engine
  }

  /** Which providers can serve now. */
  get health() {
    return this.#deps.health
  }

  /** The capabilities that this process can run. */
  get registry() {
    return this.#deps.registry
  }

  /** The clock that it uses. */
  get time() {
    return this.#deps.time
  }

  /** Stores an operation for any runner with the capability. */
  submit<P, R, I>(
    capability: Capability<P, R, I>,
    ...[params, options]: ParamsAndOptions<I, SubmitOneOptions>
  ): Promise<Submitted<R>>
  submit(capability: string, params?: unknown, options?: SubmitOneOptions): Promise<Submitted>
  async submit(
    capability: string | Capability,
    params?: unknown,
    { client, ...options }: SubmitOneOptions = {},
  ): Promise<Submitted> {
    checkNames('submit', options, SUBMIT_NAMES)
    const submission = { ...options, capability: nameOf(capability), params }
    const [inserted] = await submitAll(this.#deps, [submission], client)
    return inserted as Inserted
  }

  /** Stores many operations at once: all of them, or none. */
  async submitMany(submissions: readonly Submission[]): Promise<readonly Inserted[]> {
    for (const submission of submissions) checkNames('submitMany', submission, SUBMISSION_NAMES)
    return submitAll(this.#deps, submissions)
  }

  /**
   * The operation that {@link submit} would store, checked and with its secrets sealed, for callers who store it in a transaction
   * of their own.
   */
  async prepare(submission: Submission): Promise<NewOperation> {
    checkNames('prepare', submission, SUBMISSION_NAMES)
    return newOperation(this.#deps, submission)
  }

  /**
   * Starts something that runs as several operations, such as a workflow, and returns its handle. A runner of this queue
   * continues it, as does a daemon on the same data.
   */
  async start<P, R, O extends object>(
    what: Startable<P, R, O>,
    ...[params, options]: ParamsAndOptions<P, O>
  ): Promise<R> {
    this.#attendants.add(what)
    return what.start(this, params as P, options)
  }

  /**
   * Tries now, within a short budget, and hands over an operation that cannot succeed yet. The operation is stored before the
   * first try, so a crash during it is recovered like any other. Rejects with `OperationFailed` if the verdict is final.
   */
  run<P, R, I>(
    capability: Capability<P, R, I>,
    ...[params, options]: ParamsAndOptions<I, RunNowOptions>
  ): Promise<RunResult<R>>
  run<R = unknown>(capability: string, params?: unknown, options?: RunNowOptions): Promise<RunResult<R>>
  async run(
    capability: string | Capability,
    params?: unknown,
    options: RunNowOptions = {},
  ): Promise<RunResult> {
    checkNames('run', options, RUN_NAMES)
    return this.#now.run(nameOf(capability), params, options)
  }

  /**
   * Hands over a call that was made elsewhere and failed with `failed`, which is anything that `classify` takes. Its tries are
   * stored, and it is treated like any other operation: its provider's health counts the failure, an effect is verified before it
   * runs again, a limit is waited out, and a call that can never succeed rejects with `OperationFailed`. If it cannot be
   * stored, this rejects with the reason, and nothing is queued.
   */
  handOver<P, R, I>(
    capability: Capability<P, R, I>,
    params: I,
    failed: unknown,
    options?: HandOverOptions,
  ): Promise<RunResult<R>>
  handOver<R = unknown>(
    capability: string,
    params: unknown,
    failed: unknown,
    options?: HandOverOptions,
  ): Promise<RunResult<R>>
  async handOver(
    capability: string | Capability,
    params: unknown,
    failed: unknown,
    options: HandOverOptions = {},
  ): Promise<RunResult> {
    checkNames('handOver', options, HAND_OVER_NAMES)
    const submission = { source: 'run', ...options, capability: nameOf(capability), params }
    return handOver(this.#deps, this.#holds, submission, failed)
  }

  /** Resolves with the operation once it has ended, in this process or another. */
  wait(id: string, { signal }: { signal?: AbortSignal } = {}): Promise<EndedOperation> {
    return this.#waiters.wait(id, signal)
  }

  /** How an operation ended, with the whole result even if it is in a file. With an id from `submit`, the result is typed. */
  async result<R = unknown>(id: string | OperationId<R>): Promise<OperationResult<R>> {
    return (await resultOf(this.#deps, id)) as OperationResult<R>
  }

  /**
   * What `run` would return for an operation in its current state: its value, or that it was handed over. Rejects with
   * `OperationFailed` if it is dead.
   */
  standing<R = unknown>(
    id: string | OperationId<R>,
    { hearBy }: { hearBy?: HearBy } = {},
  ): Promise<RunResult<R>> {
    return runResultOf(this.#deps, id, { hearBy })
  }

  /** Ends an operation. If it is running, in any process, its runner ends it with everything it started. */
  cancel(id: string): Promise<BulkOutcome> {
    return carryOutOn(this.#deps, 'cancel', id)
  }

  /**
   * Starts a dead operation afresh and keeps its history, continues a parked one, and makes a waiting one due at once. Rejects
   * with `MayRepeat` if it may already have taken effect and nothing can check that, unless `mayRepeat` accepts it.
   */
  retry(id: string, options: RetryOptions = {}): Promise<BulkOutcome> {
    return carryOutOn(this.#deps, 'retry', id, options)
  }

  /** Deletes an ended operation with its history. */
  discard(id: string): Promise<BulkOutcome> {
    return carryOutOn(this.#deps, 'discard', id)
  }

  /** Ends a dead or parked operation as succeeded, because a person saw that its work is done. */
  markDone(id: string, options: MarkDoneOptions = {}): Promise<void> {
    return markDone(this.#deps, id, options)
  }

  /**
   * Changes an operation that is not running. One that is parked for its parameters continues. Rejects with `MayRepeat` if what
   * it did before may then happen twice.
   */
  edit(id: string, changes: EditOptions): Promise<void> {
    return edit(this.#deps, id, changes)
  }

  /** Continues parked operations for the given reason. Returns how many. */
  unpark(filter: OperationFilter, reason: string): Promise<number> {
    return unparkAll(this.#deps, filter, reason)
  }

  /** Shows exactly what an action would do to all matching operations, without doing it. */
  preview(action: BulkAction, filter: OperationFilter, options?: BulkOptions): Promise<BulkPreview> {
    return previewOf(this.#deps, action, filter, options)
  }

  /** Does what a preview shows. Skips operations that have changed since, and without `mayRepeat` what may happen twice. */
  apply(preview: BulkPreview, options: RepeatOptions = {}): Promise<BulkDone> {
    return carryOut(this.#deps, preview, options)
  }

  /**
   * Deletes old ended operations, and all result files without an operation: of deleted or discarded operations and of crashed
   * runs. Abort stops between two steps.
   */
  prune(policy: PrunePolicy = {}, signal?: AbortSignal): Promise<PrunedData> {
    return pruneData(this.#deps, policy, signal)
  }

  /** The state of the queue: counts, pauses, providers and live runners. */
  status(): Promise<QueueStatus> {
    return statusOf(this.#deps)
  }

  /** Whether a live runner has this capability. */
  async hasRunner(capability: string): Promise<boolean> {
    const runners = await this.#deps.ledger.runners()
    return runners.some(({ capabilities }) => capabilities.includes(capability))
  }

  /**
   * Stops new claims, or the times of a schedule, even after a restart; running operations continue. Default: the whole queue.
   * @param options why, of a provider or a schedule; `until`: when a provider's pause ends by itself, epoch milliseconds; `by`:
   * who pauses a schedule
   */
  async pause(
    what: Pausable = { queue: true },
    {
      reason,
      until,
      by,
    }: { reason?: string | undefined; until?: number | undefined; by?: string | undefined } = {},
  ): Promise<void> {
    const { engine, health, ledger, time } = this.#deps
    if ('schedule' in what)
      await pauseSchedule(ledger, what.schedule, { at: time.now(), ...present({ by, reason }) })
    else if ('provider' in what) {
      // Health keeps it, and the engine reads it there.
      await health.pause(what.provider, reason, until)
      await this.#holds.sync()
    } else await engine.pause(what)
  }

  /** Ends a pause. Default: that of the whole queue. */
  async resume(what: Pausable = { queue: true }): Promise<void> {
    const { engine, health, ledger } = this.#deps
    if ('schedule' in what) await resumeSchedule(ledger, what.schedule)
    else if ('provider' in what) {
      await health.resume(what.provider)
      await this.#holds.sync()
      await engine.wake()
    } else await engine.resume(what)
  }

  /** Makes a runner in this process, not yet started. Closing the queue stops it. */
  runner(options: RunnerOptions = {}): Runner {
    checkNames('runner', options, RUNNER_NAMES)
    const runner = new Runner(this.#deps, this.#holds, options, () => this.#attendants.start())
    this.#runners.add(runner)
    return runner
  }

  /**
   * Stops runners, releases operations that `run` is working on, and frees everything except ledger and engine.
   * @param options.graceMs how long runners may take to finish their current work, in milliseconds; default 0
   */
  async close({ graceMs = 0 }: { graceMs?: number } = {}): Promise<void> {
    await Promise.all([...this.#runners].map(runner => runner.stop({ graceMs })))
    await this.#attendants.stop()
    await this.#now.stop()
    this.#waiters.close()
    await this.#holds.close()
    await this.#deps.health.dispose()
    await this.#served.close()
  }

  /** Closes it without a grace period. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

function nameOf(capability: string | Capability): string {
  return typeof capability === 'string' ? capability : capability.name
}
