import type { ClassifyContext } from '../../failure/context.ts'
import type { Failure } from '../../failure/failure.ts'
import type { Permit } from '../../provider/gate.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { stopped, thrown } from '../attempt/failure.ts'
import { reportFailure } from '../attempt/judge.ts'
import type { CallDeps } from '../call-deps.ts'
import type { CallResult } from '../call-result.ts'
import { errorOf } from '../ending.ts'
import { passesThrough } from '../pass-through.ts'
import type { Try } from '../try.ts'
import type { StreamEnd, StreamWatch } from './watch.ts'

type Cut = StreamEnd & { how: 'cut' }

/** Returns the permit of a stream that was garbage collected before it was read to its end. */
const abandoned = new FinalizationRegistry<Permit>(permit => permit.released())

/** Keeps watching a stream that a call resolves with, so health learns how it ends, not only that it began. */
export function handOut<T>(
  result: CallResult<T>,
  running: Try<T>,
  stream: StreamWatch,
  deps: CallDeps,
): void {
  const { attempt, permit } = running
  const over = (end: StreamEnd): unknown => {
    abandoned.unregister(stream)
    running.used(stream.reader?.used ?? {})
    running.note()
    const error = end.how === 'cut' ? cutError(end, running, deps) : undefined
    if (end.how === 'ended' || (end.how === 'cancelled' && stream.chunks > 0)) permit?.succeeded(attempt)
    else if (end.how === 'cancelled') permit?.released(attempt)
    running.billed()
    const { costUsd, elapsedMs: durationMs } = deps.budget
    result.costUsd = costUsd
    const finish = stream.reader?.finish ?? stream.finish
    if (finish) result.finish = finish
    const outcome = end.how === 'cut' ? 'failed' : end.how
    deps.events?.streamEnded(attempt, outcome, stream.chunks, { durationMs, costUsd }, error)
    return error
  }
  let missed: unknown
  // Named first: V8 puts functions that are written into a field among the old objects, which keeps all of the answer from being
  // freed early.
  const overspent = (error: Error) => stream.overspent(error)
  const missing = (cause: unknown) => {
    missed ??= cutError({ how: 'cut', by: 'source', cause, chunks: stream.chunks }, running, deps)
    return missed
  }
  running.onOverspent = overspent
  stream.onMissed = missing
  if (stream.end) over(stream.end)
  else stream.onOver = over
  permit?.observed?.(result.value)
  if (permit && !stream.end) abandoned.register(result.value as object, permit, stream)
}

/** The error for the reader of a cut stream. Reports the fault to health. */
function cutError<T>(end: Cut, { attempt, permit }: Try<T>, deps: CallDeps): unknown {
  const { cause, chunks } = end
  if ((end.by === 'source' || end.by === 'signal') && passesThrough(cause, deps.options.passThrough)) {
    permit?.released(attempt)
    return cause
  }
  const failure = streamFailure(end, deps.context(permit?.provider))
  // A stream that delivered until the budget was over did nothing wrong.
  if (end.by === 'budget' && chunks > 0) permit?.released(attempt)
  else if (permit) reportFailure(permit, failure, deps.judge, attempt)
  deps.circumstances.isCommitted = true
  attempt.failure = failure
  attempt.verdict = streamVerdict(deps.judge.verdict(failure), failure, chunks)
  return errorOf(deps, failure, attempt.verdict, cause)
}

/** The failure of a cut stream. Part of an answer was paid for, so the effect is never `none`. */
function streamFailure({ by, cause }: Cut, context: ClassifyContext): Failure {
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
function streamVerdict(verdict: Verdict, { kind }: Failure, chunks: number): Verdict {
  const isUnverifiable = verdict.action === 'cancel' && verdict.as === 'unverifiable'
  if (verdict.action !== 'retry' && verdict.action !== 'failover' && !isUnverifiable) return verdict
  const why =
    chunks > 0
      ? 'part of the stream was delivered, and a second try would deliver it twice'
      : 'the stream was returned before its first chunk; set firstChunkMs to wait for that chunk and retry'
  return { action: 'cancel', as: 'unverifiable', reason: `${kind}: ${why}`, rule: 'call:delivered' }
}
