import type { Queue } from '../queue/queue.ts'
import type { Runner } from '../queue/runner.ts'
import { realTime, type Time } from '../time/time.ts'

/** How often it looks whether a daemon is alive, in milliseconds. */
const LOOK_EVERY_MS = 30_000
/** Begins the label of such a runner. */
const LABEL = 'mcp'

/** How a stand-in runs. */
export interface StandInOptions {
  concurrency: number
  /** False: it never runs anything. */
  isWanted: boolean
  onError: (error: unknown) => void
  /** Default the time of this machine. */
  time?: Time
}

/**
 * Runs what is due while no daemon or other program does: the process of an agent's session ends without notice, so that what
 * somebody else can run is better off there.
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

  /** Looks for others, and steps in if there is nobody. */
  async start(): Promise<void> {
    if (this.#options.isWanted) await this.#lookAgain()
  }

  /** What runs has `graceMs` to end; the rest is handed back. */
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
    // It takes nothing new; what it is at goes on to its end.
    void before?.stop({ graceMs: Infinity }).catch(this.#options.onError)
  }
}
