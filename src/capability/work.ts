import { attemptFailure } from '../call/attempt/failure.ts'
import { Invocation } from '../call/attempt/invocation.ts'
import type { Outcome } from '../call/attempt/outcome.ts'
import type { Interruption } from '../engine/claim-loop.ts'
import type { ClassifyContext } from '../failure/context.ts'
import type { Failure } from '../failure/failure.ts'
import { quote } from '../failure/quote.ts'
import { realTime, type Time } from '../time/time.ts'
import type { Capability } from './capability.ts'
import type { WorkContext } from './context.ts'
import type { Mask } from './secret/mask.ts'
import { isWorkFailed } from './work-failed.ts'

/** Time for work to end on its own once its signal is aborted, in milliseconds: ending a process tree takes 3 s. */
export const WORK_GRACE_DEFAULT_MS = 10_000
/** The same when the whole runner stops, because that wait is bounded. */
const STOP_GRACE_MS = 3_500

/** How a try is timed. */
export interface WorkOptions {
  /** The clock. Default: this machine's. */
  time?: Time
  /** Time to end on its own once its signal is aborted, in milliseconds. Default 10 s. */
  graceMs?: number
  /** Called if `timeoutMs` returns no valid duration. Default: none. */
  onTimeoutProblem?: (problem: string) => void
}

/**
 * Makes one try of the work. Its deadline is the smaller of the capability's timeout and the remaining time. At the deadline and on
 * abort, the work gets a grace to end on its own, so nothing continues unnoticed. Never rejects.
 */
export function runWork<P, R>(
  capability: Pick<Capability<P, R>, 'run' | 'timeoutMs'>,
  params: P,
  context: WorkContext,
  { time = realTime, graceMs = WORK_GRACE_DEFAULT_MS, onTimeoutProblem }: WorkOptions = {},
): Promise<Outcome<R>> {
  const limitMs = Math.min(timeoutOf(capability, params, onTimeoutProblem), context.remainingMs)
  const invocation = new Invocation<R>({
    time,
    limitMs,
    signal: context.signal,
    graceMs: reason =>
      reason === ('stop' satisfies Interruption) ? Math.min(graceMs, STOP_GRACE_MS) : graceMs,
    isGivingUp,
    listensLate: true,
  })
  const own: WorkContext = {
    ...context,
    remainingMs: limitMs,
    // Made for work that uses it.
    get signal() {
      return invocation.signal
    },
  }
  const ended = invocation.run((given: WorkContext) => capability.run(params, given), own)
  listenAfterTurn(invocation)
  return ended
}

/** A late result still counts, but undefined is how functions give up. */
export function isGivingUp(value: unknown): boolean {
  return value === undefined
}

/** The time limit of a try. A mistake in it must not cut work short: then there is no limit. */
export function timeoutOf<P>(
  { timeoutMs }: Pick<Capability<P>, 'timeoutMs'>,
  params: P,
  report: ((problem: string) => void) | undefined,
): number {
  if (typeof timeoutMs !== 'function') return timeoutMs ?? Infinity
  try {
    const ms: unknown = timeoutMs(params)
    if (ms === undefined) return Infinity
    if (typeof ms === 'number' && ms > 0) return ms
    report?.(`it must return milliseconds above 0 or undefined, not ${quote(ms)}`)
  } catch (error) {
    report?.(`it threw ${error instanceof Error ? `${error.name}: ${error.message}` : quote(error)}`)
  }
  return Infinity
}

/** The failure of a try; undefined if it succeeded. The run's secrets are hidden before anything is cut. */
export function workFailure(outcome: Outcome, context: ClassifyContext, mask?: Mask): Failure | undefined {
  const read = (given: unknown) => {
    const input = isWorkFailed(given) ? given.input : given
    return mask ? mask.value(input) : input
  }
  const failure = attemptFailure(outcome, context, read)?.failure
  return failure && mask ? mask.failure(failure) : failure
}

/** Code that may not have ended yet. */
interface Listening {
  listen(): void
}

let begun: Listening[] = []

/**
 * Makes code listen to the signal of its job or run if it is still running when this turn of the event loop ends. Engines
 * compose a signal for each job, and listening to one costs as much as a quarter of a job that does nothing. One timer serves
 * all that began in the turn.
 */
export function listenAfterTurn(code: Listening): void {
  if (begun.push(code) === 1) setImmediate(listenAll)
}

function listenAll(): void {
  const all = begun
  begun = []
  for (const code of all) code.listen()
}
