import type { Judge } from '../../call/attempt/judge.ts'
import type { Interruption, WorkNews } from '../../engine/claim-loop.ts'
import type { ClaimedRun } from '../../engine/engine.ts'
import type { NewAttempt } from '../../ledger/attempt.ts'
import type { RunRecord } from '../../ledger/ledger.ts'
import type { Fence } from '../../ledger/operation.ts'
import { sleep } from '../../time/time.ts'
import type { ProviderHolds } from '../provider-holds.ts'
import type { QueueDeps } from '../queue-deps.ts'
import type { InProcess } from './in-process.ts'
import type { Counters } from './judge.ts'
import { RunEvents, type RunListener } from './run-events.ts'
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
  /** Hears when only its end is left to be written, and that another runner has taken over: that aborts `signal`. */
  news: Pick<WorkNews, 'lost'> & Partial<WorkNews>
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
}

export function openScope(
  { deps, holds, claimed, signal, budgetMs, listener, news }: RunOptions,
  spans: RunSpans | undefined,
): RunScope {
  const events = listener && new RunEvents(listener, claimed, deps.time)
  const inDisabled = budgetMs === undefined ? 'untried' : 'nothing'
  return {
    deps,
    holds,
    claimed,
    signal,
    events,
    spans,
    // A waiting caller learns at once that the outcome cannot be stored; a runner has time.
    writer: new RunWriter(
      deps,
      claimed,
      deps.settings.enabled ? 'all' : inDisabled,
      budgetMs === undefined ? signal : undefined,
      news.worked,
    ),
    recorder: new RunRecorder(deps, claimed.fence, events, news.lost),
  }
}

/** A run whose work can be tried. Steps read it and return what they decide as a {@link Next}. */
export interface Run extends RunScope {
  readonly subject: Subject
  readonly counters: Counters
  /** Decides for the operation. */
  readonly judge: Judge
  /** Decides for the caller's process; undefined if no caller waits for the run. */
  readonly inProcess: InProcess | undefined
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

/** Waits in this process before another try of the same run. An abort ends the wait; the loop checks for it at its top. */
export async function wait(
  { deps, events, signal }: Pick<Run, 'deps' | 'events' | 'signal'>,
  ms: number,
  reason: string,
): Promise<void> {
  events?.waiting(ms, reason)
  await sleep(deps.time, ms, signal).catch(() => {})
}

/** Writes what becomes known during a run, in order; the end of the run waits for it. */
export class RunRecorder {
  /** Called when something was not written, or found not to be: another runner has the run, or it ended. */
  readonly lost: () => void
  readonly #deps: Pick<QueueDeps, 'engine' | 'report'>
  readonly #fence: Fence
  readonly #events: RunEvents | undefined
  #written: Promise<void> | undefined
  /** The last recorded folder. */
  folder: string | undefined

  constructor(
    deps: Pick<QueueDeps, 'engine' | 'report'>,
    fence: Fence,
    events: RunEvents | undefined,
    lost: () => void,
  ) {
    this.#deps = deps
    this.#fence = fence
    this.#events = events
    this.lost = lost
  }

  /** If it cannot be written, the run continues. */
  write(record: RunRecord): void {
    this.folder = record.folder ?? this.folder
    this.#events?.spent(record.costUsd)
    const { engine, report } = this.#deps
    this.#written = (this.#written ?? Promise.resolve()).then(async () => {
      try {
        if (!(await engine.record(this.#fence, record))) this.lost()
      } catch (error) {
        report({ about: 'queue', error, operation: this.#fence.id })
      }
    })
  }

  /** Settles when everything is written. Never rejects. */
  async written(): Promise<void> {
    await this.#written
  }
}
