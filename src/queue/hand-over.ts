import { failureOfTryElsewhere, withRemedyFor, workFailure } from '../capability/index.ts'
import type { ClaimedRun } from '../engine/index.ts'
import type { Failure } from '../failure/index.ts'
import type { NewAttempt } from '../ledger/index.ts'
import type { Verdict } from '../verdict/index.ts'
import { runResultOf } from './result.ts'
import { outlookAfter } from './run/admission.ts'
import { askedAboutFailure } from './run/hooks.ts'
import { DurableJudge } from './run/judge.ts'
import { idempotencyKey } from './run/one-try.ts'
import { RunWriter } from './run/run-writer.ts'
import { type Subject, subjectOf } from './run/subject.ts'
import { foundDone, notBeforeAsking } from './run/verification.ts'
import type { RunResult } from './run-result.ts'
import type { Submission } from './submission.ts'
import { submitAsFirstRun } from './submit.ts'
import type { Surroundings } from './surroundings.ts'

/** Writes down a call that was made elsewhere and failed, with that as its first try, and tells what becomes of it. */
export async function handOver<R>(
  surroundings: Surroundings,
  submission: Submission,
  failed: unknown,
): Promise<RunResult<R>> {
  const { claimed, existing } = await submitAsFirstRun(surroundings, submission)
  if (!claimed) return runResultOf(surroundings, existing)
  await settleTriedElsewhere(surroundings, claimed, failed)
  return runResultOf(surroundings, claimed.fence.id, failed)
}

/**
 * Settles a first run whose try was made elsewhere: nothing is left of it but to classify what it failed with, to decide,
 * and to write both down. The failure stays in the history, so that the next run asks first where it has to.
 */
async function settleTriedElsewhere(
  surroundings: Surroundings,
  claimed: ClaimedRun,
  failed: unknown,
): Promise<void> {
  const { engine, settings, time } = surroundings
  const found = await subjectOf(surroundings, claimed)
  const now = time.now()
  const about = { ...surroundings.classify, now }
  const read = workFailure({ ended: 'threw', error: failed }, about, found.subject?.mask) as Failure
  const failure = found.subject ? failureOfTryElsewhere(found.subject.capability, read) : read
  const { sessionId } = failure
  if (sessionId !== undefined) await engine.record(claimed.fence, { agentSession: sessionId })
  const session = sessionId === undefined ? {} : { sessionId }
  const attempt = { startedAt: now, endedAt: now, failure, ...session }
  const writer = new RunWriter(surroundings, claimed, settings.enabled)
  if (!found.subject) {
    await writer.settle(found.verdict, attempt, failed)
    return
  }
  const isLifted = failure.effect !== read.effect
  const decided = await verdictOn(failure, surroundings, found.subject, claimed)
  const verdict = withRemedyFor(found.subject.capability, decided, isLifted)
  if (await isFoundDone(surroundings, found.subject, claimed, writer, { ...attempt, verdict })) return
  if (verdict.action === 'failover')
    await writer.release({ dueAt: now, attempt: { ...attempt, verdict } }, verdict.reason)
  else await writer.settle(notBeforeAsking(verdict, found.subject, attempt, now), attempt, failed)
}

/** An agent must not be told "not done yet" about what is there: a try that may have worked is asked about first. */
async function isFoundDone(
  surroundings: Surroundings,
  subject: Subject,
  claimed: ClaimedRun,
  writer: RunWriter,
  attempt: NewAttempt & { verdict: Verdict },
): Promise<boolean> {
  if (attempt.verdict.action === 'cancel' || attempt.verdict.action === 'park') return false
  const { time, env } = surroundings
  const startedAt = time.now()
  const done = await foundDone(surroundings, subject, attempt, {
    signal: new AbortController().signal,
    run: claimed.fence.run,
    idempotencyKey: idempotencyKey(claimed),
    env,
  })
  if (!done || !(await writer.append(attempt))) return false
  const note = { verification: 'done' }
  await writer.succeed(done.value, subject.mask, { startedAt, endedAt: time.now(), note })
  return true
}

async function verdictOn(
  failure: Failure,
  surroundings: Surroundings,
  subject: Subject,
  { operation }: ClaimedRun,
): Promise<Verdict> {
  const judge = new DurableJudge(surroundings, subject.capability, operation)
  const { signal } = new AbortController()
  const run = { surroundings, subject, judge, signal, tried: new Set<string>() }
  const outlook = await outlookAfter(run, failure)
  return askedAboutFailure(run, failure, judge.verdict(failure, outlook), outlook)
}
