import { LeaseKeeper } from './lease-keeper.ts'
import type { ProviderHolds } from './provider-holds.ts'
import type { QueueDeps } from './queue-deps.ts'
import { runResultOf } from './result.ts'
import { runOperation } from './run/operation-run.ts'
import type { RunListener } from './run/run-events.ts'
import type { HearBy, RunResult } from './run-result.ts'
import type { Submission, SubmitOptions } from './submission.ts'
import { submitAsFirstRun } from './submit.ts'

/** Options for running an operation now. */
export interface RunNowOptions extends Omit<SubmitOptions, 'at' | 'unchecked'>, RunListener {
  /** Time for tries in this process, in milliseconds. A longer try is aborted. Default: the queue's, 20 s. */
  budgetMs?: number
  /**
   * Time for waits between these tries, in milliseconds. A longer wait is handed over; a running try is not aborted. Default: the
   * rest of `budgetMs`.
   */
  waitHereMs?: number
  /** The last sentence of `retryHint`: how to learn how it ended. Default: by command. */
  hearBy?: HearBy
  /** Gets the id as soon as the operation is stored, before its first try. */
  onBegun?: (id: string) => void
  /** Abort cancels the operation while it runs in this process. */
  signal?: AbortSignal
  /** Abort releases the operation while it runs in this process: it is due at once, and no retry is used. */
  release?: AbortSignal
}

/** Runs that a caller in this process waits for: tried at once, handed over if that is not enough. */
export class RunsNow {
  readonly #deps: QueueDeps
  readonly #holds: ProviderHolds
  readonly #keeper: LeaseKeeper
  readonly #running = new Set<Promise<unknown>>()

  constructor(deps: QueueDeps, holds: ProviderHolds) {
    this.#deps = deps
    this.#holds = holds
    this.#keeper = new LeaseKeeper(deps)
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

  /** Releases running operations. Resolves once every caller has its answer. */
  async stop(): Promise<void> {
    this.#keeper.stop()
    await Promise.allSettled(this.#running)
  }

  async #run<R>(
    capability: string,
    params: unknown,
    { budgetMs, waitHereMs, hearBy, onBegun, signal, release, onEvent, onSpent, ...options }: RunNowOptions,
  ): Promise<RunResult<R>> {
    const deps = this.#deps
    const submission: Submission = { source: 'run', ...options, capability, params }
    const { claimed, existing } = await submitAsFirstRun(deps, submission, 'submit')
    onBegun?.(claimed ? claimed.operation.id : existing)
    if (!claimed) return runResultOf(deps, existing, { hearBy })
    const end = await this.#keeper.keep(claimed, { cancel: signal, stop: release }, (interrupted, lost) =>
      runOperation({
        deps,
        holds: this.#holds,
        claimed,
        signal: interrupted,
        news: { lost },
        budgetMs: budgetMs ?? deps.settings.budgetMs,
        waitHereMs,
        ...(onEvent || onSpent ? { listener: { onEvent, onSpent } } : {}),
      }),
    )
    const { id } = claimed.operation
    if (end.end === 'succeeded') return { value: end.value as R, operationId: id }
    return runResultOf(deps, id, { hearBy, ...(end.end === 'settled' ? { cause: end.cause } : {}) })
  }
}
