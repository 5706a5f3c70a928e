import { durableDesk } from '../job/durable-desk.ts'
import { performDurably } from '../job/durable-loop.ts'
import { outcomeInWords, type UnfinishedOutcome } from '../job/outcome.ts'
import type { JobWorker } from '../job/worker.ts'

/** The error classes of `@restatedev/restate-sdk`. */
export interface RestateErrors {
  TerminalError: new (
    message: string,
    options?: { errorCode?: number; metadata?: Record<string, string> },
  ) => Error
  RetryableError: new (message: string, options?: { retryAfter?: number; cause?: unknown }) => Error
  PauseError: new (message: string, options?: { cause?: unknown }) => Error
}

/** The part of a Restate handler's context that the adapter uses. */
export interface RestateContext {
  run<T>(name: string, work: () => Promise<T>): PromiseLike<T>
  sleep(ms: number): PromiseLike<unknown>
  request(): { id: unknown }
  date: { now(): PromiseLike<number> }
}

/** Options of {@link restateHandler}. */
export interface RestateOptions {
  /**
   * The service is deployed where each step may run in another process, such as AWS Lambda. A process that died during a
   * try then goes unnoticed. Default false.
   */
  isRequestResponse?: boolean
}

/** The Restate error for an outcome, to throw within `ctx.run`. Pauses a job that waits for a person. */
export function toRestateError(
  outcome: UnfinishedOutcome,
  { TerminalError, RetryableError, PauseError }: RestateErrors,
  error?: Error,
  now = Date.now(),
): Error {
  const message = error?.message ?? outcomeInWords(outcome)
  const options = error?.cause === undefined ? {} : { cause: error.cause }
  switch (outcome.outcome) {
    case 'retry':
      return new RetryableError(message, { retryAfter: Math.round(outcome.afterMs), ...options })
    case 'snooze':
      return new RetryableError(message, {
        retryAfter: Math.max(0, Math.round(outcome.until - now)),
        ...options,
      })
    case 'park':
      return new PauseError(message, options)
    case 'cancel':
      return new TerminalError(message, { metadata: { mulligan: outcome.as } })
  }
}

/**
 * A Restate handler that runs a worker: each try is a `ctx.run`, each wait a `ctx.sleep`. A job that waits for a person
 * asks the ledger from time to time; without one it ends with a terminal error, because Restate would run a paused try
 * again blindly.
 */
export function restateHandler<D, R>(
  worker: JobWorker<D, R>,
  errors: Pick<RestateErrors, 'TerminalError'>,
  { isRequestResponse = false }: RestateOptions = {},
): (context: RestateContext, data: D) => Promise<R> {
  worker.attend(durableDesk('restate', worker.name))
  return async (context, data) => {
    const end = await performDurably(
      worker,
      { engine: 'restate', queue: worker.name, jobId: String(context.request().id), job: context, data },
      {
        run: (name, work) => Promise.resolve(context.run(name, work)),
        sleepUntil: async (_name, at) => {
          await context.sleep(Math.max(0, at - (await context.date.now())))
        },
        isContinuous: !isRequestResponse,
      },
    )
    if (!('error' in end)) return end.outcome.value as R
    const { outcome, error } = end
    const metadata = { mulligan: outcome.outcome === 'cancel' ? outcome.as : `parked for ${outcome.for}` }
    throw new errors.TerminalError(error.message, { metadata })
  }
}
