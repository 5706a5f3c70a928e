import { loadTracing } from '../../call/tracing.ts'
import { WrongArgument } from '../../failure/own-error.ts'
import type { Connection, ConnectOptions } from '../citizen/connect.ts'
import type { EngineDesk } from '../citizen/desk.ts'
import type { WorkerDefinition } from './definition.ts'
import type { EngineJob, Performed } from './engine-job.ts'
import { JobRun } from './job-run.ts'
import { JobWork } from './job-work.ts'

/** Work for the jobs of any engine. An adapter runs it: `bullmqProcessor(worker)`, `pgBossHandler(boss, worker)`, … */
export class JobWorker<D = Record<string, unknown>, R = unknown> extends JobWork<D, R> {
  readonly #desks = new Map<string, EngineDesk>()
  #connection: Promise<Connection> | undefined
  #connecting: Promise<void> | undefined

  /**
   * Connects it to a ledger: its jobs then share health, labels, unknowns and the screen with everything else on that
   * ledger, and wait in it for a person. While the ledger cannot be reached, the worker decides alone, as without one.
   * Rejects only if an option is wrong. Close the connection after the engine's worker.
   */
  connect(options: ConnectOptions): Promise<Connection> {
    if (this.#connection) throw new WrongArgument(`worker ${JSON.stringify(this.name)} is already connected`)
    const connection = import('../citizen/connect.ts').then(({ connectWorker }) =>
      connectWorker(this as unknown as JobWork, options, {
        desks: () => [...this.#desks.values()],
        linked: link => this.linked(link),
      }),
    )
    this.#connection = connection
    this.#connecting = connection
      .catch(() => {
        this.#connection = undefined
      })
      .then(() => {
        this.#connecting = undefined
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
    // A first job that fails would be decided alone, and could end although it may wait in the ledger.
    if (this.#connecting) return this.#connecting.then(() => this.perform(job))
    const tracing = loadTracing()
    if (this.link) return this.link.perform(job)
    const run = new JobRun(this, job)
    return tracing ? tracing.then(() => run.perform()) : run.perform()
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
