import type { Ledger } from '../ledger/ledger.ts'
import type { ClearedBy } from '../provider/block.ts'
import type { HealthEvent } from '../provider/event.ts'
import type { Health } from '../provider/health.ts'

/** What showed that a provider's trouble is over; by `reset`, a person says so. */
export type ServedBy = Exclude<ClearedBy, 'time'>

/** What {@link ServedProviders} needs. */
export interface ServedDeps {
  ledger: Pick<Ledger, 'transaction'>
  /** A function, because health is made after its listener. */
  health: () => Pick<Health, 'status'>
  onError: (error: unknown) => void
}

/**
 * Records in the ledger that a provider which was down, or was refused for its login, money or use, serves again. The end of
 * a block proves nothing; a success does.
 */
export class ServedProviders {
  readonly #deps: ServedDeps
  #writing: Promise<void> = Promise.resolve()

  constructor(deps: ServedDeps) {
    this.#deps = deps
  }

  readonly onEvent = (event: HealthEvent): void => {
    const by = servedBy(event)
    if (by === undefined) return
    this.#writing = this.#writing.then(() => this.#write(event, by)).catch(this.#deps.onError)
  }

  /** Settles when everything is recorded. */
  close(): Promise<void> {
    return this.#writing
  }

  async #write(event: HealthEvent, by: ServedBy): Promise<void> {
    for (const provider of await this.#providersOf(event))
      await this.#deps.ledger.transaction(writes => writes.tell('provider_served', { provider, by }))
  }

  /** A block of a quota is a block of all its providers. */
  async #providersOf(event: HealthEvent): Promise<readonly string[]> {
    if (event.type === 'breaker.closed') return [event.provider]
    if (event.type !== 'cleared') return []
    const { scope } = event
    if ('provider' in scope) return [scope.provider]
    const all = await this.#deps.health().status()
    return all.flatMap(({ id, quota }) => (quota === scope.quota ? [id] : []))
  }
}

/** The end of one model's trouble, or of a short pause, is not worth an event. */
function servedBy(event: HealthEvent): ServedBy | undefined {
  if (event.type === 'breaker.closed') return event.model === undefined ? event.by : undefined
  if (event.type !== 'cleared' || event.by === 'time') return undefined
  if ('model' in event.scope && event.scope.model !== undefined) return undefined
  return event.failure.kind === 'rate_limit' ? undefined : event.by
}
