import type { Performed } from '../job/engine-job.ts'
import { outcomeInWords, type UnfinishedOutcome } from '../job/outcome.ts'
import { recordOfAttempt } from '../job/record.ts'
import type { JobWorker } from '../job/worker.ts'

/** The error classes of `workflow`. */
export interface WorkflowSdkErrors {
  FatalError: new (message: string) => Error
  RetryableError: new (message: string, options?: { retryAfter?: number | Date }) => Error
}

/** The part of `getStepMetadata` of `workflow` that the adapter uses. */
export interface WorkflowSdkStep {
  stepId: string
  /** From 1. */
  attempt: number
}

/** The Workflow SDK error for an outcome. */
export function toWorkflowError(
  outcome: UnfinishedOutcome,
  { FatalError, RetryableError }: WorkflowSdkErrors,
  { error }: Partial<Pick<Performed, 'error'>> = {},
): Error {
  const message = error?.message ?? outcomeInWords(outcome)
  switch (outcome.outcome) {
    case 'retry':
      return new RetryableError(message, { retryAfter: Math.round(outcome.afterMs) })
    case 'snooze':
      return new RetryableError(message, { retryAfter: new Date(outcome.until) })
    default:
      return new FatalError(message)
  }
}

/**
 * Runs a worker within a step of the Workflow SDK. The SDK keeps nothing between the attempts of a step, so the attempts
 * count as both retries and snoozes, and only repeatable work gets a second try.
 */
export async function runWorkflowStep<D, R>(
  worker: JobWorker<D, R>,
  data: D,
  step: WorkflowSdkStep,
  errors: WorkflowSdkErrors,
): Promise<R> {
  const performed = await worker.perform({
    engine: 'workflow-sdk',
    queue: worker.name,
    jobId: step.stepId,
    job: step,
    data,
    record: recordOfAttempt(step.attempt),
  })
  const { outcome } = performed
  if (outcome.outcome === 'done') return outcome.value as R
  throw toWorkflowError(outcome, errors, performed)
}
