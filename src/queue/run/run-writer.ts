import { storeResult } from '../../capability/result.ts'
import type { Mask } from '../../capability/secret/mask.ts'
import type { ClaimedRun } from '../../engine/engine.ts'
import { present } from '../../failure/present.ts'
import type { NewAttempt } from '../../ledger/attempt.ts'
import { isLedgerError, type LedgerErrorCode } from '../../ledger/error.ts'
import type { HandBack } from '../../ledger/ledger.ts'
import type { EndingVerdict, Settlement } from '../../ledger/settlement.ts'
import { sleep } from '../../time/time.ts'
import type { Succeeded } from '../../verdict/succeeded.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { QueueDeps } from '../queue-deps.ts'
import type { RunEnd } from './run-end.ts'

/** How long to wait between two tries to store a run's outcome, in milliseconds. */
const AGAIN_AFTER_MS = 2_000
/** Errors that can be fixed while the daemon runs. */
const PASSING: readonly LedgerErrorCode[] = ['full', 'locked', 'io', 'read_only', 'gone']

/** What may wait for another run: everything; in a disabled queue what no try has failed, or nothing that a caller waits for. */
export type Keeps = 'all' | 'untried' | 'nothing'

/** Stores the outcome of one run, under its fence. A stale run has ended: nothing more is written for it. */
export class RunWriter {
  readonly #deps: QueueDeps
  readonly #claimed: ClaimedRun
  readonly #keeps: Keeps
  readonly #insist: AbortSignal | undefined
  readonly #worked: (() => void) | undefined

  /**
   * @param keeps what may wait for another run
   * @param insist until this is aborted, tries again while the ledger cannot be written. Default: it fails
   * @param worked called before a success is written. Default: nothing
   */
  constructor(deps: QueueDeps, claimed: ClaimedRun, keeps: Keeps, insist?: AbortSignal, worked?: () => void) {
    this.#deps = deps
    this.#claimed = claimed
    this.#keeps = keeps
    this.#insist = insist
    this.#worked = worked
  }

  /** It succeeded because a policy or hook said so about a try. */
  succeedAs(
    { succeeded, reason, by = 'a policy' }: Succeeded,
    mask: Mask,
    attempt: NewAttempt,
  ): Promise<RunEnd> {
    return this.succeed(succeeded, mask, attempt, { by, reason })
  }

  async succeed(
    value: unknown,
    mask: Mask,
    attempt: NewAttempt,
    answered?: { by: string; reason: string },
  ): Promise<RunEnd> {
    const { settings, engine, ledger } = this.#deps
    const { resultLimitBytes, resultFolder, maxResultBytes } = settings
    const { fence } = this.#claimed
    const stored = await storeResult(value, {
      operation: fence.id,
      run: fence.run,
      mask,
      maxBytes: maxResultBytes,
      ...present({ limitBytes: resultLimitBytes, folder: resultFolder, store: ledger.results }),
    })
    const settlement: Settlement = {
      succeeded: true,
      ...stored,
      attempt,
      ...(answered ? { answered } : {}),
    }
    this.#worked?.()
    const settled = await this.#written(() => engine.settle(fence, settlement))
    return settled.settled ? { end: 'succeeded', value } : { end: 'lost' }
  }

  async settle(given: EndingVerdict, attempt?: NewAttempt, cause?: unknown): Promise<RunEnd> {
    const verdict = given.action === 'cancel' ? given : (this.#notKept(given) ?? given)
    const { engine } = this.#deps
    const settled = await this.#written(setBackMs => {
      const written = verdict.action === 'snooze' ? { ...verdict, until: verdict.until - setBackMs } : verdict
      const settlement = { verdict: written, ...(attempt && { attempt: { ...attempt, verdict: written } }) }
      return engine.settle(this.#claimed.fence, settlement)
    })
    return settled.settled ? { end: 'settled', verdict, settled, cause } : { end: 'lost' }
  }

  async release(handBack: HandBack, reason: string): Promise<RunEnd> {
    const refused = this.#notKept({ ...handBack.attempt?.verdict, reason })
    if (refused) return this.settle(refused, handBack.attempt)
    const { engine, time } = this.#deps
    const { dueAt } = handBack
    const settled = await this.#written(setBackMs => {
      const written = dueAt === undefined ? handBack : { ...handBack, dueAt: dueAt - setBackMs }
      return engine.release(this.#claimed.fence, { ...written, reason })
    })
    if (!settled.settled) return { end: 'lost' }
    return { end: 'released', dueAt: settled.dueAt ?? time.now(), reason }
  }

  /** Stores an attempt that does not end the run. Returns false if the run is stale. */
  async append(attempt: NewAttempt, lostRunner = false): Promise<boolean> {
    const { engine } = this.#deps
    const appended = await this.#written(() => engine.append(this.#claimed.fence, attempt, { lostRunner }))
    return appended.settled
  }

  /**
   * What has happened cannot be undone, so it waits here until it can be stored, even if the disk is full. If the clock
   * is set back meanwhile, `write` is told how far: a time computed before is as much too late.
   */
  async #written<T>(write: (setBackMs: number) => Promise<T>): Promise<T> {
    const { time, report } = this.#deps
    const startedAt = time.now()
    for (let isTold = false; ; isTold = true) {
      try {
        return await write(Math.max(0, startedAt - time.now()))
      } catch (error) {
        const isPassing = isLedgerError(error) && PASSING.includes(error.code)
        if (!isPassing || !this.#insist || this.#insist.aborted) throw error
        if (!isTold) report({ about: 'queue', error, operation: this.#claimed.operation.id })
        // The next failed try notices an abort.
        await sleep(time, AGAIN_AFTER_MS, this.#insist).catch(() => {})
      }
    }
  }

  /** With a disabled queue, a failed try is the last one. What was not tried, was interrupted or needs a person still waits. */
  #notKept({
    action,
    reason,
  }: {
    action?: Verdict['action']
    reason: string
  }): Extract<Verdict, { action: 'cancel' }> | undefined {
    const isAnotherTry = action === 'retry' || action === 'snooze' || action === 'failover'
    if (this.#keeps === 'all' || (this.#keeps === 'untried' && !isAnotherTry)) return undefined
    const why = `${reason}; not kept for a later try, because [queue] enabled = false`
    return { action: 'cancel', as: 'exhausted', reason: why, rule: 'queue:disabled' }
  }
}
