import { loadTracing } from '../../call/tracing.ts'
import type { Capability } from '../../capability/capability.ts'
import { WrongArgument } from '../../failure/own-error.ts'
import { retryBounds } from '../../queue/bounds.ts'
import { QUEUE_DEFAULTS } from '../../queue/settings.ts'
import { realTime, type Time } from '../../time/time.ts'
import { notify } from '../../verdict/listener.ts'
import type { Connection, ConnectOptions } from '../citizen/connect.ts'
import type { EngineDesk } from '../citizen/desk.ts'
import type { JobContext } from './context.ts'
import { checkDefinition, type WorkerDefinition } from './definition.ts'
import type { EngineJob, Performed } from './engine-job.ts'
import { type WorkerEvent, type WorkerProblem, warnOfWorker } from './event.ts'
import { JobRun } from './job-run.ts'
import type { JobBounds } from './judge.ts'
import type { Link } from './link.ts'
import { asObject, withoutRecord } from './record.ts'

/** How long at most an engine's queue is paused for a limit that the ledger knows, in milliseconds. */
const LONGEST_SHARED_PAUSE_MS = 30_000

/** Work for the jobs of any engine. An adapter runs it: `bullmqProcessor(worker)`, `pgBossHandler(boss, worker)`, … */
export class JobWorker<D = Record<string, unknown>, R = unknown> {
  /** The worker as a capability. */
  readonly capability: Capability<D, R>
  readonly time: Time
  readonly random: () => number
  /** Limits on the tries of a job. */
  readonly bounds: JobBounds
  readonly #definition: WorkerDefinition<D, R>
  /** No job starts before this time, epoch milliseconds; 0 if no limit was met. */
  #pausedUntil = 0
  #link: Link | undefined
  readonly #desks = new Map<string, EngineDesk>()
  #connection: Promise<Connection> | undefined

  constructor(definition: WorkerDefinition<D, R>) {
    this.capability = checkDefinition(definition)
    this.#definition = definition
    const { time = realTime, random = Math.random, maxSnoozes, maxWaitMs } = definition
    this.time = time
    this.random = random
    const { maxRetries, isAsked, backoff, retryForMs } = retryBounds({}, this.capability, QUEUE_DEFAULTS)
    const { retry, resumable } = this.capability
    this.bounds = {
      ...{ retry, resumable, maxRetries, isAsked, backoff, retryForMs },
      maxSnoozes: maxSnoozes ?? QUEUE_DEFAULTS.maxSnoozes,
      maxWaitMs: maxWaitMs ?? QUEUE_DEFAULTS.maxWaitMs,
    }
  }

  /** Whether it has a schema for the data of a job. */
  get hasSchema(): boolean {
    return this.#definition.params !== undefined
  }

  /** Its name in events and reports. */
  get name(): string {
    return this.capability.name
  }

  /** The provider whose limits stop it; undefined if it has none. */
  get provider(): string | undefined {
    return this.capability.provider
  }

  /** No job starts before this time, epoch milliseconds; 0 if no limit is in force. */
  get pausedUntil(): number {
    return this.#pausedUntil > 0 && this.#pausedUntil > this.time.now() ? this.#pausedUntil : 0
  }

  /** Lets no job start before this time, epoch milliseconds. Returns when the engine should look again. */
  pauseUntil(until: number): number {
    // A connected worker hears when a limit lifts early, so nothing may stay paused for long.
    const at = this.#link ? Math.min(until, this.time.now() + LONGEST_SHARED_PAUSE_MS) : until
    this.#pausedUntil = Math.max(this.#pausedUntil, at)
    return at
  }

  /** The ledger that it is connected to; undefined if to none, or while that cannot be opened. */
  get link(): Link | undefined {
    return this.#link
  }

  /**
   * Connects it to a ledger: its jobs then share health, labels, unknowns and the screen with everything else on that
   * ledger, and wait in it for a person. While the ledger cannot be reached, the worker decides alone, as without one.
   * Rejects only if an option is wrong. Close the connection after the engine's worker.
   */
  connect(options: ConnectOptions): Promise<Connection> {
    if (this.#connection) throw new WrongArgument(`worker ${JSON.stringify(this.name)} is already connected`)
    const connection = import('../citizen/connect.ts').then(({ connectWorker }) =>
      connectWorker(this as unknown as JobWorker, options, {
        desks: () => [...this.#desks.values()],
        linked: link => {
          this.#link = link
        },
      }),
    )
    this.#connection = connection
    connection.catch(() => {
      this.#connection = undefined
    })
    return connection
  }

  /** Its connection to a ledger; undefined if it was not asked to connect. */
  get connection(): Promise<Connection> | undefined {
    return this.#connection
  }

  /** For adapters: how jobs of a queue are given back to their engine. Does nothing if it is known already. */
  attend(desk: EngineDesk): void {
    const name = `${desk.engine} ${desk.queue}`
    if (this.#desks.has(name)) return
    this.#desks.set(name, desk)
    void this.#connection
      ?.then(connection => connection.attend(desk))
      // The caller of connect sees why there is no connection.
      .catch(() => {})
  }

  /** Runs a job that its engine has started. Resolves with what the engine should do next. Never rejects. */
  perform(job: EngineJob): Promise<Performed> {
    const tracing = loadTracing()
    if (this.#link) return this.#link.perform(job)
    const run = new JobRun(this, job)
    return tracing ? tracing.then(() => run.perform()) : run.perform()
  }

  /** The work itself. */
  work(data: D, context: JobContext): R | Promise<R> {
    return this.#definition.run(data, context)
  }

  /** The data for the work: `pinned` overrides the job's data, which overrides `defaults`. */
  dataOf(data: unknown): unknown {
    const { defaults, pinned } = this.#definition
    const given = withoutRecord(data) ?? {}
    if ((!defaults && !pinned) || asObject(given) === undefined) return given
    return { ...defaults, ...(given as object), ...pinned }
  }

  /** Whether a limit of this provider also holds back the worker's other jobs. */
  pausesFor(provider: string | undefined): boolean {
    if (this.#definition.pause === false) return false
    return provider === undefined || this.provider === undefined || provider === this.provider
  }

  emit(event: WorkerEvent): void {
    notify(this.#definition.onEvent, event)
  }

  get hasListener(): boolean {
    return this.#definition.onEvent !== undefined
  }

  report(part: string, problem: string): void {
    const told: WorkerProblem = { worker: this.name, part, problem }
    notify(this.#definition.onProblem ?? warnOfWorker, told)
  }
}

/**
 * Defines work for the jobs of any engine: what it does, how its failures are classified, and its hooks. Throws if an
 * option is wrong.
 */
export function defineWorker<D = Record<string, unknown>, R = unknown>(
  definition: WorkerDefinition<D, R>,
): JobWorker<D, R> {
  return new JobWorker(definition)
}
