import type { ClassifyContext } from '../../failure/context.ts'
import type { Permit } from '../../provider/gate.ts'
import type { Judge } from '../attempt/judge.ts'
import { tellHealth } from '../attempt/tell-health.ts'
import type { Attempted } from '../attempt-runner.ts'
import type { Budget } from '../budget.ts'
import type { CallEvents } from '../call-events.ts'
import type { CallResult } from '../call-result.ts'
import type { CallCircumstances } from '../circumstances.ts'
import type { Ending } from '../ending.ts'
import { type PassThrough, passesThrough } from '../pass-through.ts'
import { streamFailure, streamVerdict } from './failure.ts'
import type { StreamEnd, StreamWatch } from './watch.ts'

/** Gives back the leave of a stream that was not read to its end and can no longer be. */
const abandoned = new FinalizationRegistry<Permit>(permit => permit.released())

/** What of a call its stream still needs once the call has resolved. */
export interface StreamOwner {
  budget: Budget
  circumstances: CallCircumstances
  judge: Judge
  ending: Ending
  events: CallEvents | undefined
  context: (provider: string | undefined) => ClassifyContext
  passThrough: PassThrough | undefined
  /** Writes down what the attempt has cost by now. */
  note(): void
}

/** Keeps a stream that a call resolves with under watch: health is told how it ends, not that it has begun. */
export function handOut<T>(
  result: CallResult<T>,
  attempted: Attempted<T>,
  stream: StreamWatch,
  owner: StreamOwner,
): void {
  const { attempt, permit, running } = attempted
  const over = (end: StreamEnd): unknown => {
    owner.note()
    const error = end.how === 'cut' ? cutError(end, attempted, owner) : undefined
    if (end.how === 'ended' || (end.how === 'cancelled' && stream.chunks > 0)) permit?.succeeded(attempt)
    else if (end.how === 'cancelled') permit?.released(attempt)
    const { costUsd, elapsedMs: durationMs } = owner.budget
    result.costUsd = costUsd
    const outcome = end.how === 'cut' ? 'failed' : end.how
    owner.events?.streamEnded(attempt, outcome, stream.chunks, { durationMs, costUsd }, error)
    return error
  }
  running.onOverspent = error => stream.cut('cost', error)
  if (stream.end) over(stream.end)
  else stream.onOver = over
  permit?.observed?.(result.value)
  if (permit && !stream.end) abandoned.register(result.value as object, permit)
}

/** What the reader of a stream gets when it is cut; whose fault it was is told to health. */
function cutError<T>(
  end: StreamEnd & { how: 'cut' },
  { attempt, permit }: Attempted<T>,
  { judge, ending, circumstances, context, passThrough }: StreamOwner,
): unknown {
  const { cause, chunks } = end
  if (end.by === 'source' && passesThrough(cause, passThrough)) {
    permit?.released(attempt)
    return cause
  }
  const failure = streamFailure(end, context(permit?.provider))
  // One that delivered until the budget was over did nothing wrong.
  if (end.by === 'budget' && chunks > 0) permit?.released(attempt)
  else if (permit) tellHealth(permit, failure, judge, attempt)
  circumstances.isCommitted = true
  attempt.failure = failure
  attempt.verdict = streamVerdict(judge.verdict(failure), failure, chunks)
  return ending.error(failure, attempt.verdict, cause)
}
