import { failureOfTryElsewhere } from '../capability/whole-try.ts'
import type { ClaimedRun } from '../engine/engine.ts'
import { present } from '../failure/present.ts'
import type { NewAttempt } from '../ledger/attempt.ts'
import { isLifted } from '../verdict/second-try.ts'
import { isSucceeded } from '../verdict/succeeded.ts'
import { QueueError } from './error.ts'
import type { ProviderHolds } from './provider-holds.ts'
import { classifyContextOf, type QueueDeps } from './queue-deps.ts'
import { runResultOf } from './result.ts'
import { afterFailureOfOperation, endWith } from './run/act.ts'
import { durableJudge } from './run/judge.ts'
import { RunWriter } from './run/run-writer.ts'
import { subjectOf } from './run/subject.ts'
import type { RunResult } from './run-result.ts'
import type { Submission } from './submission.ts'
import { submitAsFirstRun } from './submit.ts'
import {
  costOf,
  type Elsewhere,
  earlierTries,
  failureOf,
  type HandOverOptions,
  isTried,
  knownOf,
  providerOf,
  triedBy,
} from './tried-elsewhere.ts'

/** Each try becomes a row; more than this is not realistic. */
const MOST_TRIES = 1_000

/** Stores a call that was made elsewhere and failed, with its tries, and returns what happens to it. */
export async function handOver<R>(
  deps: QueueDeps,
  holds: ProviderHolds,
  { provider, tries, model, credential, hearBy, isReported, ...submission }: Submission & HandOverOptions,
  failed: unknown,
): Promise<RunResult<R>> {
  if (tries !== undefined && !(Number.isInteger(tries) && tries >= 1 && tries <= MOST_TRIES))
    throw new QueueError(
      'invalid',
      `tries must be a whole number from 1 to ${MOST_TRIES}, not ${String(tries)}`,
    )
  const { claimed, existing } = await submitAsFirstRun(deps, submission, 'hand over')
  if (!claimed) return runResultOf(deps, existing, { hearBy })
  const elsewhere: Elsewhere = {
    failed,
    ...present({ provider, tries, model, credential, isReported }),
  }
  deps.underWay.add(claimed.fence)
  await settleTriedElsewhere(deps, holds, claimed, elsewhere).finally(() =>
    deps.underWay.delete(claimed.fence),
  )
  return runResultOf(deps, claimed.fence.id, { cause: failed, hearBy })
}

/**
 * Settles a first run whose tries were made elsewhere: classifies the failure, reports it to the provider's health, decides, and
 * stores all of it. The failure stays in the history, so the next run verifies first if it must.
 */
async function settleTriedElsewhere(
  deps: QueueDeps,
  holds: ProviderHolds,
  claimed: ClaimedRun,
  elsewhere: Elsewhere,
): Promise<void> {
  const { settings, time } = deps
  const { failed } = elsewhere
  const found = await subjectOf(deps, claimed.operation)
  const now = time.now()
  const provider = providerOf(elsewhere, found.subject?.pool ?? [])
  const model = elsewhere.model ?? found.subject?.model
  const about = classifyContextOf(deps, found.subject?.capability, provider, model)
  const read = failureOf(failed, about, found.subject?.mask)
  const failure = found.subject
    ? failureOfTryElsewhere(found.subject.capability, read, knownOf(failed))
    : read
  const { sessionId, turns } = failure
  const costUsd = costOf(failed, failure)
  const attempt: NewAttempt = {
    startedAt: now,
    endedAt: now,
    ...present({ provider }),
    failure,
    ...present({ costUsd, turns, sessionId }),
  }
  const writer = new RunWriter(deps, claimed, settings.enabled ? 'all' : 'nothing')
  if (!found.subject) {
    await writer.settle(found.verdict, attempt, failed)
    return
  }
  const { subject } = found
  const counters = { ...claimed.operation }
  for (const earlier of earlierTries(subject.capability, elsewhere, attempt)) {
    await writer.append(earlier)
    subject.history.add(earlier, claimed.fence.run)
    if (earlier.verdict?.action === 'retry') counters.retries++
  }
  const judge = durableJudge(deps, subject.capability, counters)
  const { signal } = new AbortController()
  const run = { deps, holds, subject, claimed, judge, writer, signal, counters }
  const isToReport = provider !== undefined && isTried(failed) && elsewhere.isReported !== true
  const decided = await afterFailureOfOperation(run, {
    failure,
    cause: failed,
    permit: isToReport
      ? await deps.health.madeElsewhere(provider, { ...elsewhere, model, startedAt: now })
      : undefined,
    tried: new Set(triedBy(failed, provider)),
    isLifted: isLifted(read, failure),
  })
  if (isSucceeded(decided)) await writer.succeedAs(decided, subject.mask, attempt)
  else {
    const { verdict } = decided
    await endWith(run, { verdict, attempt: { ...attempt, verdict }, failure, cause: failed }, true)
  }
}
