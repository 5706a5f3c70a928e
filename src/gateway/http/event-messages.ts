import type { EventType, LedgerEvent } from '../../ledger/event.ts'
import { eventToJson } from '../../queue/operation-json.ts'

/** Which events a stream gets. */
export interface EventFilter {
  /** Only events of this operation. Default all. */
  operation?: string
  /** Only events of these types. Default all. */
  types?: readonly EventType[]
}

/** A sign of life, for an idle stream. */
export const ALIVE: Uint8Array = Buffer.from(': alive\n\n')

/**
 * Events as messages of an event stream. The bytes are made once for all streams that get the same: a thousand copies of each
 * event would take most of the daemon's time and memory.
 */
export class EventMessages {
  readonly #made = new WeakMap<readonly LedgerEvent[], Map<string, Uint8Array>>()

  /** The bytes for these events; a sign of life if the filter leaves none. */
  of(events: readonly LedgerEvent[], filter: EventFilter): Uint8Array {
    const { operation, types } = filter
    // The messages of one operation's stream are used once, so they are not stored.
    if (operation !== undefined) return bytesOf(events, filter)
    let made = this.#made.get(events)
    if (!made) {
      made = new Map()
      this.#made.set(events, made)
    }
    const key = types?.join() ?? ''
    const known = made.get(key)
    if (known) return known
    const bytes = bytesOf(events, filter)
    made.set(key, bytes)
    return bytes
  }
}

function bytesOf(events: readonly LedgerEvent[], { operation, types }: EventFilter): Uint8Array {
  let text = ''
  for (const event of events)
    if (
      (operation === undefined || event.operation === operation) &&
      (types === undefined || types.includes(event.type))
    )
      text += `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(eventToJson(event))}\n\n`
  return text === '' ? ALIVE : Buffer.from(text)
}
