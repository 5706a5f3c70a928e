import type { Failure } from '../../failure/failure.ts'
import type { Cost, Gate, Outlook, Permit } from '../../provider/gate.ts'
import type { Circumstances } from '../../verdict/circumstances.ts'
import { isSucceeded, type Succeeded } from '../../verdict/succeeded.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { Limits } from './bounds.ts'
import { type Judge, type Judgement, reportFailure } from './judge.ts'

/** A failed try. */
export interface FailedTry {
  /** With the effect of the whole try, as the provider's health counts it. */
  failure: Failure
  /** The same as policies see it: with what earlier tries may have done. */
  seen: Failure
  /** Returned to its provider. Undefined without one, or if its health has counted the try. */
  permit: Permit | undefined
  /** Default: unknown. */
  cost?: Cost
}

/** Everything in which calls, operations and jobs differ when one of their tries has failed. */
export interface Deciding {
  judge: Judge
  /** Decides for a caller that waits: only if it neither retries nor fails over is the judge asked. Default: nobody waits. */
  here?: Judge | undefined
  /** Asked before a retry that could go to another provider instead. Default: it may be made. */
  mayRetry?: Gate['mayRetry'] | undefined
  /** Called when the provider's health has counted the failure. Default: nothing is to be done. */
  counted?(): Promise<void>
  /** Which other provider could serve, and when, now that health has counted the failure. */
  outlook(): Outlook | Promise<Outlook>
  /** What a hook makes of the verdict; undefined lets it stand. Default: there is none. */
  asked?(verdict: Verdict, circumstances: Circumstances): Promise<Succeeded | Verdict | undefined>
  /** The verdict as it is stored and shown, with what would allow a refused second try. */
  remedied(verdict: Verdict): Verdict
}

/** A verdict to act on. */
export interface Decided extends Judgement {
  /** True if it was decided for a caller that waits. */
  isForHere: boolean
}

/**
 * What to do after a failed try. The only place that knows the order: its provider's health counts the failure, then others are
 * looked for, then the policies judge, then a hook may overrule them, all within the bounds. Acting on it is left to the caller.
 */
export async function afterFailure(tried: FailedTry, deciding: Deciding): Promise<Decided | Succeeded> {
  const { failure, seen, permit, cost } = tried
  const { judge, here, asked } = deciding
  if (permit) {
    reportFailure(permit, failure, judge, cost)
    if (deciding.counted) await deciding.counted()
  }
  const outlook = await deciding.outlook()
  const first = (here ?? judge).judge(seen, outlook, retryRefusal(tried, deciding, outlook))
  const isForHere = here !== undefined && isForCaller(first)
  let judged = here && !isForHere ? judge.judge(seen, outlook) : first
  if (isSucceeded(judged)) return judged
  if (asked) {
    const circumstances = judge.circumstances(outlook)
    const answer = await asked(judged.verdict, circumstances)
    if (isSucceeded(answer)) return answer
    if (answer) judged = judge.bounded(answer, seen, circumstances)
  }
  return { ...judged, verdict: deciding.remedied(judged.verdict), isForHere }
}

function isForCaller(judged: Judgement | Succeeded): boolean {
  if (isSucceeded(judged)) return true
  const { action } = judged.verdict
  return action === 'retry' || action === 'failover'
}

/** If there is nobody else, retries wait for their turn while most calls fail, so they cannot bury the provider. */
function retryRefusal(
  { seen, permit }: FailedTry,
  { mayRetry }: Deciding,
  { otherProviderAvailable }: Outlook,
): Limits['refuseRetry'] {
  if (!permit || !mayRetry || !otherProviderAvailable || seen.class === 'throttle') return undefined
  const { provider } = permit
  return () => (mayRetry(provider) ? undefined : `most calls to ${provider} fail, so retries are paused`)
}
