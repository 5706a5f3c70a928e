import type { EventType, LedgerEvent } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { eventToJson } from '../queue/operation-json.ts'
import type { Logger, LogLevel } from './log.ts'
import { eventInWords } from './operation-words.ts'

/** Events a person should look at are warnings; details for debugging are debug; the rest is info. */
const LEVELS: Partial<Record<EventType, LogLevel>> = {
  dead: 'warn',
  parked: 'warn',
  provider_blocked: 'warn',
  taken_over: 'warn',
  stray_error: 'debug',
  recorded: 'debug',
  attempted: 'debug',
}

/** Logs new events of a ledger, from any process. */
export class EventLog {
  readonly #ledger: Ledger
  readonly #log: Logger
  #cursor = 0
  #stopListening: (() => void) | undefined
  #reading: Promise<void> | undefined
  #isAgain = false
  /** The last event to log after stop: other processes may keep writing forever. */
  #last = Infinity

  constructor(ledger: Ledger, log: Logger) {
    this.#ledger = ledger
    this.#log = log.child({ component: 'queue' })
  }

  async start(): Promise<void> {
    this.#cursor = await this.#ledger.lastEvent()
    this.#stopListening = this.#ledger.onChange(() => void this.#look())
  }

  /** Logs the rest, and stops listening. */
  async stop(): Promise<void> {
    this.#stopListening?.()
    try {
      this.#last = await this.#ledger.lastEvent()
    } catch {
      // The read below reports the error.
    }
    await this.#look()
  }

  /** One read at a time; events written meanwhile cause another. */
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
