import { prepare } from '../capability/index.ts'
import type { EventType, LedgerEvent, Operation, ParkedOperation } from '../ledger/index.ts'
import type { ParkReason } from '../verdict/index.ts'
import type { Surroundings } from './surroundings.ts'

/** Name of the cursor up to which all runners together have read. */
const CONSUMER = 'queue.parked'
const MOVERS: readonly EventType[] = ['provider_freed', 'parked']
const PAGE = 200
/** How long to wait after a change, so that many are looked at once, in milliseconds. */
const GATHER_MS = 200

/** Moves parked operations when what they wait for is there. */
export class Parked {
  readonly #surroundings: Surroundings
  #cursor: number | undefined
  #reading: Promise<void> | undefined
  #isAgain = false
  #cancelTimer: (() => void) | undefined
  #isClosed = false

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings
  }

  /** Something was written; soon it is known whether anybody need not wait any more. */
  soon(): void {
    if (this.#isClosed) return
    this.#cancelTimer ??= this.#surroundings.time.after(GATHER_MS, () => {
      this.#cancelTimer = undefined
      void this.look()
    })
  }

  /** Moves nothing more. Settles when what is being moved is. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    await this.#reading
  }

  /** Reads what happened: perhaps a provider is free that operations wait for. Never rejects. */
  look(): Promise<void> {
    this.#isAgain = true
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  /**
   * Looks again at operations whose secret was missing or whose parameters did not fit, with the keys and the
   * capabilities of this process. Never rejects.
   */
  async sweep(): Promise<void> {
    const { ledger, registry, report } = this.#surroundings
    try {
      // What a policy or a hook parked waits for a person, however well its parameters fit.
      for (const parkedFor of ['secret', 'parameters'] as const)
        for await (const operation of this.#all({ parkedFor, capability: registry.names }))
          if (isOfCapability(await this.#ruleOf(operation))) await this.#goOn(operation, parkedFor)
      await this.#remember(await ledger.cursor(CONSUMER))
    } catch (error) {
      report({ about: 'queue', error })
    }
  }

  async #read(): Promise<void> {
    const { ledger, report } = this.#surroundings
    try {
      this.#cursor ??= await ledger.cursor(CONSUMER)
      while (this.#isAgain && !this.#isClosed) {
        this.#isAgain = false
        const last = await ledger.lastEvent()
        if (last <= this.#cursor) return
        const events = await ledger.events({ after: this.#cursor, types: MOVERS })
        let lastRead: number | undefined
        for (const event of events) {
          if (this.#isClosed) break
          await this.#happened(event)
          // What a stop cut off is read again after it.
          if (!this.#isClosed) lastRead = event.id
        }
        if (lastRead !== undefined) await this.#remember(await ledger.cursor(CONSUMER), lastRead)
        if (this.#isClosed) return
        // A page of events may have been full: the next look goes on behind it.
        this.#cursor = lastRead ?? last
        this.#isAgain ||= lastRead !== undefined
      }
    } catch (error) {
      report({ about: 'queue', error })
    }
  }

  async #happened({ type, operation: id, data }: LedgerEvent): Promise<void> {
    if (type === 'provider_freed') return this.#freed(data?.provider as string)
    const parkedFor = data?.for
    if ((parkedFor !== 'secret' && parkedFor !== 'parameters') || !isOfCapability(data?.rule)) return
    // What another runner lacks may be here.
    const operation = id === undefined ? undefined : await this.#surroundings.ledger.get(id)
    if (operation?.state === 'parked' && operation.parkedFor === parkedFor)
      await this.#goOn(operation, parkedFor)
  }

  /** Moves what this very runner could run now: for all others, what it waits for may still be missing. */
  async #goOn(operation: ParkedOperation, parkedFor: keyof typeof MISSED): Promise<void> {
    const { ready } = await prepare(operation, this.#surroundings)
    if (ready) await this.#surroundings.engine.unpark([operation.id], `${MISSED[parkedFor]} there now`)
  }

  /** Login and payment are a matter of the provider: both end when it can be used again. */
  async #freed(provider: string): Promise<void> {
    const { engine } = this.#surroundings
    for (const parkedFor of ['login', 'payment'] as const)
      for await (const { id } of this.#all({ parkedFor, provider }))
        await engine.unpark([id], `provider ${provider} can be used again`)
  }

  async #ruleOf({ id }: Operation): Promise<unknown> {
    const timeline = await this.#surroundings.ledger.timeline(id)
    return timeline.findLast(({ type }) => type === 'parked')?.data?.rule
  }

  /** Where to go on after a restart. Another runner may have moved it further. */
  async #remember(from: number, to = this.#cursor): Promise<void> {
    if (to !== undefined && to > from) await this.#surroundings.ledger.moveCursor(CONSUMER, from, to)
  }

  async *#all(filter: {
    parkedFor: ParkReason
    capability?: readonly string[]
    provider?: string
  }): AsyncGenerator<ParkedOperation> {
    if (filter.capability?.length === 0) return
    for (let cursor: string | undefined; ; ) {
      const page = await this.#surroundings.ledger.list(filter, {
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      })
      for (const operation of page.items) {
        if (this.#isClosed) return
        if (operation.state === 'parked') yield operation
      }
      cursor = page.next
      if (cursor === undefined || this.#isClosed) return
    }
  }
}

function isOfCapability(rule: unknown): boolean {
  return typeof rule === 'string' && rule.startsWith('capability:')
}

const MISSED = { secret: 'what it needs is', parameters: 'a capability that its parameters fit is' } as const
