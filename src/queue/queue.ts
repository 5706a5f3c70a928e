import { randomBytes } from 'node:crypto'
import { type Capability, wholeResult } from '../capability/index.ts'
import type { Begun, Pausable } from '../engine/index.ts'
import {
  type Changes,
  type Inserted,
  isEnded,
  type Operation,
  type OperationFilter,
  type PrunePolicy,
} from '../ledger/index.ts'
import { Blocks } from './blocks.ts'
import {
  type BulkAction,
  type BulkDone,
  type BulkOutcome,
  type BulkPreview,
  carryOut,
  outcomeOf,
  previewOf,
} from './bulk.ts'
import { OperationFailed, QueueError } from './error.ts'
import { settleTriedElsewhere } from './hand-over.ts'
import { Keeper } from './keeper.ts'
import { OperationRun } from './operation-run.ts'
import type { RunListener } from './run-events.ts'
import { handedOver, type RunResult } from './run-result.ts'
import { Runner, type RunnerOptions } from './runner.ts'
import { type QueueStatus, statusOf } from './status.ts'
import {
  admittedParams,
  newOperation,
  type Submission,
  type SubmitOptions,
  sameUnderKey,
  timeOf,
} from './submission.ts'
import { type QueueParts, type Surroundings, surroundingsOf } from './surroundings.ts'
import { type Tidied, tidy } from './tidy.ts'
import { type EndedOperation, missing, Waiters } from './waiters.ts'

export interface RunNowOptions extends Omit<SubmitOptions, 'at' | 'unchecked'>, RunListener {
  /** Time for tries in this process, in milliseconds. A try that takes longer is cut. Default that of the queue, 20 s. */
  budgetMs?: number
  /** Abort cancels the operation, as long as it runs in this process. */
  signal?: AbortSignal
}

/** What of a waiting or parked operation is changed. */
export interface EditOptions {
  /** All of its parameters. What is sealed in the stored ones may be given as it is stored. */
  params?: unknown
  priority?: number
  at?: number | Date
}

/** How an operation ended, or that it has not. */
export type OperationResult =
  | { state: 'succeeded'; value: unknown; operation: EndedOperation }
  | { state: 'dead'; error: OperationFailed; operation: EndedOperation }
  | { state: 'pending'; operation: Operation }

/**
 * Runs capabilities now or later, and loses none: what cannot work now is written down, waits for its time, its
 * provider or a person, and is run by whoever has the capability.
 */
export class Queue {
  readonly #surroundings: Surroundings
  readonly #blocks: Blocks
  readonly #keeper: Keeper
  readonly #waiters: Waiters
  readonly #runners = new Set<Runner>()
  readonly #running = new Set<Promise<unknown>>()

  constructor(parts: QueueParts) {
    this.#surroundings = surroundingsOf(parts, () => randomBytes(6).toString('hex'))
    this.#blocks = new Blocks(this.#surroundings)
    this.#keeper = new Keeper(this.#surroundings)
    this.#waiters = new Waiters(parts.ledger)
  }

  get ledger() {
    return this.#surroundings.ledger
  }

  get engine() {
    return this.#surroundings.engine
  }

  get health() {
    return this.#surroundings.health
  }

  get registry() {
    return this.#surroundings.registry
  }

  /** Writes an operation down, to be run by whoever has the capability. */
  async submit(
    capability: string | Capability,
    params?: unknown,
    options: SubmitOptions = {},
  ): Promise<Inserted> {
    const [inserted] = await this.submitMany([{ ...options, capability: nameOf(capability), params }])
    return inserted as Inserted
  }

  /** Writes many down at once: all of them, or none. */
  async submitMany(submissions: readonly Submission[]): Promise<readonly Inserted[]> {
    const operations = await Promise.all(submissions.map(given => newOperation(this.#surroundings, given)))
    const { engine } = this.#surroundings
    try {
      return await engine.schedule(operations)
    } catch (error) {
      const [only] = operations
      if (operations.length !== 1 || !only) throw error
      return [await sameUnderKey(this.#surroundings, only, error)]
    }
  }

  /**
   * Tries now, within a short budget; hands over what cannot succeed yet. The row is written before the first try,
   * so that a crash in it is recovered like any other. Rejects with {@link OperationFailed} if the verdict is final.
   */
  async run<R = unknown>(
    capability: string | Capability<never, R>,
    params?: unknown,
    options: RunNowOptions = {},
  ): Promise<RunResult<R>> {
    const running = this.#run<R>(nameOf(capability as string | Capability), params, options)
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }

  /**
   * Hands over a call that was made elsewhere and failed with `failed`, which is anything that `classify` takes. It is
   * written down with that as its first try and decided like any other: what may have taken effect is verified before
   * it runs, and what can never succeed rejects with {@link OperationFailed}. If it cannot be written down it rejects
   * with the reason, and nothing is queued.
   */
  async handOver<R = unknown>(
    capability: string | Capability<never, R>,
    params: unknown,
    failed: unknown,
    options: Omit<SubmitOptions, 'at' | 'unchecked'> = {},
  ): Promise<RunResult<R>> {
    const name = nameOf(capability as string | Capability)
    const { claimed, existing } = await this.#begin({ source: 'run', ...options, capability: name, params })
    if (!claimed) return this.#outcome(existing)
    await settleTriedElsewhere(this.#surroundings, claimed, failed)
    return this.#outcome(claimed.fence.id, failed)
  }

  /** The operation once it has ended, whoever runs it, in this process or another. */
  wait(id: string, { signal }: { signal?: AbortSignal } = {}): Promise<EndedOperation> {
    return this.#waiters.wait(id, signal)
  }

  /** How an operation ended; the whole result, also where it is in a file. */
  async result(id: string): Promise<OperationResult> {
    const operation = await this.#get(id)
    if (!isEnded(operation)) return { state: 'pending', operation }
    if (operation.state === 'dead') return { state: 'dead', error: new OperationFailed(operation), operation }
    const { resultFolder } = this.#surroundings.settings
    const { result } = operation
    const value = resultFolder === undefined ? result : await wholeResult(result, resultFolder)
    return { state: 'succeeded', value, operation }
  }

  /** Ends an operation; one that runs is told to end, with everything it started, in whatever process that is. */
  cancel(id: string): Promise<BulkOutcome> {
    return this.#one('cancel', id)
  }

  /** A dead one starts afresh, with all its history; a parked one goes on; a waiting one is due at once. */
  retry(id: string): Promise<BulkOutcome> {
    return this.#one('retry', id)
  }

  /** Forgets an ended operation with its history. */
  discard(id: string): Promise<BulkOutcome> {
    return this.#one('discard', id)
  }

  /** Changes an operation that does not run. One that is parked for its parameters goes on. */
  async edit(id: string, { params, priority, at }: EditOptions): Promise<void> {
    const { engine, registry } = this.#surroundings
    const operation = await this.#get(id)
    const capability = registry.get(operation.capability)
    if (params !== undefined && !capability)
      throw new QueueError(
        'unknown_capability',
        `the parameters of ${id} cannot be checked: there is no capability ${JSON.stringify(operation.capability)} here`,
      )
    const changes: Changes = {
      ...(params === undefined || !capability
        ? {}
        : { params: await admittedParams(this.#surroundings, capability, params) }),
      ...(priority === undefined ? {} : { priority }),
      ...(at === undefined ? {} : { dueAt: timeOf(at) }),
    }
    if (!(await engine.edit(id, changes)))
      throw new QueueError(
        'cannot_edit',
        `${id} is ${operation.state}: only what waits or is parked can be changed`,
      )
    const waited = operation.state === 'parked' && ['parameters', 'secret'].includes(operation.parkedFor)
    if (waited && params !== undefined) await engine.unpark([id], 'its parameters were changed')
  }

  /** Parked ones go on, because of what `reason` says. Returns how many did. */
  async unpark(filter: OperationFilter, reason: string): Promise<number> {
    const { steps } = await previewOf(this.#surroundings, 'retry', { ...filter, state: 'parked' })
    const ids = steps.map(({ id }) => id)
    const moved = await this.#surroundings.engine.unpark(ids, reason)
    return moved.filter(did => did).length
  }

  /** Exactly what an action would do to all operations that match, without doing it. */
  preview(action: BulkAction, filter: OperationFilter): Promise<BulkPreview> {
    return previewOf(this.#surroundings, action, filter)
  }

  /** Does what a preview says; what has changed since is left alone. */
  apply(preview: BulkPreview): Promise<BulkDone> {
    return carryOut(this.#surroundings, preview)
  }

  /**
   * Forgets old ended operations, and all files of results that belong to none: of those, of discarded ones, of runs
   * that crashed. Abort stops between two steps.
   */
  prune(policy: PrunePolicy = {}, signal?: AbortSignal): Promise<Tidied> {
    return tidy(this.#surroundings, policy, signal)
  }

  status(): Promise<QueueStatus> {
    return statusOf(this.#surroundings)
  }

  /** Whether somebody who lives can run this capability. */
  async hasRunner(capability: string): Promise<boolean> {
    const runners = await this.#surroundings.ledger.runners()
    return runners.some(({ capabilities }) => capabilities.includes(capability))
  }

  /** Nothing of it is claimed any more; what runs goes on. */
  async pause(what: Pausable = { queue: true }): Promise<void> {
    const { engine, health } = this.#surroundings
    await engine.pause(what)
    if ('provider' in what) await health.pause(what.provider)
  }

  async resume(what: Pausable = { queue: true }): Promise<void> {
    const { engine, health } = this.#surroundings
    if ('provider' in what) await health.resume(what.provider)
    await engine.resume(what)
  }

  /** A runner of this process, not started yet. It is stopped when the queue is closed. */
  runner(options: RunnerOptions = {}): Runner {
    const runner = new Runner(this.#surroundings, this.#blocks, options)
    this.#runners.add(runner)
    return runner
  }

  /** Stops runners, gives back what `run` is at, and lets go of everything but ledger and engine. */
  async close({ graceMs = 0 }: { graceMs?: number } = {}): Promise<void> {
    await Promise.all([...this.#runners].map(runner => runner.stop({ graceMs })))
    this.#keeper.stop()
    await Promise.allSettled(this.#running)
    this.#waiters.close()
    this.#blocks.close()
    await this.#surroundings.health.dispose()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #run<R>(
    capability: string,
    params: unknown,
    { budgetMs, signal, onEvent, onSpent, ...options }: RunNowOptions,
  ): Promise<RunResult<R>> {
    const surroundings = this.#surroundings
    const begun = await this.#begin({ source: 'run', ...options, capability, params })
    const { claimed } = begun
    if (!claimed) return this.#outcome(begun.existing)
    const end = await this.#keeper.keep(claimed, signal, interrupted =>
      new OperationRun({
        surroundings,
        blocks: this.#blocks,
        claimed,
        signal: interrupted,
        budgetMs: budgetMs ?? surroundings.settings.budgetMs,
        ...(onEvent || onSpent ? { listener: { onEvent, onSpent } } : {}),
      }).run(),
    )
    if (end.end === 'succeeded') return { value: end.value as R, operationId: claimed.operation.id }
    return this.#outcome(claimed.operation.id, end.end === 'settled' ? end.cause : undefined)
  }

  /** Writes it down as its first run, leased by this process. */
  async #begin(submission: Submission): Promise<Begun> {
    const surroundings = this.#surroundings
    const { engine, registry, settings, runnerId: runner } = surroundings
    const operation = await newOperation(surroundings, submission)
    const leaseMs = registry.get(submission.capability)?.leaseMs ?? settings.leaseMs
    return engine.begin(operation, { runner, leaseMs }).catch(async error => ({
      existing: (await sameUnderKey(surroundings, operation, error)).id,
    }))
  }

  /** What the caller is told about an operation as it stands. */
  async #outcome<R>(id: string, cause?: unknown): Promise<RunResult<R>> {
    const result = await this.result(id)
    if (result.state === 'succeeded') return { value: result.value as R, operationId: id }
    if (result.state === 'dead') throw new OperationFailed(result.error.operation, cause)
    const { operation } = result
    if (isEnded(operation)) throw missing(id)
    return handedOver(operation)
  }

  async #one(action: BulkAction, id: string): Promise<BulkOutcome> {
    const operation = await this.#get(id)
    const { capability, state } = operation
    const outcome = outcomeOf(action, operation)
    const step = { id, capability, state, outcome }
    const { counts } = await carryOut(this.#surroundings, { action, total: 1, counts: {}, steps: [step] })
    return counts[outcome] === 1 ? outcome : 'none'
  }

  async #get(id: string): Promise<Operation> {
    const operation = await this.#surroundings.ledger.get(id)
    if (!operation) throw missing(id)
    return operation
  }
}

function nameOf(capability: string | Capability): string {
  return typeof capability === 'string' ? capability : capability.name
}
