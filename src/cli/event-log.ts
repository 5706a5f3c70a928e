import type { EventType, LedgerEvent } from '../ledger/event.ts'
import { EventReader } from '../ledger/event-reader.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { eventToJson } from '../queue/operation-json.ts'
import type { Time } from '../time/time.ts'
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
  readonly #reader: EventReader

  constructor(ledger: Ledger, log: Logger, time: Time) {
    this.#ledger = ledger
    this.#log = log.child({ component: 'queue' })
    this.#reader = new EventReader({
      ledger,
      time,
      onError: error => this.#log.error({ err: error }, 'cannot read events'),
      handle: async events => {
        for (const event of events) await this.#write(event)
      },
    })
  }

  start(): Promise<void> {
    return this.#reader.start()
  }

  /** Logs the rest, and stops listening. */
  stop(): Promise<void> {
    return this.#reader.stop({ rest: true })
  }

  async #write(event: LedgerEvent): Promise<void> {
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
