import { afterLostRun } from './after-lost-run.ts'
import { InProcess } from './in-process.ts'
import { durableJudge } from './judge.ts'
import { lostAttempt, lostRunFailure } from './lost-run.ts'
import { isEnd, type NextTry } from './next.ts'
import type { Run, RunOptions, RunScope } from './run.ts'
import type { RunEnd } from './run-end.ts'
import { subjectOf } from './subject.ts'

/** How long an operation that must not be retried waits before this is checked again, in milliseconds. */
const LOOK_AGAIN_MS = 3_600_000
const WHILE_DISABLED = 'it is not retried while [queue] enabled = false'

/** A run that is ready for its first try. */
export interface Begun {
  run: Run
  next: NextTry
}

/** Everything before the first try: prepares the work, handles what a lost run left behind, finds the session to resume. */
export async function begin(
  scope: RunScope,
  { budgetMs, waitHereMs }: Pick<RunOptions, 'budgetMs' | 'waitHereMs'>,
): Promise<RunEnd | Begun> {
  const { deps, claimed, writer, signal } = scope
  const { operation, lost } = claimed
  const found = await subjectOf(deps, operation)
  if (!found.subject) {
    if (lost) await writer.append(lostAttempt(lost, lostRunFailure(lost, undefined), deps.time.now()), true)
    return writer.settle(found.verdict)
  }
  const { subject } = found
  const { capability, history, pool } = subject
  // Kept from a time when the queue was enabled. What a person revived or unparked runs.
  const last = operation.firstFailedAt === undefined ? undefined : history.attempts.at(-1)?.verdict?.action
  if (!deps.settings.enabled && !lost && last !== undefined && last !== 'park')
    return writer.release({ afterMs: LOOK_AGAIN_MS }, WHILE_DISABLED)
  const counters = { ...operation }
  const judge = durableJudge(deps, capability, counters)
  if (lost) {
    const run: Run = { ...scope, subject, counters, judge, inProcess: undefined }
    const next = await afterLostRun(run, lost)
    return isEnd(next) ? next : { run, next }
  }
  const inProcess =
    budgetMs === undefined
      ? undefined
      : new InProcess(deps, capability, counters, { budgetMs, waitHereMs }, signal)
  const { resume, provider: again } = history.resumption(operation, pool) ?? {}
  return {
    run: { ...scope, subject, counters, judge, inProcess },
    next: { tried: new Set(), resume, again },
  }
}
