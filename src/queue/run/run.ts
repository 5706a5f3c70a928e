import type { Judge } from '../../call/attempt/judge.ts'
import type { Interruption } from '../../engine/claim-loop.ts'
import type { ClaimedRun } from '../../engine/engine.ts'
import type { ClassifyContext } from '../../failure/context.ts'
import type { NewAttempt } from '../../ledger/attempt.ts'
import type { ProviderHolds } from '../provider-holds.ts'
import { classifyContextOf, type QueueDeps } from '../queue-deps.ts'
import type { Counters } from './counters.ts'
import type { InProcess } from './in-process.ts'
import { RunEvents, type RunListener } from './run-events.ts'
import { RunRecorder } from './run-recorder.ts'
import type { RunSpans } from './run-spans.ts'
import { RunWriter } from './run-writer.ts'
import type { Subject } from './subject.ts'

/** The inputs of one run. */
export interface RunOptions {
  deps: QueueDeps
  holds: ProviderHolds
  claimed: ClaimedRun
  /** Aborted when the run was lost, cancelled or must stop; its reason is an {@link Interruption}. */
  signal: AbortSignal
  /** Time for tries in the caller's process, in milliseconds: while it lasts, retries wait here. Default: none. */
  budgetMs?: number
  /** Time for waits between these tries, in milliseconds; a longer wait is handed over. Default: the whole budget. */
  waitHereMs?: number | undefined
  /** Gets notified of the tries of this run. Default: none. */
  listener?: RunListener
}

/** What a run has from its claim to its end, even if its work can never be tried. */
export interface RunScope {
  readonly deps: QueueDeps
  readonly holds: ProviderHolds
  readonly claimed: ClaimedRun
  /** Aborted when the run must end, for any reason; the reason is an {@link Interruption}. */
  readonly signal: AbortSignal
  readonly writer: RunWriter
  readonly recorder: RunRecorder
  /** Undefined if nothing listens. */
  readonly events: RunEvents | undefined
  /** Undefined without tracing. */
  readonly spans: RunSpans | undefined
  /** Stops listening to the given signal. */
  close(): void
}

export function openScope(
  { deps, holds, claimed, signal, budgetMs, listener }: RunOptions,
  spans: RunSpans | undefined,
): RunScope {
  const controller = new AbortController()
  const onAbort = () => controller.abort(signal.reason)
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  const events = listener && new RunEvents(listener, claimed, deps.time)
  const inDisabled = budgetMs === undefined ? 'untried' : 'nothing'
  return {
    deps,
    holds,
    claimed,
    signal: controller.signal,
    events,
    spans,
    // A waiting caller learns at once that the outcome cannot be stored; a runner has time.
    writer: new RunWriter(
      deps,
      claimed,
      deps.settings.enabled ? 'all' : inDisabled,
      budgetMs === undefined ? signal : undefined,
    ),
    recorder: new RunRecorder(deps.engine, claimed.fence, {
      onRecord: ({ costUsd }) => events?.spent(costUsd),
      onStale: () => controller.abort('lost' satisfies Interruption),
      onRecordError: error => deps.report({ about: 'queue', error, operation: claimed.operation.id }),
    }),
    close: () => signal.removeEventListener('abort', onAbort),
  }
}

/** A run whose work can be tried. Steps read it and return what they decide as a {@link Next}. */
export interface Run extends Omit<RunScope, 'close'> {
  readonly subject: Subject
  readonly counters: Counters
  /** Decides for the operation. */
  readonly judge: Judge
  /** Decides for the caller's process; undefined if no caller waits for the run. */
  readonly inProcess: InProcess | undefined
}

/** The classifier's context for a failure of this provider. */
export function classifyContext(
  { deps, subject }: Pick<Run, 'deps' | 'subject'>,
  provider: string | undefined,
): ClassifyContext {
  return classifyContextOf(deps, subject.capability, provider, subject.model)
}

/** Stores an attempt that does not end the run, and adds it to the history. Returns false if the run is stale. */
export async function append(
  { writer, subject, claimed }: Pick<Run, 'writer' | 'subject' | 'claimed'>,
  attempt: NewAttempt,
  lostRunner = false,
): Promise<boolean> {
  if (!(await writer.append(attempt, lostRunner))) return false
  subject.history.add(attempt, claimed.fence.run)
  return true
}
