import type { Blocks } from './blocks.ts'
import { Keeper } from './keeper.ts'
import { runResultOf } from './result.ts'
import { runOperation } from './run/operation-run.ts'
import type { RunListener } from './run/run-events.ts'
import type { RunResult } from './run-result.ts'
import type { Submission, SubmitOptions } from './submission.ts'
import { submitAsFirstRun } from './submit.ts'
import type { Surroundings } from './surroundings.ts'

/** How an operation is run now. */
export interface RunNowOptions extends Omit<SubmitOptions, 'at' | 'unchecked'>, RunListener {
  /** Time for tries in this process, in milliseconds. A try that takes longer is cut. Default that of the queue, 20 s. */
  budgetMs?: number
  /**
   * Time for waits between these tries, in milliseconds. A wait that is longer is handed over; a try that runs is not
   * cut by it. Default what is left of `budgetMs`.
   */
  waitHereMs?: number
  /** Abort cancels the operation, as long as it runs in this process. */
  signal?: AbortSignal
  /** Abort gives the operation back, as long as it runs in this process: it is due at once, and no retry is used up. */
  release?: AbortSignal
}

/** The runs that somebody in this process waits for: tried at once, handed over if that is not enough. */
export class RunsNow {
  readonly #surroundings: Surroundings
  readonly #blocks: Blocks
  readonly #keeper: Keeper
  readonly #running = new Set<Promise<unknown>>()

  constructor(surroundings: Surroundings, blocks: Blocks) {
    this.#surroundings = surroundings
    this.#blocks = blocks
    this.#keeper = new Keeper(surroundings)
  }

  async run<R>(capability: string, params: unknown, options: RunNowOptions): Promise<RunResult<R>> {
    const running = this.#run<R>(capability, params, options)
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }

  /** Gives back what is run. Settles when everybody who waited has been told. */
  async stop(): Promise<void> {
    this.#keeper.stop()
    await Promise.allSettled(this.#running)
  }

  async #run<R>(
    capability: string,
    params: unknown,
    { budgetMs, waitHereMs, signal, release, onEvent, onSpent, ...options }: RunNowOptions,
  ): Promise<RunResult<R>> {
    const surroundings = this.#surroundings
    const submission: Submission = { source: 'run', ...options, capability, params }
    const { claimed, existing } = await submitAsFirstRun(surroundings, submission)
    if (!claimed) return runResultOf(surroundings, existing)
    const end = await this.#keeper.keep(claimed, { cancel: signal, stop: release }, interrupted =>
      runOperation({
        surroundings,
        blocks: this.#blocks,
        claimed,
        signal: interrupted,
        budgetMs: budgetMs ?? surroundings.settings.budgetMs,
        waitHereMs,
        ...(onEvent || onSpent ? { listener: { onEvent, onSpent } } : {}),
      }),
    )
    const { id } = claimed.operation
    if (end.end === 'succeeded') return { value: end.value as R, operationId: id }
    return runResultOf(surroundings, id, end.end === 'settled' ? end.cause : undefined)
  }
}
