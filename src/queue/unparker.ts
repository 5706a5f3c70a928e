import { prepareRun } from '../capability/prepare-run.ts'
import type { EventType, LedgerEvent } from '../ledger/event.ts'
import { EventReader } from '../ledger/event-reader.ts'
import type { Operation, ParkedOperation } from '../ledger/operation.ts'
import { pagesOf } from '../ledger/pages.ts'
import { isAskedByPerson, parkOriginOf, unparkOriginOf } from '../ledger/parking.ts'
import type { ParkOrigin, ParkReason } from '../verdict/verdict.ts'
import type { QueueDeps } from './queue-deps.ts'

/** Name of the cursor that all runners share. */
const CONSUMER = 'queue.parked'
const MOVERS: readonly EventType[] = ['provider_freed', 'parked']
const PAGE = 200
/** How long to wait after a change, to handle many at once, in milliseconds. */
const GATHER_MS = 200

/** Continues parked operations once they have what they wait for. */
export class Unparker {
  readonly #deps: QueueDeps
  readonly #reader: EventReader
  #moving: Promise<void> | undefined
  #isClosed = false

  constructor(deps: QueueDeps) {
    this.#deps = deps
    const { ledger, time, report } = deps
    this.#reader = new EventReader({
      ledger,
      time,
      consumer: CONSUMER,
      from: 'beginning',
      types: MOVERS,
      gatherMs: GATHER_MS,
      onError: error => report({ about: 'queue', error }),
      handle: events => this.#happened(events),
    })
  }

  /** Something was written: soon checks whether a parked operation can continue. */
  soon(): void {
    this.#reader.soon()
  }

  /** Moves nothing more. Settles when moves in progress are done. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#reader.stop()
    await this.#moving
  }

  /** Reads new events: a provider that operations wait for may be free. Never rejects. */
  look(): Promise<void> {
    return this.#reader.look()
  }

  /**
   * Rechecks operations whose secret was missing or whose parameters were invalid, with the keys and capabilities of this process.
   * Never rejects.
   */
  async sweep(): Promise<void> {
    const { ledger, registry, report } = this.#deps
    try {
      // Mostly nothing is parked, and one question shows it.
      if ((await ledger.list({ state: 'parked' }, { limit: 1 })).items.length === 0) return
      // An operation that a policy or a hook parked waits for a person, even if its parameters are valid.
      for (const parkedFor of ['secret', 'parameters'] as const)
        for await (const operation of this.#all({ parkedFor, capability: registry.names }))
          if ((await this.#originOf(operation)) === 'runner') await this.#goOn(operation, parkedFor)
      await this.#moveLoggedIn()
    } catch (error) {
      report({ about: 'queue', error })
    }
  }

  /**
   * Nobody may ever report that a bill is paid: of what waits for a provider that money or a login shuts out, one operation per
   * interval finds out whether it works again. The rest follows if it does. Never rejects.
   */
  async findOut(): Promise<void> {
    const { health, report } = this.#deps
    try {
      for (const provider of await health.testable()) await this.#sendOne(provider)
    } catch (error) {
      report({ about: 'queue', error })
    }
  }

  /** A refused login works again: continues what waits for it. Never rejects. */
  loggedIn(): Promise<void> {
    const moved = (this.#moving ?? Promise.resolve())
      .then(() => (this.#isClosed ? undefined : this.#moveLoggedIn()))
      .catch(error => this.#deps.report({ about: 'queue', error }))
    this.#moving = moved
    return moved
  }

  /** Returns the last event that was acted on: after a stop, the rest is read again. */
  async #happened(events: readonly LedgerEvent[]): Promise<number> {
    let last = 0
    for (const event of events) {
      await this.#one(event)
      if (this.#isClosed) break
      last = event.id
    }
    return last
  }

  async #one(event: LedgerEvent): Promise<void> {
    const { type, operation: id, data } = event
    if (type === 'provider_freed') return this.#freed(data?.provider as string)
    const parkedFor = data?.for
    if ((parkedFor !== 'secret' && parkedFor !== 'parameters') || parkOriginOf(event) !== 'runner') return
    // This process may have what another runner lacks.
    const operation = id === undefined ? undefined : await this.#deps.ledger.get(id)
    if (operation?.state === 'parked' && operation.parkedFor === parkedFor)
      await this.#goOn(operation, parkedFor)
  }

  /** Moves only what this runner could run now: other runners may still lack what it waits for. */
  async #goOn(operation: ParkedOperation, parkedFor: keyof typeof FOUND): Promise<void> {
    const { ready } = await prepareRun(operation, this.#deps)
    if (ready) await this.#deps.engine.unpark([operation.id], { by: 'runner', reason: FOUND[parkedFor] })
  }

  /**
   * Login and payment concern the provider: both are resolved when it can be used again. The end of a block does not prove that a
   * login works: that must be shown first.
   */
  async #freed(provider: string): Promise<void> {
    const { health } = this.#deps
    for await (const operation of this.#parkedBy(provider, 'payment')) await this.#move(operation, provider)
    await health.ready()
    if (health.provider(provider).logins.isRefused) return
    for await (const operation of this.#parkedBy(provider, 'login')) await this.#move(operation, provider)
  }

  /** What a policy or a hook parked waits for a person, whatever its provider can do. */
  async *#parkedBy(provider: string, parkedFor: ParkReason): AsyncGenerator<ParkedOperation> {
    for await (const operation of this.#all({ parkedFor, provider }))
      if ((await this.#originOf(operation)) === 'provider') yield operation
  }

  /** Moves operations parked by a refused login if one of their providers is neither refused nor closed now. */
  async #moveLoggedIn(): Promise<void> {
    const shut = new Set(
      (await this.#deps.health.status()).flatMap(({ id, admits, loginRefused }) =>
        admits && !loginRefused ? [] : [id],
      ),
    )
    for await (const operation of this.#all({ parkedFor: 'login' })) {
      const provider = operation.providers.find(id => !shut.has(id))
      if (provider !== undefined && (await this.#originOf(operation)) === 'provider')
        await this.#move(operation, provider)
    }
  }

  async #sendOne(provider: string): Promise<void> {
    const { ledger, engine, registry } = this.#deps
    const capability = registry.names
    if (capability.length === 0) return
    const held = await ledger.list({ heldBy: provider, capability }, { limit: 1 })
    const parked = held.items.length > 0 ? undefined : await this.#leastTried(provider)
    if (held.items.length === 0 && !parked) return
    if (!(await engine.letOneThrough(provider))) return
    const reason = `finds out whether provider ${provider} can be used again`
    if (parked) await engine.unpark([parked.id], { by: 'runner', reason })
    else await engine.wake()
  }

  /** Of the first that wait for money or a login there, the one with the fewest runs: they take turns. */
  async #leastTried(provider: string): Promise<ParkedOperation | undefined> {
    const capability = this.#deps.registry.names
    const waiting: ParkedOperation[] = []
    for (const parkedFor of ['payment', 'login'] as const) {
      const { items } = await this.#deps.ledger.list({ parkedFor, provider, capability }, { limit: PAGE })
      for (const operation of items) if (operation.state === 'parked') waiting.push(operation)
    }
    // What a policy or a hook parked waits for a person, and keeps no other from finding out.
    for (const operation of waiting.sort((a, b) => a.run - b.run))
      if ((await this.#originOf(operation)) === 'provider') return operation
    return undefined
  }

  /** An operation that was moved and refused this often waits for a person: the login is not what it lacks. */
  async #move({ id }: ParkedOperation, provider: string): Promise<void> {
    const { ledger, engine } = this.#deps
    const timeline = await ledger.timeline(id)
    const sinceAsked = timeline.slice(timeline.findLastIndex(isAskedByPerson) + 1)
    const moves = sinceAsked.filter(event => unparkOriginOf(event) === 'provider').length
    if (moves < MOST_MOVES)
      await engine.unpark([id], { by: 'provider', reason: `provider ${provider} can be used again` })
  }

  /** What caused its last park. */
  async #originOf({ id }: Operation): Promise<ParkOrigin | undefined> {
    const parked = (await this.#deps.ledger.timeline(id)).findLast(({ type }) => type === 'parked')
    return parked && parkOriginOf(parked)
  }

  async *#all(filter: {
    parkedFor: ParkReason
    capability?: readonly string[]
    provider?: string
  }): AsyncGenerator<ParkedOperation> {
    if (filter.capability?.length === 0) return
    for await (const operations of pagesOf(page => this.#deps.ledger.list(filter, page), PAGE)) {
      for (const operation of operations) {
        if (this.#isClosed) return
        if (operation.state === 'parked') yield operation
      }
      if (this.#isClosed) return
    }
  }
}

/** How often an operation parked for its provider continues automatically. */
const MOST_MOVES = 3

const FOUND = {
  secret: 'its secret is available now',
  parameters: 'its parameters are valid now',
} as const
