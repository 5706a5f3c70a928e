import type { EventType, LedgerEvent } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { eventToJson } from '../queue/operation-json.ts'
import type { Logger, LogLevel } from './log.ts'
import { eventInWords } from './operation-words.ts'

/** What a person should look at; everything else is information, or only for who looks for a mistake. */
const LEVELS: Partial<Record<EventType, LogLevel>> = {
  dead: 'warn',
  parked: 'warn',
  provider_blocked: 'warn',
  taken_over: 'warn',
  stray_error: 'debug',
  recorded: 'debug',
  attempted: 'debug',
}

/** Writes what happens in a ledger into the log, whichever process did it, from now on. */
export class EventLog {
  readonly #ledger: Ledger
  readonly #log: Logger
  #cursor = 0
  #stopListening: (() => void) | undefined
  #reading: Promise<void> | undefined
  #isAgain = false
  /** Where to end, once it is told to stop: others may go on writing for ever. */
  #last = Infinity

  constructor(ledger: Ledger, log: Logger) {
    this.#ledger = ledger
    this.#log = log.child({ component: 'queue' })
  }

  async start(): Promise<void> {
    this.#cursor = await this.#ledger.lastEvent()
    this.#stopListening = this.#ledger.onChange(() => void this.#look())
  }

  /** Writes what is left, and listens no more. */
  async stop(): Promise<void> {
    this.#stopListening?.()
    try {
      this.#last = await this.#ledger.lastEvent()
    } catch {
      // A look says why it cannot be read.
    }
    await this.#look()
  }

  /** One look at a time; what is written meanwhile causes one more. */
  #look(): Promise<void> {
    this.#isAgain = true
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #read(): Promise<void> {
    try {
      while (this.#isAgain && this.#cursor < this.#last) {
        this.#isAgain = false
        const events = await this.#ledger.events({ after: this.#cursor })
        for (const event of events) if (this.#cursor < this.#last) await this.#write(event)
        this.#isAgain ||= events.length > 0
      }
    } catch (error) {
      this.#log.error({ err: error }, 'cannot read events')
    }
  }

  async #write(event: LedgerEvent): Promise<void> {
    this.#cursor = event.id
    const { type, operation: id, run } = event
    const operation = id === undefined ? undefined : await this.#ledger.get(id)
    const words = eventInWords(event, operation) ?? type
    const { data } = eventToJson(event)
    this.#log[LEVELS[type] ?? 'info'](
      {
        event: type,
        ...(id === undefined ? {} : { operation: id }),
        ...(operation ? { capability: operation.capability } : {}),
        ...(run === undefined ? {} : { run }),
        ...(data === undefined ? {} : { data }),
      },
      id === undefined ? words : `${id} ${words}`,
    )
  }
}
