import type { Interruption } from '../../engine/claim-loop.ts'
import type { Failure } from '../../failure/failure.ts'
import type { NewAttempt } from '../../ledger/attempt.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { OneTry } from './one-try.ts'
import type { RunEnd } from './run-end.ts'
import type { RunState } from './run-state.ts'

/** The run must end, whatever it was doing: it was lost, cancelled, or its runner stops. */
export async function interrupted(run: RunState, attempt?: NewAttempt, failure?: Failure): Promise<RunEnd> {
  const why = run.signal.reason as Interruption | unknown
  if (why === 'lost') return { end: 'lost' }
  if (why === 'stop') {
    const { capability, history } = run.subject
    const isBegun = run.resume !== undefined || (failure !== undefined && failure.effect !== 'none')
    const mode = capability.resumable && history.session !== undefined && isBegun ? 'resume' : 'again'
    return run.writer.release({ mode, ...(attempt ? { attempt } : {}) }, 'its runner stopped')
  }
  const reason = 'it was cancelled while it ran'
  const verdict: Verdict = { action: 'cancel', as: 'cancelled', reason, rule: 'queue:cancelled' }
  return run.writer.settle(verdict, attempt)
}

/** The same in the middle of a try, which tells nothing about its provider. */
export function interruptedTry(run: RunState, tried: OneTry): Promise<RunEnd> {
  tried.permit?.released(tried.cost)
  return interrupted(run, tried.asAttempt(tried.failure, undefined, run.note), tried.failure)
}
