import { performDurably } from '../job/durable-loop.ts'
import { outcomeInWords, type UnfinishedOutcome } from '../job/outcome.ts'
import type { JobWorker } from '../job/worker.ts'

/** What is needed of `@restatedev/restate-sdk`: its classes of errors. */
export interface RestateErrors {
  TerminalError: new (
    message: string,
    options?: { errorCode?: number; metadata?: Record<string, string> },
  ) => Error
  RetryableError: new (message: string, options?: { retryAfter?: number; cause?: unknown }) => Error
  PauseError: new (message: string, options?: { cause?: unknown }) => Error
}

/** What is needed of the context of a handler of Restate. */
export interface RestateContext {
  run<T>(name: string, work: () => Promise<T>): PromiseLike<T>
  sleep(ms: number): PromiseLike<unknown>
  request(): { id: unknown }
  date: { now(): PromiseLike<number> }
}

/** How a handler runs. */
export interface RestateOptions {
  /**
   * The service is deployed where each step may run in another process, such as AWS Lambda: then a process that died in the
   * middle of a try cannot be told from one that did not. Default false.
   */
  isRequestResponse?: boolean
}

/** An error of Restate that does what was decided, for use within `ctx.run`. A job that waits for a person is paused. */
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
 * A handler of Restate that runs a worker: each try is a `ctx.run`, each wait a `ctx.sleep`. What waits for a person ends as a
 * terminal error too, because a pause would run the try again blindly.
 */
export function restateHandler<D, R>(
  worker: JobWorker<D, R>,
  errors: Pick<RestateErrors, 'TerminalError'>,
  { isRequestResponse = false }: RestateOptions = {},
): (context: RestateContext, data: D) => Promise<R> {
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
