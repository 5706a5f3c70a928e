import type { Failure } from '../../failure/failure.ts'
import type { Choice, Outlook } from '../../provider/gate.ts'
import { retryMode } from '../../verdict/try-again.ts'
import { lengthenRepeatedWait, refusalOf } from './no-progress.ts'
import type { NextTry, Run, Step } from './run.ts'
import { wait } from './wait.ts'

type Refused = Extract<Choice, { permit?: undefined }>

/** Where no provider admits and it is not known until when, in milliseconds. */
const SHORTEST_WAIT_MS = 1_000

/** No try was made: nothing is counted, and no bound is reached by it. */
const UNBOUND = { retries: 0, maxRetries: Infinity, snoozes: 0, remainingMs: Infinity }

/** Who serves the next try; undefined where the work needs no provider. */
export function chooseProvider(
  { deps, subject }: Run,
  { tried, again, last }: NextTry,
): Choice | Promise<Choice> | undefined {
  const { pool, model } = subject
  if (pool.length === 0) return undefined
  return deps.health.choose({ pool, model, tried, again, after: last?.failure })
}

/**
 * Which provider could serve after this failure, and when. A session can only be continued by its own provider, so that
 * the health of the others does not matter then.
 */
export async function outlookAfter(
  { deps, subject }: Pick<Run, 'deps' | 'subject'>,
  tried: ReadonlySet<string>,
  after: Failure,
): Promise<Outlook> {
  const { pool, model, history, capability } = subject
  if (pool.length === 0) return { otherProviderAvailable: false }
  const isContinued = retryMode(history.lifted(after), capability) === 'resume'
  const again = isContinued ? (after.provider ?? (pool.length === 1 ? pool[0] : undefined)) : undefined
  return deps.health.outlook({ pool, model, tried, after, again })
}

/** No provider admits: no try is made and none is counted. */
export async function unadmitted(run: Run, given: NextTry, { failure, ...refused }: Refused): Promise<Step> {
  const { judge, writer, deps, inProcess } = run
  const { last, resume, tried } = given
  let next = given
  let { availableAt } = refused
  // A retry whose provider no longer admits it goes to another that does; a session can only be continued where it is.
  if (given.again !== undefined && !resume && last) {
    next = { ...given, again: undefined }
    const others = await outlookAfter(run, tried, last.failure)
    if (others.otherProviderAvailable) return next
    availableAt = others.availableAt
  }
  const waitMs = inProcess?.waitForAdmission(failure, availableAt)
  if (waitMs !== undefined) {
    await wait(run, waitMs, failure.message)
    return next
  }
  const outlook = { otherProviderAvailable: false, ...(availableAt === undefined ? {} : { availableAt }) }
  // A provider was tried before in this run: its failure is what the run ends with, counted as always.
  if (last && tried.size > 0) {
    const verdict = judge.verdict(run.subject.history.lifted(last.failure), judge.circumstances(outlook))
    if (verdict.action !== 'failover') return writer.settle(verdict, undefined, last.cause)
  }
  await run.holds.sync()
  const verdict = judge.unbounded(failure, { ...judge.circumstances(outlook), ...UNBOUND })
  if (verdict.action === 'park' || verdict.action === 'cancel') return writer.settle(verdict)
  const planned = availableAt ?? (verdict.action === 'snooze' ? verdict.until : 0)
  const dueAt = Math.max(planned, deps.time.now() + SHORTEST_WAIT_MS)
  const reason = `no provider admits it: ${failure.message}`
  const guarded = await lengthenRepeatedWait(run, { until: dueAt, reason }, failure)
  const mode = resume ? 'resume' : 'again'
  return writer.release({ dueAt: guarded.until, mode, refusal: refusalOf(failure) }, guarded.reason)
}
