import type { Failure } from '../../failure/failure.ts'
import type { Choice, Outlook } from '../../provider/gate.ts'
import { retryMode } from '../../verdict/try-again.ts'
import { notInVain, refusalOf } from './no-progress.ts'
import type { RunEnd } from './run-end.ts'
import type { RunState } from './run-state.ts'
import { wait } from './wait.ts'

type Refused = Extract<Choice, { permit?: undefined }>

/** Where nobody admits and nobody knows until when, in milliseconds. */
const SHORTEST_WAIT_MS = 1_000

/** Who serves the next try; undefined where the work needs no provider. */
export function chooseProvider(run: RunState): Choice | Promise<Choice> | undefined {
  const { pool, model } = run.subject
  if (pool.length === 0) return undefined
  const { tried, again, last } = run
  return run.deps.health.choose({ pool, model, tried, again, after: last?.failure })
}

/**
 * Who else could serve after this failure, and when. What will continue a session waits for the provider that it lives
 * with: that another one is well does not help it.
 */
export async function outlookAfter(
  { deps, subject, tried }: Pick<RunState, 'deps' | 'subject' | 'tried'>,
  after: Failure,
): Promise<Outlook> {
  const { pool, model, history, capability } = subject
  if (pool.length === 0) return { otherProviderAvailable: false }
  const isContinued = retryMode(history.lifted(after), capability) === 'resume'
  const again = isContinued ? (after.provider ?? (pool.length === 1 ? pool[0] : undefined)) : undefined
  return deps.health.outlook({ pool, model, tried, after, again })
}

/** Nobody admits: no try is made and none is counted. */
export async function unadmitted(
  run: RunState,
  { failure, availableAt: freeAt }: Refused,
): Promise<RunEnd | undefined> {
  const { judge, writer, last } = run
  let availableAt = freeAt
  // A retry whose provider no longer admits it goes to another that does; a session can only be continued where it is.
  if (run.again !== undefined && !run.resume && last) {
    run.again = undefined
    const others = await outlookAfter(run, last.failure)
    if (others.otherProviderAvailable) return undefined
    availableAt = others.availableAt
  }
  const outlook = { otherProviderAvailable: false, ...(availableAt === undefined ? {} : { availableAt }) }
  const waitMs = run.inProcess?.waitForAdmission(failure, availableAt)
  if (waitMs !== undefined) {
    await wait(run, waitMs, failure.message)
    return undefined
  }
  // Somebody was tried before in this run: its failure is what the run ends with, counted as always.
  if (last && run.tried.size > 0) {
    const verdict = judge.verdict(run.subject.history.lifted(last.failure), judge.circumstances(outlook))
    if (verdict.action !== 'failover') return writer.settle(verdict, undefined, last.cause)
  }
  await run.holds.sync()
  // No try was made: nothing is counted, and no bound is reached by it.
  const unbound = { retries: 0, maxRetries: Infinity, snoozes: 0, remainingMs: Infinity }
  const verdict = judge.unbounded(failure, { ...judge.circumstances(outlook), ...unbound })
  if (verdict.action === 'park' || verdict.action === 'cancel') return writer.settle(verdict)
  const planned = availableAt ?? (verdict.action === 'snooze' ? verdict.until : 0)
  const dueAt = Math.max(planned, run.now + SHORTEST_WAIT_MS)
  const mode = run.resume ? 'resume' : 'again'
  const reason = `no provider admits it: ${failure.message}`
  const guarded = await notInVain(run, { until: dueAt, reason }, failure)
  return writer.release({ dueAt: guarded.until, mode, refusal: refusalOf(failure) }, guarded.reason)
}
