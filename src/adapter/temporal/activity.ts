import { durableDesk } from '../job/durable-desk.ts'
import type { Performed } from '../job/engine-job.ts'
import { outcomeInWords, type UnfinishedOutcome } from '../job/outcome.ts'
import {
  asObject,
  type JobRecord,
  RECORD_KEY,
  readRecord,
  recordOfAttempt,
  recordToJson,
} from '../job/record.ts'
import type { JobWorker } from '../job/worker.ts'
import { RESUMED } from './workflow/run.ts'

/** The error class of `@temporalio/common`. */
export interface TemporalErrors {
  ApplicationFailure: {
    create(options: {
      message?: string
      type?: string
      nonRetryable?: boolean
      details?: unknown[]
      nextRetryDelay?: number
      cause?: Error
      category?: 'BENIGN'
    }): Error
  }
}

/** The part of `@temporalio/activity` that the adapter uses: the context of the running activity. */
export interface TemporalActivity {
  Context: {
    current(): {
      info: {
        activityId: string
        activityType: string
        attempt: number
        taskQueue: string
        workflowExecution?: { workflowId: string } | undefined
        heartbeatDetails?: unknown
      }
      cancellationSignal: AbortSignal
      /** Why it was cancelled; undefined until it is, and in older versions. */
      cancellationDetails?: { workerShutdown: boolean } | undefined
      heartbeat(details: unknown): void
    }
  }
}

/** The Temporal error for an outcome. */
export function toApplicationFailure(
  outcome: UnfinishedOutcome,
  { ApplicationFailure }: TemporalErrors,
  { error, record }: Partial<Pick<Performed, 'error' | 'record'>> = {},
  now = Date.now(),
): Error {
  const { outcome: what } = outcome
  const waits = what === 'retry' || what === 'snooze'
  const afterMs =
    what === 'snooze' ? Math.max(0, outcome.until - now) : what === 'retry' ? outcome.afterMs : 0
  return ApplicationFailure.create({
    message: error?.message ?? outcomeInWords(outcome),
    type: record?.failure ? `${record.failure.class}/${record.failure.kind}` : 'mulligan',
    nonRetryable: !waits,
    details: [{ outcome, [RECORD_KEY]: record ? recordToJson(record) : null }],
    // Temporal takes whole milliseconds, and 0 would mean its own backoff.
    ...(waits ? { nextRetryDelay: Math.max(1, Math.round(afterMs)) } : {}),
    ...(error?.cause instanceof Error ? { cause: error.cause } : {}),
    // Waiting for a limit is no incident: no error log, no failure metric.
    ...(what === 'snooze' ? { category: 'BENIGN' as const } : {}),
  })
}

/** The outcome in an `ActivityFailure` that a workflow caught; undefined for another error. */
export function outcomeOfActivity(error: unknown): UnfinishedOutcome | undefined {
  const { details } = ((error as { cause?: unknown })?.cause ?? error ?? {}) as { details?: unknown[] }
  const outcome = asObject(asObject(details?.[0])?.outcome)
  return typeof outcome?.outcome === 'string' ? (outcome as unknown as UnfinishedOutcome) : undefined
}

/** The part of Temporal's client that the adapter uses to let parked jobs go on. */
export interface TemporalClient {
  workflow: {
    getHandle(workflowId: string): {
      signal(name: string, start: number): Promise<unknown>
    }
  }
}

/** Options of {@link temporalActivity}. */
export interface TemporalOptions {
  /**
   * For a connected worker whose workflows use `runTemporal`: signals a workflow whose parked job may go on. Default none:
   * a parked job ends.
   */
  client?: TemporalClient
}

/** A Temporal activity that runs a worker: `{ review: temporalActivity(worker, { ApplicationFailure, Context }) }`. */
export function temporalActivity<D, R>(
  worker: JobWorker<D, R>,
  temporal: TemporalErrors & TemporalActivity,
  { client }: TemporalOptions = {},
): (data: D) => Promise<R> {
  const wake = (jobId: string, start: number) =>
    client?.workflow.getHandle(jobId.slice(0, jobId.lastIndexOf('/'))).signal(RESUMED, start) ??
    Promise.resolve()
  return async data => {
    const { info, cancellationSignal, heartbeat, isShutdown } = contextOf(temporal)
    if (client) worker.attend(durableDesk('temporal', info.taskQueue, { wake }))
    const carried = readRecord(data).starts
    const record = recordOf(info, data)
    const start = carried + info.attempt
    const performed = await worker.perform({
      engine: 'temporal',
      queue: info.taskQueue,
      jobId: `${info.workflowExecution?.workflowId ?? ''}/${info.activityId}`,
      job: info,
      data,
      record,
      starts: start,
      signal: cancellationSignal,
      // Temporal also aborts when the worker shuts down, as in every deployment; another worker then continues.
      get abortMeans() {
        return isShutdown() ? ('stop' as const) : ('cancel' as const)
      },
    })
    const { outcome } = performed
    if (outcome.outcome === 'done') return outcome.value as R
    // Temporal records an activity as cancelled only if its own error comes back.
    if (cancellationSignal.aborted && outcome.outcome === 'cancel' && outcome.as === 'cancelled')
      throw cancellationSignal.reason
    // The next attempt reads the record from the heartbeat.
    heartbeat({ [RECORD_KEY]: recordToJson({ ...performed.record, starts: start }) })
    throw toApplicationFailure(outcome, temporal, performed, worker.time.now())
  }
}

type Info = ReturnType<TemporalActivity['Context']['current']>['info']

function contextOf({ Context }: TemporalActivity) {
  const context = Context.current()
  return {
    info: context.info,
    cancellationSignal: context.cancellationSignal,
    heartbeat: (details: unknown) => context.heartbeat(details),
    isShutdown: () => {
      const { cancellationDetails, cancellationSignal } = context
      const { message } = (cancellationSignal.reason ?? {}) as Partial<Error>
      return cancellationDetails?.workerShutdown ?? message === 'WORKER_SHUTDOWN'
    },
  }
}

/** The record of the last heartbeat, or of the activity before this one. If neither arrived, Temporal's attempts count. */
function recordOf({ heartbeatDetails, attempt }: Info, data: unknown): JobRecord {
  if (asObject(asObject(heartbeatDetails)?.[RECORD_KEY])) return readRecord(heartbeatDetails)
  return attempt === 1 ? readRecord(data) : recordOfAttempt(attempt)
}
