import { present } from '../../failure/present.ts'
import type { Attempt } from '../../ledger/attempt.ts'
import type { DeadOperation, Operation, SucceededOperation } from '../../ledger/operation.ts'
import { isAskedByPerson } from '../../ledger/parking.ts'
import type { QueueDeps } from '../../queue/queue-deps.ts'
import { verdictToJson } from '../../verdict/json.ts'
import type { RetryPolicy } from '../../verdict/retry-policy.ts'
import type { EngineJob, Performed } from '../job/engine-job.ts'
import type { JobOutcome, UnfinishedOutcome } from '../job/outcome.ts'
import { outcomeInWords } from '../job/outcome.ts'
import { hasEnded, type JobRecord, recordForRetryByHand, withRecord } from '../job/record.ts'

/** How a job stands by the ledger when its engine starts it: it has ended or waits, or it runs with this record. */
export type Standing = { end: Performed } | { record: JobRecord }

type Deps = Pick<QueueDeps, 'ledger' | 'time' | 'settings'>

/**
 * What the ledger says about a job that its engine has started.
 * @param retry whether it may run a second time
 */
export async function standingOf(
  deps: Deps,
  operation: Operation,
  job: EngineJob,
  record: JobRecord,
  retry: RetryPolicy,
): Promise<Standing> {
  const attempts = await deps.ledger.attempts(operation.id)
  const last = attempts.at(-1)
  const isLost = job.starts !== undefined && job.starts > record.starts + 1
  const known: JobRecord = { ...record, operation: operation.id }
  // A desk may have made it due in order to end it, and a worker starts it before the ledger has the end.
  if (operation.state === 'running' && operation.cancelRequested)
    return { end: cancelledInLedger(job, known) }
  // The ledger kept only the beginning of its result: it is made again, or asked for. Work that may run once ends without it.
  if (retry !== 'none' && operation.state === 'succeeded' && operation.resultCut) {
    const starts = (job.starts ?? known.starts + 1) - 1
    return { record: { ...known, starts, maybeDoneAt: operation.endedAt } }
  }
  if (!isLost) return afterWait(deps, operation, job, known, retry)
  // The worker that was lost may have settled the start here, and died before it could tell the engine.
  const isSettledHere = last !== undefined && startOf(last) >= (job.starts ?? 0) - 1
  return isSettledHere
    ? settledHere(deps, operation, job, recordOf(known, operation, last, job))
    : { record: known }
}

/** The engine starts a job that waited. */
async function afterWait(
  { ledger, time, settings }: Deps,
  operation: Operation,
  job: EngineJob,
  record: JobRecord,
  retry: RetryPolicy,
): Promise<Standing> {
  // A person who retries an ended job in the engine starts it over, whatever the ledger says.
  if (hasEnded(record)) return { record }
  if (operation.state === 'dead') return { end: cancelledInLedger(job, record, operation) }
  if (operation.state === 'succeeded') return { end: succeededInLedger(job, record, operation) }
  if (record.verdict?.action !== 'park') return { record }
  const { verdict: _waited, ...rest } = record
  // Parked here, started there: a person has promoted it.
  if (operation.state === 'parked' && operation.parkedAt + settings.maxParkedMs > time.now())
    return { record: recordForRetryByHand(record, retry) }
  const timeline = await ledger.timeline(operation.id)
  const sinceParked = timeline.slice(timeline.findLastIndex(({ type }) => type === 'parked') + 1)
  return { record: sinceParked.some(isAskedByPerson) ? recordForRetryByHand(record, retry) : rest }
}

/** The start before this one ended as the ledger says, but the engine was not told. */
function settledHere(
  { time, settings }: Deps,
  operation: Operation,
  job: EngineJob,
  record: JobRecord,
): Standing {
  const now = time.now()
  switch (operation.state) {
    case 'succeeded':
      return { end: succeededInLedger(job, record, operation) }
    case 'dead':
      return { end: cancelledInLedger(job, record, operation) }
    case 'parked': {
      const { parkedFor, parkedAt, reason = 'it waits for a person' } = operation
      const until = parkedAt + settings.maxParkedMs
      return { end: performed({ outcome: 'park', for: parkedFor, until, reason }, job, record) }
    }
    case 'scheduled': {
      const { dueAt, mode, reason = 'it is not due yet' } = operation
      if (dueAt <= now) return { record }
      const waiting = { for: 'retry' as const, since: now }
      return {
        end: performed({ outcome: 'snooze', until: dueAt, mode, reason }, job, { ...record, waiting }),
      }
    }
    case 'running':
      return { record }
  }
}

/** The end of a job that has succeeded in the ledger. */
export function succeededInLedger(
  job: EngineJob,
  record: JobRecord,
  { result, resultCut }: SucceededOperation,
): Performed {
  // The beginning of a result must not pass for the whole.
  return performed({ outcome: 'done', value: resultCut ? undefined : result }, job, record)
}

/** The end of a job that is dead in the ledger. */
export function cancelledInLedger(job: EngineJob, record: JobRecord, dead?: DeadOperation): Performed {
  const { deadAs: as = 'cancelled', reason = 'cancelled by a person' } = dead ?? {}
  const verdict = { action: 'cancel', as, reason, rule: 'citizen:dead' } as const
  return performed({ outcome: 'cancel', as, reason }, job, { ...record, verdict: verdictToJson(verdict) })
}

/** The record that the lost worker could not write to the job. */
function recordOf(record: JobRecord, operation: Operation, last: Attempt, job: EngineJob): JobRecord {
  const { failure, verdict, endedAt } = last
  const { attempts, retries, snoozes, snoozedMs, retryingMs, firstFailedAt, agentSession } = operation
  const isResumed = operation.state === 'scheduled' && operation.mode === 'resume'
  return {
    ...record,
    starts: (job.starts ?? 1) - 1,
    tries: attempts,
    ...{ retries, snoozes, snoozedMs, retryingMs },
    ...present({ firstFailedAt, failure }),
    ...(leavesOpen(last) ? { maybeDoneAt: endedAt } : {}),
    ...(verdict ? { verdict: verdictToJson(verdict) } : {}),
    ...(isResumed && agentSession !== undefined ? { resume: agentSession } : {}),
  }
}

/** The engine's number of the start that an attempt was made in; 0 if it is not known. */
export function startOf({ note }: Pick<Attempt, 'note'>): number {
  const start = (note as { start?: unknown } | undefined)?.start
  return typeof start === 'number' ? start : 0
}

/**
 * Whether the job may have taken effect when an attempt ended. One without a failure was a result that a hook refused, or a
 * check that could not tell: neither proves that nothing happened.
 */
export function leavesOpen({ failure, note }: Pick<Attempt, 'failure' | 'note'>): boolean {
  const { open } = (note ?? {}) as { open?: unknown }
  return open === true || failure?.effect !== 'none'
}

function performed(outcome: JobOutcome, job: EngineJob, record: JobRecord): Performed {
  const own = { ...record, starts: job.starts ?? record.starts + 1 }
  return {
    outcome,
    record: own,
    data: withRecord(job.data, own),
    ...(outcome.outcome === 'done' ? {} : { error: errorOf(outcome, record) }),
  }
}

function errorOf(outcome: UnfinishedOutcome, { failure }: JobRecord): Error {
  const words = outcomeInWords(outcome)
  const message = failure ? `${failure.message} (${words})` : words
  return Object.assign(new Error(message), { name: 'JobFailed' })
}
