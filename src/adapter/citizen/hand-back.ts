import type { ClaimedRun } from '../../engine/engine.ts'
import { present } from '../../failure/present.ts'
import type { Attempt } from '../../ledger/attempt.ts'
import { citizenRetry, heldByEngine } from '../../ledger/citizen.ts'
import type { LedgerEvent } from '../../ledger/event.ts'
import type { RunningOperation } from '../../ledger/operation.ts'
import type { EndingVerdict } from '../../ledger/settlement.ts'
import type { QueueDeps } from '../../queue/queue-deps.ts'
import { sleep } from '../../time/time.ts'
import { asObject, readRecord, withRecord } from '../job/record.ts'
import type { EngineDesk, HandedBack } from './desk.ts'
import { leavesOpen, startOf } from './standing.ts'

const CANCELLED: EndingVerdict = {
  action: 'cancel',
  as: 'cancelled',
  reason: 'cancelled by a person',
  rule: 'citizen:cancelled',
}

/** How long to wait for an engine that has not recorded a try yet: half as long as it has taken, within these, in milliseconds. */
const SHORTEST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000
/** How long a run waits for the engine itself, about, in milliseconds. */
const MOMENT_MS = 1_000

/**
 * Gives jobs back to their engine: what was parked and may go on, what a person retries or cancels. The operation in
 * the ledger is the outbox: it stays claimable until the engine has the job, and the engine takes each job once.
 */
export class HandBack {
  readonly #deps: Pick<QueueDeps, 'ledger' | 'engine' | 'time'>
  readonly #desk: EngineDesk

  constructor(deps: Pick<QueueDeps, 'ledger' | 'engine' | 'time'>, desk: EngineDesk) {
    this.#deps = deps
    this.#desk = desk
  }

  /** The work of a run: rejects if the engine cannot be reached; then the run is released and claimed again. */
  readonly work = async ({ operation, fence }: ClaimedRun, signal: AbortSignal): Promise<'ended'> => {
    const { engine, ledger, time } = this.#deps
    const last = (await ledger.attempts(operation.id)).at(-1)
    const job = jobOf(operation, await ledger.timeline(operation.id), last)
    const { cancelRequested } = operation
    const isThere = await this.#carriedOut(
      () => (cancelRequested ? this.#desk.cancel(job, CANCELLED.reason) : this.#desk.resume(job)),
      signal,
    )
    if (cancelRequested) {
      // One that still runs, or whose worker was killed, finds the cancel when it would go on.
      await engine.settle(fence, { verdict: CANCELLED })
      return 'ended'
    }
    if (!isThere) {
      const waitedMs = time.now() - (last?.endedAt ?? 0)
      const dueAt = time.now() + Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, waitedMs / 2))
      await engine.release(fence, { dueAt, reason: `${this.#desk.engine} has not recorded its last try yet` })
      return 'ended'
    }
    await engine.release(fence, {
      heldBy: heldByEngine(this.#desk.engine),
      reason: `${this.#desk.engine} has it again`,
    })
    return 'ended'
  }

  /** A worker tells the ledger first and the engine next, usually within milliseconds. */
  async #carriedOut(ask: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
    for (let waitMs = 20; ; waitMs *= 2) {
      if (await ask()) return true
      if (waitMs > MOMENT_MS || signal.aborted) return false
      // Whoever takes the run next asks again.
      await sleep(this.#deps.time, waitMs, signal).catch(() => {})
    }
  }
}

/** What the adapter needs of an operation to move its job. */
export function jobOf(
  operation: RunningOperation,
  timeline: readonly LedgerEvent[],
  last: Attempt | undefined,
): HandedBack {
  const { id, params, attempts } = operation
  const context = asObject(operation.context)
  // Without a record, what can be verified would run unverified.
  const isOpen = citizenRetry(operation) === 'verify_first' && last !== undefined && leavesOpen(last)
  const known = isOpen ? { maybeDoneAt: last.endedAt } : {}
  const record = { ...readRecord(undefined), tries: attempts, operation: id, ...known }
  const start = last ? startOf(last) : 0
  return {
    jobId: String(context?.job_id ?? ''),
    data: stored =>
      withRecord(
        params,
        stored === undefined
          ? { ...record, starts: start, startsBefore: start }
          : { ...record, ...present({ startsBefore: readRecord(stored).startsBefore }) },
      ),
    again: context?.again,
    start,
    isEdited: timeline.some(({ type, data }) => type === 'edited' && changesParams(data)),
  }
}

function changesParams(data: Record<string, unknown> | undefined): boolean {
  return Array.isArray(data?.changed) && data.changed.includes('params')
}
