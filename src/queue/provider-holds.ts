import { present } from '../failure/present.ts'
import { Lookout } from '../ledger/lookout.ts'
import type { QueueDeps } from './queue-deps.ts'

/** What {@link ProviderHolds} needs. */
export type HoldsDeps = Pick<QueueDeps, 'health' | 'engine' | 'time' | 'report'>

/** How long to wait after another process writes, to handle many changes at once, in milliseconds. */
const GATHER_MS = 200

/**
 * Tells the engine which providers admit no calls, so that operations which need them are held instead of tried one by one. Health
 * decides, by its cells, by what was spent and by the config; this is the only place that writes what follows for the engine.
 */
export class ProviderHolds {
  readonly #deps: HoldsDeps
  readonly #told = new Map<string, number | 'cleared' | 'paused'>()
  /** Providers whose login was refused and has not worked since. */
  readonly #loggedOut = new Set<string>()
  readonly #listeners = new Set<() => void>()
  readonly #lookout: Lookout

  constructor(deps: HoldsDeps) {
    this.#deps = deps
    this.#lookout = new Lookout({
      time: deps.time,
      gatherMs: GATHER_MS,
      look: () => this.#push(),
      onError: error => deps.report({ about: 'queue', error }),
    })
  }

  /** Brings the engine up to date with health. Never rejects. */
  sync(): Promise<void> {
    return this.#lookout.now()
  }

  /** Called when a provider served: if it was blocked, it may be free now. */
  async succeeded(provider: string): Promise<void> {
    if (this.#told.has(provider) || this.#loggedOut.has(provider)) await this.sync()
  }

  /** Calls the listener when a refused login works again. Returns the function that ends this. */
  onLoggedIn(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Another process wrote: soon checks whether a provider changed. */
  soon(): void {
    this.#lookout.soon()
  }

  /** Takes over from the process that told the engine last: a provider that it blocked may be free by now. */
  async reset(): Promise<void> {
    const { health, engine } = this.#deps
    for (const [id, until] of await engine.blocks()) {
      this.#told.set(id, until)
      // Health lists what it has heard of. Of a block that was over just before its process died, only the engine has heard.
      health.provider(id)
    }
    await this.sync()
  }

  /** Settles when updates in progress are done. */
  close(): Promise<void> {
    return this.#lookout.close()
  }

  async #push(): Promise<void> {
    const { health, engine, time } = this.#deps
    const now = time.now()
    let isLoggedIn = false
    const statuses = await health.status()
    const isAnyPaused = statuses.some(({ cause }) => cause === 'pause')
    // Not those of a health that keeps its state elsewhere.
    const paused = new Set(isAnyPaused ? (await engine.pauses()).providers : [])
    // What this process told the engine, another may have undone before it died.
    const blocks = statuses.every(({ admits }) => admits) ? undefined : await engine.blocks()
    for (const { id, admits, until, loginRefused, cause, ...why } of statuses) {
      if (loginRefused) this.#loggedOut.add(id)
      else isLoggedIn = this.#loggedOut.delete(id) || isLoggedIn
      const told = this.#told.get(id)
      if (admits) {
        if (told === undefined) continue
        this.#told.delete(id)
        await engine.unblock(id)
      } else if (cause === 'pause' && paused.has(id)) {
        if (told === undefined) this.#told.set(id, 'paused')
      } else if (until === undefined || until > now) {
        const end = until ?? 'cleared'
        if (told === end && blocks?.get(id) === end) continue
        this.#told.set(id, end)
        const { reason, said, isPaced, failure } = why
        await engine.block(id, end, cause && { cause, ...present({ reason, said, isPaced, failure }) })
      }
    }
    if (isLoggedIn) for (const listener of this.#listeners) listener()
  }
}
