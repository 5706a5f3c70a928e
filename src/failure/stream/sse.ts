import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { type EventRole, StreamReading } from './reading.ts'

/** A longer line is not parsed further: no event that matters is as long. */
const LONGEST_EVENT = 16_777_216

/** Server-sent events of a model API, read from the text of a body as it comes. */
export class SseReading extends StreamReading {
  readonly #parser
  #roles: EventRole[] = []
  #isLost = false
  #isEnding = false
  #isTorn = false

  constructor() {
    super(undefined, true)
    this.#parser = createParser({
      onEvent: event => void this.#roles.push(this.#event(event)),
      onError: ({ type, field, value }) => {
        if (type === 'max-buffer-size-exceeded') this.#isLost = true
        // llama.cpp writes its errors so.
        if (field === 'error') this.#roles.push(this.#event({ event: 'error', data: value ?? '' }))
      },
      maxBufferSize: LONGEST_EVENT,
    })
  }

  /** Reads the next piece of the body. Returns what the events that end in it are. */
  feed(text: string): readonly EventRole[] {
    this.#roles = []
    if (!this.#isLost) this.#parser.feed(text)
    return this.#roles
  }

  /** Reads what the body ended with: many servers forget the empty line after the last event. */
  end(): readonly EventRole[] {
    this.#isEnding = true
    return this.feed('\n\n')
  }

  /** An event too long to be read may have been the last one. */
  override get isOpen(): boolean {
    return (super.isOpen && !this.#isLost) || (this.#isTorn && !this.isFinished)
  }

  #event({ event, data }: EventSourceMessage): EventRole {
    if (data === '') return 'envelope'
    if (event !== 'error' && this.takeAnother(data)) return 'content'
    if (data.trim() === '[DONE]') {
      this.events++
      this.done()
      return this.grammar === undefined ? 'envelope' : 'finish'
    }
    const value = parsed(data)
    if (event === 'error') {
      this.events++
      this.failed ??= value ?? { error: { message: data } }
      return 'error'
    }
    if (value !== undefined) return this.take(value)
    this.events++
    // At the end of a body it is what was left of a stream that was cut.
    if (this.#isEnding) this.#isTorn = /^\s*\{/.test(data)
    if (this.grammar === undefined || this.#isEnding) return 'envelope'
    this.failed ??= new SyntaxError('an event of the stream is not valid JSON')
    return 'error'
  }
}

function parsed(data: string): object | undefined {
  if (!/^\s*[[{]/.test(data)) return undefined
  try {
    return JSON.parse(data) as object
  } catch {
    return undefined
  }
}

/** Reads a whole body at once. */
export function readSse(body: string): SseReading {
  const reading = new SseReading()
  reading.feed(body)
  reading.end()
  return reading
}
