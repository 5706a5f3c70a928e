import type { Interruption } from '../engine/claim-loop.ts'
import type { ClaimedRun } from '../engine/engine.ts'
import type { QueueDeps } from './queue-deps.ts'

interface Kept {
  run: ClaimedRun
  controller: AbortController
}

/** Renews the leases of runs begun in this process, and notices when one is cancelled or lost. */
export class LeaseKeeper {
  readonly #deps: QueueDeps
  readonly #kept = new Set<Kept>()
  #cancelTimer: (() => void) | undefined
  /** When it renews next, on the monotonic clock; Infinity while no timer runs. */
  #renewsAt = Infinity
  #stopListening: (() => void) | undefined

  constructor(deps: QueueDeps) {
    this.#deps = deps
  }

  /** Number of runs with a waiting caller. */
  get size(): number {
    return this.#kept.size
  }

  /** Does the work of a run while renewing its lease. The caller's signals interrupt it, each in its own way. */
  async keep<T>(
    run: ClaimedRun,
    signals: Partial<Record<'cancel' | 'stop', AbortSignal | undefined>>,
    work: (signal: AbortSignal, lost: () => void) => Promise<T>,
  ): Promise<T> {
    const kept: Kept = { run, controller: new AbortController() }
    const heard = new AbortController()
    for (const how of ['cancel', 'stop'] as const satisfies readonly Interruption[]) {
      const interrupt = () => kept.controller.abort(how)
      if (signals[how]?.aborted) interrupt()
      else signals[how]?.addEventListener('abort', interrupt, { signal: heard.signal })
    }
    this.#kept.add(kept)
    this.#deps.underWay.add(run.fence)
    this.#arm()
    this.#stopListening ??= this.#deps.engine.onWork(() => void this.#look())
    try {
      return await work(kept.controller.signal, () => kept.controller.abort('lost' satisfies Interruption))
    } finally {
      heard.abort()
      this.#kept.delete(kept)
      this.#deps.underWay.delete(run.fence)
      if (this.#kept.size === 0) this.#rest()
    }
  }

  /** Releases all runs. */
  stop(): void {
    for (const { controller } of this.#kept) controller.abort('stop' satisfies Interruption)
  }

  #rest(): void {
    this.#cancelTimer?.()
    this.#stopListening?.()
    this.#cancelTimer = this.#stopListening = undefined
    this.#renewsAt = Infinity
  }

  /** A run with a shorter lease than those before it does not wait for their renewal, nor do they wait longer for its sake. */
  #arm(): void {
    const { time } = this.#deps
    const everyMs = Math.min(...[...this.#kept].map(({ run }) => run.leaseMs)) / 3
    const at = time.monotonic() + everyMs
    if (at >= this.#renewsAt) return
    this.#cancelTimer?.()
    this.#renewsAt = at
    this.#cancelTimer = time.after(everyMs, () => {
      this.#renewsAt = Infinity
      void this.#renew()
      if (this.#kept.size > 0) this.#arm()
    })
  }

  async #renew(): Promise<void> {
    const { engine, report } = this.#deps
    const kept = [...this.#kept]
    if (kept.length === 0) return
    try {
      const renewals = await engine.renew(kept.map(({ run }) => run.fence))
      renewals.forEach((renewal, index) => {
        const { controller } = kept[index] as Kept
        if (!renewal.held) controller.abort('lost' satisfies Interruption)
        else if (renewal.cancelRequested) controller.abort('cancel' satisfies Interruption)
      })
    } catch (error) {
      report({ about: 'queue', error })
    }
  }

  /** Somebody wrote: it may be a cancel of something that runs here. It does not wait for a renewal. */
  async #look(): Promise<void> {
    const { engine, report } = this.#deps
    try {
      const kept = [...this.#kept]
      const interrupted = await engine.interrupted(kept.map(({ run }) => run.fence))
      for (const { id, run, by } of interrupted)
        kept
          .find(one => one.run.fence.id === id && one.run.fence.run === run)
          ?.controller.abort(by satisfies Interruption)
    } catch (error) {
      report({ about: 'queue', error })
    }
  }
}
