import type { Choice, Permit } from '../provider/gate.ts'
import type { CallDeps } from './call-deps.ts'
import { type Begun, beginStream } from './stream/begin.ts'
import { type Resume, Try } from './try.ts'

const NONE_PASSED_OVER: Choice['passedOver'] = []

/**
 * Records that a try begins. Does not run its work.
 * @param startedMs milliseconds since the call began
 * @param remainingMs milliseconds left of the budget
 */
export function beginTry<T>(
  deps: CallDeps,
  choice: Extract<Choice, { permit: Permit }> | undefined,
  resume: Resume | undefined,
  startedMs: number,
  remainingMs: number,
): Try<T> {
  const { time, log, events } = deps
  const permit = choice?.permit
  const attempt = log.begin(permit?.provider, time.now())
  events?.started(attempt, remainingMs, choice?.passedOver ?? NONE_PASSED_OVER)
  return new Try<T>(deps, attempt, permit, resume, startedMs, remainingMs)
}

/** Watches the stream that a try returned. Never rejects. */
export function watchStream<T>(
  { options, time, budget }: CallDeps,
  running: Try<T>,
  value: T & object,
): Promise<Begun<T>> {
  const { signal, firstChunkMs, idleMs, softFailures } = options
  const abort = (reason: unknown) => running.abort(reason)
  const settings = { time, budget, signal, firstChunkMs, idleMs, abort }
  return beginStream<T & object>(value, settings, softFailures !== false)
}

/** Records how long a try has taken so far, and what it has cost. */
export function noteTry<T>({ log, budget }: CallDeps, { attempt, spent, startedMs }: Try<T>): void {
  log.note(attempt, spent, budget.elapsedMs - startedMs)
}
