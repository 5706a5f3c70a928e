import type { Interruption } from '../../engine/claim-loop.ts'
import type { Failure } from '../../failure/failure.ts'
import { present } from '../../failure/present.ts'
import type { NewAttempt } from '../../ledger/attempt.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { INTERRUPTION_WORDS } from './interruption-words.ts'
import type { OneTry } from './one-try.ts'
import type { Run } from './run.ts'
import type { NextTry, RunEnd } from './run-end.ts'

/** Ends the run, whatever it was doing: it was lost, cancelled, or its runner stops. */
export async function interrupted(
  { signal, subject, writer }: Run,
  { resume }: NextTry,
  attempt?: NewAttempt,
  failure?: Failure,
): Promise<RunEnd> {
  const why = signal.reason as Interruption
  if (why === 'lost') return { end: 'lost' }
  if (why === 'stop') {
    const { capability, history } = subject
    const isBegun = resume !== undefined || (failure !== undefined && failure.effect !== 'none')
    const mode = capability.resumable && history.session !== undefined && isBegun ? 'resume' : 'again'
    return writer.release({ mode, ...present({ attempt }) }, INTERRUPTION_WORDS.stop)
  }
  const reason = INTERRUPTION_WORDS.cancel
  const verdict: Verdict = { action: 'cancel', as: 'cancelled', reason, rule: 'queue:cancelled' }
  return writer.settle(verdict, attempt)
}

/** The same in the middle of a try, which shows nothing about its provider. */
export function interruptedTry(run: Run, next: NextTry, tried: OneTry): Promise<RunEnd> {
  tried.permit?.released(tried.cost)
  return interrupted(run, next, tried.asAttempt(tried.failure, undefined, next.note), tried.failure)
}
