import { inTime } from '../call/in-time.ts'
import { isKnownFailure } from '../call/known-failure.ts'
import { classify, classifyKnown } from '../failure/classify.ts'
import type { ClassifyContext } from '../failure/context.ts'
import type { Failure } from '../failure/failure.ts'
import { realTime, type Time } from '../time/time.ts'
import type { Capability } from './capability.ts'
import type { WorkContext } from './context.ts'
import { LinkedSignal } from './linked-signal.ts'
import type { Mask } from './secret/mask.ts'
import { quote } from './settings.ts'
import { isWorkFailed } from './work-failed.ts'

/** Time that work has to end by itself once its signal is aborted, in milliseconds: a tree of processes needs 3 s. */
export const WORK_GRACE_DEFAULT_MS = 10_000
/** The same where the whole runner stops: whoever waits for that does not wait for ever. */
const STOP_GRACE_MS = 3_500

/** How one try of the work ended. The only shape in which what the work does reaches the rest. */
export type WorkOutcome<R = unknown> =
  | { ended: 'returned'; value: R }
  | { ended: 'threw'; error: unknown }
  | Cut

/** A try that was stopped. */
export interface Cut {
  /** By its deadline, or by an abort. */
  ended: 'timedOut' | 'aborted'
  /** The reason of the abort, or the error of the deadline. */
  reason: unknown
  /** What the work threw when it was stopped, which tells what it had done by then. */
  error?: unknown
  /** False if it was stopped before the work began: then it cannot have had an effect. */
  isBegun: boolean
  /** The work did not end within its grace: it may still be at it. */
  isStillRunning: boolean
}

/** How a try is timed. */
export interface WorkOptions {
  /** Default the time of this machine. */
  time?: Time
  /** Time to end by itself once its signal is aborted, in milliseconds. Default 10 s. */
  graceMs?: number
  /** Told of a `timeoutMs` that gives no length. Default nobody. */
  onTimeoutProblem?: (problem: string) => void
}

/**
 * One try of the work: the only place where it is called. Its deadline is the smaller of the capability's timeout and
 * what remains. At the deadline and on abort the work gets a grace to end by itself, so that nothing goes on unseen.
 * Never rejects.
 */
export async function runWork<P, R>(
  capability: Pick<Capability<P, R>, 'run' | 'timeoutMs'>,
  params: P,
  context: WorkContext,
  { time = realTime, graceMs = WORK_GRACE_DEFAULT_MS, onTimeoutProblem }: WorkOptions = {},
): Promise<WorkOutcome<R>> {
  const { signal } = context
  if (signal.aborted)
    return { ended: 'aborted', reason: signal.reason, isBegun: false, isStillRunning: false }
  const limitMs = Math.min(timeoutOf(capability, params, onTimeoutProblem), context.remainingMs)
  const linked = new LinkedSignal(signal)
  const work = started(capability, params, { ...context, signal: linked.signal, remainingMs: limitMs })
  const outcome = await inTime(work, time, limitMs, signal)
  linked.unlink()
  if ('value' in outcome) return { ended: 'returned', value: outcome.value }
  if ('error' in outcome) return { ended: 'threw', error: outcome.error }
  const ended = signal.aborted ? 'aborted' : 'timedOut'
  const reason: unknown = signal.aborted ? signal.reason : timeoutError(limitMs)
  linked.abort(reason)
  const late = await inTime(work, time, reason === 'stop' ? Math.min(graceMs, STOP_GRACE_MS) : graceMs)
  // A result that came at the last moment is one. An answer to an abort is none: it is how functions give up.
  if ('value' in late && ended === 'timedOut' && late.value !== undefined)
    return { ended: 'returned', value: late.value }
  const cut: Cut = { ended, reason, isBegun: true, isStillRunning: 'late' in late }
  return 'error' in late ? { ...cut, error: late.error } : cut
}

/** A mistake in it must not cut work that was to run: then there is no limit. */
function timeoutOf<P>(
  { timeoutMs }: Pick<Capability<P>, 'timeoutMs'>,
  params: P,
  report: ((problem: string) => void) | undefined,
): number {
  if (typeof timeoutMs !== 'function') return timeoutMs ?? Infinity
  try {
    const ms: unknown = timeoutMs(params)
    if (ms === undefined) return Infinity
    if (typeof ms === 'number' && ms > 0) return ms
    report?.(`it must give milliseconds above 0 or nothing, not ${quote(ms)}`)
  } catch (error) {
    report?.(`it threw ${error instanceof Error ? `${error.name}: ${error.message}` : quote(error)}`)
  }
  return Infinity
}

/** A function that throws at once, and one that rejects later, look the same. */
async function started<P, R>(
  capability: Pick<Capability<P, R>, 'run'>,
  params: P,
  context: WorkContext,
): Promise<R> {
  return capability.run(params, context)
}

/** The failure of a try; undefined if it succeeded. Secrets of the run are hidden before anything is cut. */
export function workFailure(
  outcome: WorkOutcome,
  context: ClassifyContext,
  mask?: Mask,
): Failure | undefined {
  const failure = failureOf(outcome, context, mask)
  return failure && mask ? mask.failure(failure) : failure
}

function failureOf(
  outcome: WorkOutcome,
  context: ClassifyContext,
  mask: Mask | undefined,
): Failure | undefined {
  const read = (input: unknown) => (mask ? mask.value(input) : input)
  if (outcome.ended === 'returned')
    return classify(read(outcome.value), { ...context, returned: true }) ?? undefined
  if (isKnownFailure(outcome.error)) {
    const { failure } = outcome.error
    return outcome.ended === 'threw' ? classifyKnown(outcome.error, failure, context) : failure
  }
  const input = read(isWorkFailed(outcome.error) ? outcome.error.input : outcome.error)
  if (outcome.ended === 'threw') {
    const message =
      outcome.error instanceof Error ? outcome.error.message : 'it threw what reads like a success'
    return classify(input, context) ?? (classify(new Error(read(message) as string), context) as Failure)
  }
  const own = outcome.ended === 'aborted' ? { aborted: true } : { timedOut: true }
  const failure = classify(input, { ...context, own }) as Failure
  return outcome.isBegun ? failure : { ...failure, effect: 'none' }
}

function timeoutError(limitMs: number): DOMException {
  return new DOMException(`the work took longer than ${limitMs} ms`, 'TimeoutError')
}
