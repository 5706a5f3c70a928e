import { performDurably } from '../job/durable-loop.ts'
import { outcomeInWords, type UnfinishedOutcome } from '../job/outcome.ts'
import type { JobWorker } from '../job/worker.ts'

/** What is needed of `inngest`: its classes of errors. */
export interface InngestErrors {
  NonRetriableError: new (message: string, options?: { cause?: unknown }) => Error
  RetryAfterError: new (
    message: string,
    retryAfter: number | string | Date,
    options?: { cause?: unknown },
  ) => Error
}

/** What is needed of the argument of a function of Inngest. */
export interface InngestContext {
  /** Times that the step which runs now was begun before. */
  attempt: number
  runId: string
  step: {
    // biome-ignore lint/suspicious/noExplicitAny: Inngest gives the result as JSON, with types of its own
    run(id: string, work: () => Promise<any>): Promise<any>
    sleepUntil(id: string, time: Date): Promise<unknown>
  }
}

/** Inngest waits a day at most before a retry. */
const LONGEST_MS = 86_400_000

/** An error of Inngest that does what was decided, within a step that Inngest itself retries. */
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
 * Runs a worker as steps of a function of Inngest: each try is a step, each wait a `sleepUntil`, so that no retry of Inngest is
 * used up and waits may be longer than a day. Rejects with a `NonRetriableError` for what ends without success.
 */
export async function runInngest<D, R>(
  worker: JobWorker<D, R>,
  data: D,
  context: InngestContext,
  { NonRetriableError }: Pick<InngestErrors, 'NonRetriableError'>,
): Promise<R> {
  const { step, runId, attempt } = context
  const end = await performDurably(
    worker,
    { engine: 'inngest', queue: worker.name, jobId: runId, job: context, data },
    {
      run: (name, work) => step.run(name, work),
      sleepUntil: async (name, at) => {
        await step.sleepUntil(name, new Date(at))
      },
      begun: () => attempt + 1,
    },
  )
  if (end.outcome.outcome === 'done') return end.outcome.value as R
  const { error } = end as { error: Error }
  throw new NonRetriableError(error.message, { cause: error })
}
