import { randomBytes } from 'node:crypto'
import type { Capability } from '../capability/capability.ts'
import type { Pausable } from '../engine/engine.ts'
import type { OperationFilter } from '../ledger/filter.ts'
import type { Inserted } from '../ledger/ledger.ts'
import type { NewOperation } from '../ledger/operation.ts'
import type { PrunePolicy } from '../ledger/upkeep.ts'
import { checkNames } from '../option/check-names.ts'
import { changesAdmission, type HealthEvent } from '../provider/event.ts'
import { Attendants } from './attendants.ts'
import { carryOut, carryOutOn, previewOf, unparkAll } from './bulk.ts'
import type { BulkAction, BulkDone, BulkOptions, BulkOutcome, BulkPreview } from './bulk-outcome.ts'
import { type EditOptions, edit } from './edit.ts'
import { handOver } from './hand-over.ts'
import type { OperationId, ParamsAndOptions, Submitted } from './operation-id.ts'
import { type EndedOperation, OperationWaiters } from './operation-waiters.ts'
import { HAND_OVER_NAMES, RUN_NAMES, RUNNER_NAMES, SUBMISSION_NAMES, SUBMIT_NAMES } from './option-names.ts'
import { setPauseEnd } from './pause-end.ts'
import { ProviderHolds } from './provider-holds.ts'
import { type PrunedData, pruneData } from './prune-data.ts'
import { type QueueDeps, type QueueParts, queueDepsOf } from './queue-deps.ts'
import { type OperationResult, resultOf, runResultOf } from './result.ts'
import { type RunNowOptions, RunsNow } from './run-now.ts'
import type { HearBy, RunResult } from './run-result.ts'
import { Runner, type RunnerOptions } from './runner.ts'
import type { Startable } from './startable.ts'
import { type QueueStatus, statusOf } from './status.ts'
import { newOperation, type Submission, type SubmitOneOptions } from './submission.ts'
import { submitAll } from './submit.ts'
import type { HandOverOptions } from './tried-elsewhere.ts'

/**
 * Runs capabilities now or later, and loses none: what cannot work now is written down, waits for its time, its
 * provider or a person, and is run by any runner with the capability.
 */
export class Queue {
  readonly #deps: QueueDeps
  readonly #holds: ProviderHolds
  readonly #now: RunsNow
  readonly #waiters: OperationWaiters
  readonly #runners = new Set<Runner>()
  readonly #attendants: Attendants

  constructor(parts: QueueParts) {
    // Also calls beside the queue find out that a provider is blocked.
    const onHealth = (event: HealthEvent) => {
      if (changesAdmission(event)) void this.#holds.sync()
    }
    this.#deps = queueDepsOf(parts, () => randomBytes(6).toString('hex'), onHealth)
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

  /** Who knows what is due, and who has claimed it. */
  get engine() {
    return this.#deps.engine
  }

  /** Which providers can serve now. */
  get health() {
    return this.#deps.health
  }

  /** What can be run in this process. */
  get registry() {
    return this.#deps.registry
  }

  /** The clock that it goes by. */
  get time() {
    return this.#deps.time
  }

  /** Stores an operation, to be run by any runner with the capability. */
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

  /** Stores many at once: all of them, or none. */
  async submitMany(submissions: readonly Submission[]): Promise<readonly Inserted[]> {
    for (const submission of submissions) checkNames('submitMany', submission, SUBMISSION_NAMES)
    return submitAll(this.#deps, submissions)
  }

  /**
   * An operation as {@link submit} would store it, checked and with its secrets sealed: for who stores it in a transaction
   * of their own.
   */
  async prepare(submission: Submission): Promise<NewOperation> {
    checkNames('prepare', submission, SUBMISSION_NAMES)
    return newOperation(this.#deps, submission)
  }

  /**
   * Starts what runs as several operations, such as a workflow, and gives what is known of it. A runner of this queue goes
   * on with it; so does a daemon on the same data.
   */
  async start<P, R, O extends object>(
    what: Startable<P, R, O>,
    ...[params, options]: ParamsAndOptions<P, O>
  ): Promise<R> {
    this.#attendants.add(what)
    return what.start(this, params as P, options)
  }

  /**
   * Tries now, within a short budget; hands over what cannot succeed yet. The row is written before the first try,
   * so that a crash in it is recovered like any other. Rejects with `OperationFailed` if the verdict is final.
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
   * Hands over a call that was made elsewhere and failed with `failed`, which is anything that `classify` takes. It is
   * written down with its tries and decided like any other: its provider's health hears of it, what may have taken
   * effect is verified before it runs, a limit is waited out, and what can never succeed rejects with `OperationFailed`. If it cannot be written down it rejects
   * with the reason, and nothing is queued.
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

  /** The operation once it has ended, in this process or another. */
  wait(id: string, { signal }: { signal?: AbortSignal } = {}): Promise<EndedOperation> {
    return this.#waiters.wait(id, signal)
  }

  /** How an operation ended; the whole result, also where it is in a file. Its type is known where `submit` gave the id. */
  async result<R = unknown>(id: string | OperationId<R>): Promise<OperationResult<R>> {
    return (await resultOf(this.#deps, id)) as OperationResult<R>
  }

  /**
   * What the caller of `run` is told about an operation as it stands now: its value, or that it was handed over. Rejects with
   * `OperationFailed` if it is dead.
   */
  standing<R = unknown>(
    id: string | OperationId<R>,
    { hearBy }: { hearBy?: HearBy } = {},
  ): Promise<RunResult<R>> {
    return runResultOf(this.#deps, id, { hearBy })
  }

  /** Ends an operation; one that runs is told to end, with everything it started, in whatever process that is. */
  cancel(id: string): Promise<BulkOutcome> {
    return carryOutOn(this.#deps, 'cancel', id)
  }

  /** A dead one starts afresh, with all its history; a parked one goes on; a waiting one is due at once. */
  retry(id: string): Promise<BulkOutcome> {
    return carryOutOn(this.#deps, 'retry', id)
  }

  /** Forgets an ended operation with its history. */
  discard(id: string): Promise<BulkOutcome> {
    return carryOutOn(this.#deps, 'discard', id)
  }

  /** Changes an operation that does not run. One that is parked for its parameters goes on. */
  edit(id: string, changes: EditOptions): Promise<void> {
    return edit(this.#deps, id, changes)
  }

  /** Parked ones go on, because of what `reason` says. Returns how many did. */
  unpark(filter: OperationFilter, reason: string): Promise<number> {
    return unparkAll(this.#deps, filter, reason)
  }

  /** Exactly what an action would do to all operations that match, without doing it. */
  preview(action: BulkAction, filter: OperationFilter, options?: BulkOptions): Promise<BulkPreview> {
    return previewOf(this.#deps, action, filter, options)
  }

  /** Does what a preview says; what has changed since is left alone. */
  apply(preview: BulkPreview): Promise<BulkDone> {
    return carryOut(this.#deps, preview)
  }

  /**
   * Forgets old ended operations, and all files of results that belong to none: of those, of discarded ones, of runs
   * that crashed. Abort stops between two steps.
   */
  prune(policy: PrunePolicy = {}, signal?: AbortSignal): Promise<PrunedData> {
    return pruneData(this.#deps, policy, signal)
  }

  /** The state of the queue: counts, pauses, providers, and runners that are alive. */
  status(): Promise<QueueStatus> {
    return statusOf(this.#deps)
  }

  /** Whether a live runner has this capability. */
  async hasRunner(capability: string): Promise<boolean> {
    const runners = await this.#deps.ledger.runners()
    return runners.some(({ capabilities }) => capabilities.includes(capability))
  }

  /** Nothing of it is claimed any more, even after a restart; what is running continues. Default the whole queue. */
  async pause(what: Pausable = { queue: true }): Promise<void> {
    const { engine, health } = this.#deps
    await engine.pause(what)
    if ('provider' in what) await health.pause(what.provider)
  }

  /** Ends a pause. Default that of the whole queue. */
  async resume(what: Pausable = { queue: true }): Promise<void> {
    const { engine, health, ledger } = this.#deps
    if ('provider' in what) {
      await health.resume(what.provider)
      await setPauseEnd(ledger, what.provider, undefined)
    }
    await engine.resume(what)
  }

  /** A runner of this process, not started yet. It is stopped when the queue is closed. */
  runner(options: RunnerOptions = {}): Runner {
    checkNames('runner', options, RUNNER_NAMES)
    const runner = new Runner(this.#deps, this.#holds, options, () => this.#attendants.start())
    this.#runners.add(runner)
    return runner
  }

  /**
   * Stops runners, gives back what `run` is at, and lets go of everything but ledger and engine.
   * @param options.graceMs time that runners have to finish what they are at, in milliseconds; default 0
   */
  async close({ graceMs = 0 }: { graceMs?: number } = {}): Promise<void> {
    await Promise.all([...this.#runners].map(runner => runner.stop({ graceMs })))
    await this.#attendants.stop()
    await this.#now.stop()
    this.#waiters.close()
    await this.#holds.close()
    await this.#deps.health.dispose()
  }

  /** Closes it without a grace. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

function nameOf(capability: string | Capability): string {
  return typeof capability === 'string' ? capability : capability.name
}
