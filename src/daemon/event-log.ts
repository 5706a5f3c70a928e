import { present } from '../failure/present.ts'
import type { EventType, LedgerEvent } from '../ledger/event.ts'
import { EventReader } from '../ledger/event-reader.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { eventToJson } from '../queue/operation-json.ts'
import type { Time } from '../time/time.ts'
import type { Logger, LogLevel } from './log.ts'
import { eventInWords } from './words/operation-words.ts'

/** Log levels of events: `warn` if a person should look, `debug` for details, else `info`. */
const LEVELS: Partial<Record<EventType, LogLevel>> = {
  dead: 'warn',
  parked: 'warn',
  provider_blocked: 'warn',
  taken_over: 'warn',
  stray_error: 'debug',
  recorded: 'debug',
  attempted: 'debug',
}

/** From this many submissions in a row, they are logged in one line. */
const MANY = 20

/** How long events are gathered, in milliseconds: reading after every change would slow down bulk submissions. */
const GATHER_MS = 50
/** Most events read at once. */
const BATCH = 2_000

/** Logs new events of a ledger, including those of other processes. */
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
      gatherMs: GATHER_MS,
      batch: BATCH,
      handle: async events => {
        for (const group of groupsOf(events)) {
          if (group.length >= MANY) this.#writeTogether(group)
          else for (const event of group) await this.#write(event)
        }
      },
    })
  }

  start(): Promise<void> {
    return this.#reader.start()
  }

  /** Logs the remaining events, then stops. */
  stop(): Promise<void> {
    return this.#reader.stop({ rest: true })
  }

  /** Logs a batch in one line, because a line each would take longer than storing them. */
  #writeTogether(events: readonly LedgerEvent[]): void {
    const [first, last] = [events[0]?.operation, events.at(-1)?.operation]
    this.#log.info(
      { event: 'submitted', count: events.length, first, last },
      `${events.length} operations submitted, ${first} to ${last}`,
    )
  }

  async #write(event: LedgerEvent): Promise<void> {
    const { type, operation: id, run } = event
    if (!this.#log.isLevelEnabled(LEVELS[type] ?? 'info')) return
    const operation = id === undefined ? undefined : await this.#ledger.get(id)
    const words = eventInWords(event, operation) ?? type
    const { data } = eventToJson(event)
    this.#log[LEVELS[type] ?? 'info'](
      {
        event: type,
        ...present({ operation: id }),
        ...(operation ? { capability: operation.capability } : {}),
        ...present({ run, data }),
      },
      id === undefined ? words : `${id} ${words}`,
    )
  }
}

/** Groups consecutive submissions; every other event is its own group. */
function groupsOf(events: readonly LedgerEvent[]): LedgerEvent[][] {
  const groups: LedgerEvent[][] = []
  for (const event of events) {
    const group = groups.at(-1)
    if (event.type === 'submitted' && group?.[0]?.type === 'submitted') group.push(event)
    else groups.push([event])
  }
  return groups
}
