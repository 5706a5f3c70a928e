import { tooLong } from './no-answer.ts'

/** One event of a stream of server-sent events. */
export interface SseEvent {
  id?: string
  event?: string
  /** How long to wait before the stream is opened again, in milliseconds. */
  retryMs?: number
  data: string
}

/** Longest event that is read, in characters. */
const LONGEST_EVENT = 134_217_728

/**
 * Reads server-sent events from a body; data is given as it came.
 * @param longest an event with more characters ends the reading with an error
 */
export async function* sseEvents(
  body: AsyncIterable<Uint8Array>,
  longest = LONGEST_EVENT,
): AsyncGenerator<SseEvent> {
  const decoder = new TextDecoder()
  const reader = new EventReader()
  // The beginning of a line that has not ended yet, in the pieces that came.
  let parts: string[] = []
  let length = 0
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true })
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      parts.push(text.slice(start, end))
      const line = parts.join('')
      parts = []
      length = 0
      start = end + 1
      const event = reader.read(line.endsWith('\r') ? line.slice(0, -1) : line)
      if (event) yield event
    }
    parts.push(text.slice(start))
    length += text.length - start
    if (length + reader.length > longest) throw tooLong()
  }
}

/** Puts events together from their lines. */
class EventReader {
  #data: string[] = []
  #named: Omit<SseEvent, 'data'> = {}
  #isGiven = false
  /** Characters of data of the event that has not ended yet. */
  length = 0

  /** Returns the event that ends with this line; undefined if none does. */
  read(line: string): SseEvent | undefined {
    if (line === '') return this.#end()
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1))
    switch (field) {
      case 'data':
        this.#data.push(value)
        this.length += value.length + 1
        break
      case 'id':
        this.#named.id = value
        break
      case 'event':
        this.#named.event = value
        break
      case 'retry':
        if (/^\d{1,9}$/.test(value)) this.#named.retryMs = Number(value)
        break
      default:
        return undefined
    }
    this.#isGiven = true
    return undefined
  }

  /** The last id stands until there is another. */
  #end(): SseEvent | undefined {
    const event = { ...this.#named, data: this.#data.join('\n') }
    const isGiven = this.#isGiven
    this.#data = []
    this.length = 0
    this.#named = event.id === undefined ? {} : { id: event.id }
    this.#isGiven = false
    return isGiven ? event : undefined
  }
}
