import { availableAfter } from '../../call/call-failed.ts'
import type { Failure } from '../../failure/failure.ts'
import { present } from '../../failure/present.ts'
import type { Choice, Outlook } from '../../provider/gate.ts'
import { livesInSession } from '../../verdict/second-try.ts'
import { lengthenRepeatedWait, refusalOf } from './no-progress.ts'
import { type Run, wait } from './run.ts'
import type { Next, NextTry } from './run-end.ts'

type Refused = Extract<Choice, { permit?: undefined }>

/** How long to wait if no provider admits and it is unknown until when, in milliseconds. */
const SHORTEST_WAIT_MS = 1_000

/** Chooses the provider of the next try; undefined if the work needs none. */
export function chooseProvider(
  { deps, subject, inProcess }: Run,
  { tried, again, last, resume }: NextTry,
): Choice | Promise<Choice> | undefined {
  const { pool, model, tool } = subject
  if (pool.length === 0) return undefined
  // A runner has other work: what must wait for its turn is held.
  const waitMs = inProcess?.remainingMs ?? SHORTEST_WAIT_MS
  const { triesLeft } = inProcess ?? {}
  return deps.health.choose({
    ...{ pool, model, tool, tried, again, after: last?.failure },
    ...{ waitMs, triesLeft, isBound: resume !== undefined },
  })
}

/**
 * Which provider could serve after this failure, and when. Only its own provider can resume a session, so then the health of the
 * others does not matter.
 * @param cause what the failure was classified from
 */
export async function outlookAfter(
  { deps, subject }: Pick<Run, 'deps' | 'subject'>,
  tried: ReadonlySet<string>,
  after: Failure,
  cause?: unknown,
): Promise<Outlook> {
  const { pool, model, tool, history, capability } = subject
  // A call made by the work knows when a provider of its own pool will be available again.
  if (pool.length === 0)
    return { otherProviderAvailable: false, ...present({ availableAt: availableAfter(cause) }) }
  const isContinued = livesInSession(history.lifted(after), capability)
  const again = isContinued ? (after.provider ?? (pool.length === 1 ? pool[0] : undefined)) : undefined
  return deps.health.outlook({ pool, model, tool, tried, after, again })
}

/** No provider admits: no try is made or counted. */
export async function unadmitted(run: Run, given: NextTry, { failure, ...refused }: Refused): Promise<Next> {
  const { judge, writer, deps, inProcess } = run
  const { last, resume, tried } = given
  let next = given
  let { availableAt } = refused
  // If a retry's provider no longer admits it, it goes to another that does; a session can only be resumed by its own provider.
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
  const outlook = { otherProviderAvailable: false, ...present({ availableAt }) }
  // A provider was tried earlier in this run: the run ends with that failure, counted as usual.
  if (last && tried.size > 0) {
    const verdict = judge.verdict(run.subject.history.lifted(last.failure), judge.circumstances(outlook))
    if (verdict.action !== 'failover') return writer.settle(verdict, undefined, last.cause)
  }
  await run.holds.sync()
  const verdict = judge.refused(failure, outlook)
  if (verdict.action === 'park' || verdict.action === 'cancel') return writer.settle(verdict)
  const planned = availableAt ?? (verdict.action === 'snooze' ? verdict.until : 0)
  const dueAt = Math.max(planned, deps.time.now() + SHORTEST_WAIT_MS)
  const guarded = await lengthenRepeatedWait(run, { until: dueAt, reason: failure.message }, failure)
  const mode = resume ? 'resume' : 'again'
  return writer.release({ dueAt: guarded.until, mode, refusal: refusalOf(failure) }, guarded.reason)
}
