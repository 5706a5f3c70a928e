import { afterFailure, type Decided, type FailedTry } from '../../call/attempt/after-failure.ts'
import { withRemedyFor } from '../../capability/whole-try.ts'
import type { Outlook } from '../../provider/gate.ts'
import type { Succeeded } from '../../verdict/succeeded.ts'
import { outlookAfter } from './admission.ts'
import { askedAboutFailure } from './hooks.ts'
import type { Run } from './run.ts'

/** A failed try of an operation. */
export interface FailedTryOfOperation extends Omit<FailedTry, 'seen'> {
  /** What the failure was classified from. */
  cause: unknown
  /** The providers that this run has tried. */
  tried: ReadonlySet<string>
  /** True if its last request did nothing, but what it did before may have taken effect. */
  isLifted: boolean
}

/** The run whose try it was. A parked operation has none: its failure is judged again, but its hooks were asked then. */
export type Decider = Pick<Run, 'deps' | 'subject' | 'judge'> &
  Partial<Pick<Run, 'holds' | 'inProcess' | 'claimed' | 'signal'>>

/**
 * What to do about a failed try of an operation, wherever it was made.
 * @param outlook default: what the health of its providers says
 */
export function afterFailureOfOperation(
  run: Decider,
  { cause, tried, isLifted, ...failedTry }: FailedTryOfOperation,
  outlook: () => Outlook | Promise<Outlook> = () => outlookAfter(run, tried, failedTry.failure, cause),
): Promise<Decided | Succeeded> {
  const { deps, subject, judge, holds, inProcess, claimed, signal } = run
  const { capability, history } = subject
  const { failure } = failedTry
  const asking = capability.handleFailure && claimed && signal && { deps, subject, claimed, signal }
  return afterFailure(
    { ...failedTry, seen: history.lifted(failure) },
    {
      judge,
      here: inProcess?.judge,
      mayRetry: inProcess && (provider => deps.health.mayRetry(provider)),
      ...(holds ? { counted: () => holds.sync() } : {}),
      outlook,
      ...(asking
        ? { asked: (verdict, circumstances) => askedAboutFailure(asking, failure, verdict, circumstances) }
        : {}),
      remedied: verdict => withRemedyFor(capability, verdict, isLifted),
    },
  )
}
