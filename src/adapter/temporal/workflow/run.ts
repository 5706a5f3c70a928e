// Runs inside Temporal's sandbox, so it imports nothing.

/** The part of `@temporalio/workflow` that is used. */
export interface TemporalWorkflow {
  // biome-ignore lint/suspicious/noExplicitAny: Temporal's own types of signals
  defineSignal(name: string): any
  // biome-ignore lint/suspicious/noExplicitAny: Temporal's own types of signals
  setHandler(signal: any, handler: (start: number) => void): void
  condition(isMet: () => boolean, timeoutMs: number): Promise<boolean>
}

/** The signal that a parked job may go on. */
export const RESUMED = 'mulligan.resumed'

interface Carried {
  starts: number
}

/**
 * Runs an activity of `temporalActivity(…, { client })` within a workflow: a job that a connected worker parked waits here
 * until it is signalled, and then goes on in another activity. Rejects as the activity does if the job ends.
 */
export async function runTemporal<D extends object, R>(
  activity: (data: D) => Promise<R>,
  data: D,
  { defineSignal, setHandler, condition }: TemporalWorkflow,
): Promise<R> {
  let resumed = 0
  setHandler(defineSignal(RESUMED), start => {
    resumed = Math.max(resumed, start)
  })
  for (let given = data; ; )
    try {
      return await activity(given)
    } catch (error) {
      const parked = parkedIn(error)
      if (!parked) throw error
      const { until, record } = parked
      // A signal for an earlier start says nothing about this one.
      await condition(() => resumed >= record.starts, Math.max(1, until - Date.now()))
      given = { ...data, mulligan: record }
    }
}

/** The park that an `ActivityFailure` carries, if the ledger keeps the job. */
function parkedIn(error: unknown): { until: number; record: Carried } | undefined {
  const { details } = ((error as { cause?: unknown })?.cause ?? error ?? {}) as {
    details?: { outcome?: { outcome?: string; until?: number }; mulligan?: Carried }[]
  }
  const { outcome, mulligan } = details?.[0] ?? {}
  if (outcome?.outcome !== 'park' || outcome.until === undefined || !mulligan) return undefined
  return { until: outcome.until, record: mulligan }
}
