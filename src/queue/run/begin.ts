import { afterLostRun } from './after-lost-run.ts'
import { InProcess } from './in-process.ts'
import { durableJudge } from './judge.ts'
import { lostAttempt, lostRunFailure } from './lost-run.ts'
import type { RunEnd } from './run-end.ts'
import type { RunState } from './run-state.ts'
import { subjectOf } from './subject.ts'

/** Everything before the first try: what the work needs, what a lost run left behind, which session goes on. */
export async function begin(run: RunState): Promise<RunEnd | undefined> {
  const { deps, claimed, writer, budgetMs } = run
  const { operation, lost } = claimed
  const found = await subjectOf(deps, claimed)
  if (!found.subject) {
    if (lost) await writer.append(lostAttempt(lost, lostRunFailure(lost, undefined), run.now), true)
    return writer.settle(found.verdict)
  }
  const { capability, history, pool } = found.subject
  run.subject = found.subject
  run.judge = durableJudge(deps, capability, run.counters)
  if (lost) return afterLostRun(run, lost)
  const resumption = history.resumption(operation, pool)
  run.resume = resumption?.resume
  run.again = resumption?.provider
  if (budgetMs !== undefined)
    run.inProcess = new InProcess(
      deps,
      capability,
      run.counters,
      { budgetMs, waitHereMs: run.waitHereMs },
      run.signal,
    )
  return undefined
}
