import { present } from '../../failure/present.ts'
import type { Time } from '../../time/time.ts'
import type { NewAttempt } from '../attempt.ts'
import type { Appended, HandBack, RunRecord, Started } from '../ledger.ts'
import type { Fence, RunningOperation } from '../operation.ts'
import { aboutFailure } from '../row/failed-attempt.ts'
import { filled } from '../row/filled.ts'
import type { OperationRow } from '../row/operation-row.ts'
import { CANCELLED_WHILE_RUNNING, runEnd, timesOf } from '../row/run-end.ts'
import { toOperation } from '../row/to-operation.ts'
import type { EndingVerdict, Settled, Settlement } from '../settlement.ts'
import { withoutSecrets } from '../without-secrets.ts'
import type { AskedValue, Asking, Lease } from './asking.ts'
import { spentIn, writeAttempt } from './attempts.ts'
import { handToEngine } from './holds.ts'
import { changed, operationRow, type RunningRow, runningRow } from './operation-rows.ts'

/** Begins the next run of an operation whose runner was lost. From then on, its number fences the writes of the lost one. */
export function* takeOverRun(
  id: string,
  from: string,
  lease: Lease | undefined,
  time: Time,
): Asking<Started | undefined> {
  const row = yield* operationRow(id, 'running')
  if (!row) return undefined
  const now = time.now()
  const next = { ...row, run: row.run + 1, since: now, updated_at: now }
  yield* changed(next, {
    at: now,
    type: 'taken_over',
    data: { from },
    set: 'run = run + 1, since = $1, run_cost_usd = 0, run_provider = NULL',
    lease,
  })
  return { operation: toOperation(next) as RunningOperation, lost: lostRun(row) }
}

/** What a run that is taken over left behind. */
function lostRun(row: OperationRow): NonNullable<Started['lost']> {
  return filled({
    run: row.run,
    startedAt: row.since,
    agentSession: row.agent_session,
    folder: row.folder,
    provider: row.run_provider,
    ...(row.run_cost_usd === 0 ? {} : { costUsd: row.run_cost_usd }),
  })
}

/** Writes an attempt that does not end its run. */
export function* appendAttempt(
  fence: Fence,
  attempt: NewAttempt,
  { lostRunner = false }: { lostRunner?: boolean },
  time: Time,
): Asking<Appended> {
  const row = yield* runningRow(fence)
  if (!('attempts' in row)) return row
  const number = row.attempts + 1
  const failure = yield* writeAttempt(row.id, number, row.run, attempt)
  const event = yield* changed(row, {
    at: time.now(),
    type: 'attempted',
    data: { attempt: number, ...aboutFailure(failure) },
    set: `attempts = $7, retries = retries + $8, waits = waits + $9, cost_usd = cost_usd + $10,
      agent_session = coalesce($11, agent_session)`,
    values: [
      number,
      lostRunner || attempt.verdict?.action === 'retry' ? 1 : 0,
      lostRunner ? 1 : 0,
      attempt.costUsd ?? 0,
      attempt.sessionId ?? null,
    ],
  })
  return { settled: true, event, number }
}

/** Stores what became known during a run. */
export function* recordRun(
  fence: Fence,
  { agentSession, folder, provider, costUsd }: RunRecord,
  time: Time,
): Asking<boolean> {
  const row = yield* runningRow(fence)
  if (!('attempts' in row)) return false
  yield* changed(row, {
    at: time.now(),
    type: 'recorded',
    set: `agent_session = coalesce($7, agent_session), folder = coalesce($8, folder),
      run_provider = coalesce($9, run_provider), run_cost_usd = coalesce($10, run_cost_usd)`,
    values: [agentSession ?? null, folder ?? null, provider ?? null, costUsd ?? null],
  })
  return true
}

/** Columns that every end of a run sets; its three values start at $`first`. */
const ends = (first: number) => `run_cost_usd = 0, cancel_requested = 0, attempts = $${first},
  cost_usd = cost_usd + $${first + 1}, agent_session = coalesce($${first + 2}, agent_session)`
const SUCCEEDS = `${ends(7)}, state = 'succeeded', since = $1, ended_at = $1, result = $10, result_cut = $11`
const GOES_BACK = `${ends(7)}, state = 'scheduled', since = $1, due_at = $10, waiting = 'hand_back', mode = $11, reason = $12`

const ENDS_BY_VERDICT = new Map<string, string>()
/** The columns of a verdict and of every end. Built once: a database finds its statement by the text. */
function withEnds(set: string, values: number): string {
  const known = ENDS_BY_VERDICT.get(set)
  if (known !== undefined) return known
  const built = `${set}, ${ends(7 + values)}`
  ENDS_BY_VERDICT.set(set, built)
  return built
}

/** Ends a run, as long as nobody else has it. */
export function* settleRun(fence: Fence, settlement: Settlement, time: Time): Asking<Settled> {
  const row = yield* runningRow(fence)
  if (!('attempts' in row)) return row
  const now = time.now()
  const { attempt } = settlement
  const ended = yield* lastAttempt(row, now, attempt)
  if (!settlement.succeeded) {
    const isCancelled = row.cancel_requested === 1
    return yield* endRun(
      row,
      now,
      isCancelled ? CANCELLED_WHILE_RUNNING : withoutSecrets(settlement.verdict),
      ended,
    )
  }
  const { result, resultCut, answered = {} } = settlement
  const event = yield* changed(row, {
    at: now,
    type: 'succeeded',
    data: {
      ...(attempt?.failure ? { attempt: ended.number } : {}),
      ...ended.about,
      ...withoutSecrets(answered),
    },
    set: SUCCEEDS,
    values: [...ended.values, result === undefined ? null : JSON.stringify(result), resultCut ? 1 : 0],
    endsRun: true,
  })
  return { settled: true, event, state: 'succeeded' }
}

/** Hands a run back unfinished: due at once (or at `dueAt`, or after `afterMs`), and nothing is counted. */
export function* handBackRun(
  fence: Fence,
  { dueAt, afterMs = 0, mode = 'again', attempt, refusal, reason: given, heldBy }: HandBack,
  time: Time,
): Asking<Settled> {
  const row = yield* runningRow(fence)
  if (!('attempts' in row)) return row
  const now = time.now()
  const ended = yield* lastAttempt(row, now, attempt)
  if (row.cancel_requested === 1) return yield* endRun(row, now, CANCELLED_WHILE_RUNNING, ended)
  const reason = given === undefined ? undefined : withoutSecrets(given)
  const at = dueAt ?? now + afterMs
  const event = yield* changed(row, {
    at: now,
    type: 'handed_back',
    data: {
      ...(attempt ? { attempt: ended.number } : {}),
      ...ended.about,
      ...present({ refusal, reason }),
    },
    set: GOES_BACK,
    values: [...ended.values, at, mode, reason ?? null],
    endsRun: true,
  })
  if (heldBy !== undefined) yield* handToEngine(fence.id, heldBy, time)
  return { settled: true, event, state: 'scheduled', dueAt: at }
}

/** What the end of a run says about its last attempt, its length and its cost. */
interface Ended {
  attempt: NewAttempt | undefined
  number: number
  about: Record<string, unknown>
  /** Of {@link ends}. */
  values: readonly AskedValue[]
}

/** Writes the last attempt of a run, and computes how long the run took and what it cost. */
function* lastAttempt(row: RunningRow, now: number, attempt: NewAttempt | undefined): Asking<Ended> {
  const number = attempt ? row.attempts + 1 : row.attempts
  const failure = attempt && (yield* writeAttempt(row.id, number, row.run, attempt))
  // Nearly every operation has one attempt, which needs no query.
  const spent = number > 1 ? yield* spentIn(row.id, number, row.run) : attempt?.costUsd
  const about = {
    ...aboutFailure(failure),
    ...timesOf(row, now, attempt?.startedAt),
    ...present({ cost_usd: spent }),
  }
  return { attempt, number, about, values: [number, attempt?.costUsd ?? 0, attempt?.sessionId ?? null] }
}

function* endRun(row: RunningRow, now: number, verdict: EndingVerdict, ended: Ended): Asking<Settled> {
  const { type, told, state, dueAt, set, values } = runEnd(verdict, now)
  const event = yield* changed(row, {
    at: now,
    type,
    data: { ...(ended.attempt ? { attempt: ended.number } : {}), ...ended.about, ...told },
    set: withEnds(set, values.length),
    values: [...values, ...ended.values],
    endsRun: true,
  })
  return { settled: true, event, state, ...present({ dueAt }) }
}
