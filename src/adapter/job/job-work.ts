import type { Capability } from '../../capability/capability.ts'
import { retryBounds } from '../../queue/run/judge.ts'
import { QUEUE_DEFAULTS } from '../../queue/settings.ts'
import { realTime, type Time } from '../../time/time.ts'
import { notify } from '../../verdict/listener.ts'
import type { JobContext } from './context.ts'
import { checkDefinition, type WorkerDefinition } from './definition.ts'
import { type WorkerEvent, type WorkerProblem, warnOfWorker } from './event.ts'
import type { JobBounds } from './judge.ts'
import type { Link } from './link.ts'
import { asObject, withoutRecord } from './record.ts'

/** How long at most an engine's queue is paused for a limit that the ledger knows, in milliseconds. */
const LONGEST_SHARED_PAUSE_MS = 30_000

/** What a worker does with one job, within its limits and pauses; how it gets jobs is not its concern. */
export class JobWork<D = Record<string, unknown>, R = unknown> {
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

  /** It is connected from now on; undefined: no longer. */
  linked(link: Link | undefined): void {
    this.#link = link
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
