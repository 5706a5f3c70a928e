import { type Mask, storeResult } from '../../capability/index.ts'
import type { ClaimedRun } from '../../engine/index.ts'
import type { EndingVerdict, HandBack, NewAttempt, Settlement } from '../../ledger/index.ts'
import type { Verdict } from '../../verdict/index.ts'
import type { Surroundings } from '../surroundings.ts'
import type { RunEnd } from './run-end.ts'

/** Writes what becomes of one run, under its fence. A run that is stale has ended, whatever was to be written. */
export class RunWriter {
  readonly #surroundings: Surroundings
  readonly #claimed: ClaimedRun
  readonly #mayHandOver: boolean

  /** @param mayHandOver false where what this process could do was all there is */
  constructor(surroundings: Surroundings, claimed: ClaimedRun, mayHandOver: boolean) {
    this.#surroundings = surroundings
    this.#claimed = claimed
    this.#mayHandOver = mayHandOver
  }

  async succeed(value: unknown, mask: Mask, attempt: NewAttempt): Promise<RunEnd> {
    const { settings, engine } = this.#surroundings
    const { resultLimitBytes, resultFolder } = settings
    const { fence } = this.#claimed
    const result = await storeResult(value, {
      operation: fence.id,
      run: fence.run,
      mask,
      ...(resultLimitBytes === undefined ? {} : { limitBytes: resultLimitBytes }),
      ...(resultFolder === undefined ? {} : { folder: resultFolder }),
    })
    const settlement: Settlement = { succeeded: true, ...(result === undefined ? {} : { result }), attempt }
    const settled = await engine.settle(fence, settlement)
    return settled.settled ? { end: 'succeeded', value } : { end: 'lost' }
  }

  async settle(given: EndingVerdict, attempt?: NewAttempt, cause?: unknown): Promise<RunEnd> {
    const verdict = given.action === 'cancel' ? given : (this.#notHandedOver(given.reason) ?? given)
    const settlement: Settlement = { verdict, ...(attempt ? { attempt: { ...attempt, verdict } } : {}) }
    const settled = await this.#surroundings.engine.settle(this.#claimed.fence, settlement)
    return settled.settled ? { end: 'settled', verdict, settled, cause } : { end: 'lost' }
  }

  async release(handBack: HandBack, reason: string): Promise<RunEnd> {
    const refused = this.#notHandedOver(reason)
    if (refused) return this.settle(refused, handBack.attempt)
    const { engine, time } = this.#surroundings
    const settled = await engine.release(this.#claimed.fence, { ...handBack, reason })
    if (!settled.settled) return { end: 'lost' }
    return { end: 'released', dueAt: settled.dueAt ?? time.now(), reason }
  }

  /** An attempt that does not end the run. False if the run is stale. */
  async append(attempt: NewAttempt, lostRunner = false): Promise<boolean> {
    const appended = await this.#surroundings.engine.append(this.#claimed.fence, attempt, { lostRunner })
    return appended.settled
  }

  #notHandedOver(reason: string): Extract<Verdict, { action: 'cancel' }> | undefined {
    if (this.#mayHandOver) return undefined
    const why = `${reason}; nothing is handed over, because the queue is not enabled`
    return { action: 'cancel', as: 'exhausted', reason: why, rule: 'queue:disabled' }
  }
}
