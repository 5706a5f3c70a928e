import { durableDesk, wakeTopic } from '../job/durable-desk.ts'
import { performDurably } from '../job/durable-loop.ts'
import { outcomeInWords, type UnfinishedOutcome } from '../job/outcome.ts'
import type { JobWorker } from '../job/worker.ts'

/** The error classes of `inngest`. */
export interface InngestErrors {
  NonRetriableError: new (message: string, options?: { cause?: unknown }) => Error
  RetryAfterError: new (
    message: string,
    retryAfter: number | string | Date,
    options?: { cause?: unknown },
  ) => Error
}

/** The part of an Inngest function's argument that the adapter uses. */
export interface InngestContext {
  /** How often the current step was started before. */
  attempt: number
  runId: string
  step: {
    // biome-ignore lint/suspicious/noExplicitAny: Inngest gives the result as JSON, with types of its own
    run(id: string, work: () => Promise<any>): Promise<any>
    sleepUntil(id: string, time: Date): Promise<unknown>
    waitForEvent?(id: string, options: { event: string; if: string; timeout: Date }): Promise<unknown>
  }
}

/** The part of an Inngest client that the adapter uses. */
export interface InngestClient {
  send(event: { name: string; id: string; data: Record<string, unknown> }): Promise<unknown>
}

/** Options of {@link runInngest}. */
export interface InngestOptions extends Pick<InngestErrors, 'NonRetriableError'> {
  /** Wakes a parked job of a connected worker by an event. Default: the job asks the ledger from time to time. */
  client?: InngestClient
}

const RESUMED = 'mulligan/resumed'

/** Inngest waits at most one day before a retry. */
const LONGEST_MS = 86_400_000

/** The Inngest error for an outcome, to throw within a step that Inngest retries itself. */
export function toInngestError(
  outcome: UnfinishedOutcome,
  { NonRetriableError, RetryAfterError }: InngestErrors,
  error?: Error,
  now = Date.now(),
): Error {
  const message = error?.message ?? outcomeInWords(outcome)
  const options = error?.cause === undefined ? {} : { cause: error.cause }
  switch (outcome.outcome) {
    case 'retry':
      return new RetryAfterError(message, Math.min(outcome.afterMs, LONGEST_MS), options)
    case 'snooze':
      return new RetryAfterError(message, Math.min(Math.max(0, outcome.until - now), LONGEST_MS), options)
    default:
      return new NonRetriableError(message, options)
  }
}

/**
 * Runs a worker as steps of an Inngest function. Each try is a step and each wait a `sleepUntil`, which uses up none of
 * Inngest's retries and may be longer than a day. Rejects with a `NonRetriableError` if the job ends without success.
 */
export async function runInngest<D, R>(
  worker: JobWorker<D, R>,
  data: D,
  context: InngestContext,
  { NonRetriableError, client }: InngestOptions,
): Promise<R> {
  const { step, runId, attempt } = context
  const wake = (job: string, start: number) =>
    client?.send({ name: RESUMED, id: `${job} ${wakeTopic(start)}`, data: { job, start } }) ??
    Promise.resolve()
  worker.attend(durableDesk('inngest', worker.name, { wake }))
  const end = await performDurably(
    worker,
    { engine: 'inngest', queue: worker.name, jobId: runId, job: context, data },
    {
      run: (name, work) => step.run(name, work),
      sleepUntil: async (name, at) => {
        await step.sleepUntil(name, new Date(at))
      },
      ...(step.waitForEvent && client
        ? {
            sleepOrWake: async (name: string, at: number, start: number) =>
              step.waitForEvent?.(name, {
                event: RESUMED,
                if: `async.data.job == ${JSON.stringify(runId)} && async.data.start == ${start}`,
                timeout: new Date(at),
              }),
          }
        : {}),
      begun: () => attempt + 1,
    },
  )
  if (end.outcome.outcome === 'done') return end.outcome.value as R
  const { error } = end as { error: Error }
  throw new NonRetriableError(error.message, { cause: error })
}
