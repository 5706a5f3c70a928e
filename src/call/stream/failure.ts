import type { ClassifyContext } from '../../failure/context.ts'
import type { Failure } from '../../failure/failure.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { stopped, thrown } from '../attempt/failure.ts'
import type { StreamEnd } from './watch.ts'

type Cut = StreamEnd & { how: 'cut' }

/** The failure of a cut stream. Part of an answer was paid for, so the effect is never `none`. */
export function streamFailure({ by, cause }: Cut, context: ClassifyContext): Failure {
  return { ...causeOf(by, cause, context), effect: 'maybe' }
}

function causeOf(by: Cut['by'], cause: unknown, context: ClassifyContext): Failure {
  switch (by) {
    case 'source':
      return thrown(cause, context)
    case 'signal':
      return stopped(cause, context, { aborted: true })
    case 'cost':
      return stopped(cause, context, { rail: 'max_budget' })
    case 'budget':
      return stopped(cause, context, { timedOut: true })
    case 'silence':
      return { ...stopped(cause, context, { timedOut: true }), kind: 'stall' }
  }
}

/** The verdict on a cut stream; the call itself can no longer make a second try. */
export function streamVerdict(verdict: Verdict, { kind }: Failure, chunks: number): Verdict {
  const isUnverifiable = verdict.action === 'cancel' && verdict.as === 'unverifiable'
  if (verdict.action !== 'retry' && verdict.action !== 'failover' && !isUnverifiable) return verdict
  const why =
    chunks > 0
      ? 'part of the stream was delivered, and a second try would deliver it twice'
      : 'the stream was returned before its first chunk; set firstChunkMs to wait for that chunk and retry'
  return { action: 'cancel', as: 'unverifiable', reason: `${kind}: ${why}`, rule: 'call:delivered' }
}
