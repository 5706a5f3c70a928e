import type { Queue } from '../../../queue/queue.ts'
import type { Runner } from '../../../queue/runner.ts'
import { realTime, type Time } from '../../../time/time.ts'

/** How often it checks for a live daemon, in milliseconds. */
const LOOK_EVERY_MS = 30_000
/** Prefix of the label of such a runner. */
const LABEL = 'mcp'

/** Settings of a {@link StandInRunner}. */
export interface StandInOptions {
  concurrency: number
  /** False: never runs anything. */
  isWanted: boolean
  onError: (error: unknown) => void
  /** Default the system clock. */
  time?: Time
}

/**
 * Runs due operations while no daemon or other program does. It steps back for others, because the process of an agent's
 * session may end without notice.
 */
export class StandInRunner {
  readonly #queue: Queue
  readonly #options: StandInOptions
  readonly #time: Time
  #runner: Runner | undefined
  #cancel: (() => void) | undefined
  #isStopped = false
  #looking: Promise<void> = Promise.resolve()

  constructor(queue: Queue, options: StandInOptions) {
    this.#queue = queue
    this.#options = options
    this.#time = options.time ?? realTime
  }

  /** Whether it runs operations now. */
  get isRunning(): boolean {
    return this.#runner !== undefined
  }

  /** Starts running operations if no other runner is alive, and keeps checking. */
  async start(): Promise<void> {
    if (this.#options.isWanted) await this.#lookAgain()
  }

  /** Stops. Running operations get `graceMs` to end; the rest returns to the queue. */
  async stop({ graceMs }: { graceMs: number }): Promise<void> {
    this.#isStopped = true
    this.#cancel?.()
    await this.#looking
    await this.#runner?.stop({ graceMs })
  }

  #lookAgain(): Promise<void> {
    this.#looking = this.#look()
      .catch(this.#options.onError)
      .finally(() => {
        if (!this.#isStopped) this.#cancel = this.#time.after(LOOK_EVERY_MS, () => void this.#lookAgain())
      })
    return this.#looking
  }

  async #look(): Promise<void> {
    const runners = await this.#queue.ledger.runners()
    const isNeeded = runners.every(({ label }) => label?.startsWith(`${LABEL} `))
    if (this.#isStopped || isNeeded === this.isRunning) return
    const before = this.#runner
    if (isNeeded) {
      this.#runner = this.#queue.runner({
        concurrency: this.#options.concurrency,
        label: `${LABEL} ${process.pid}`,
      })
      await this.#runner.start()
      return
    }
    this.#runner = undefined
    // Takes nothing new; its running operations continue to their end.
    void before?.stop({ graceMs: Infinity }).catch(this.#options.onError)
  }
}
