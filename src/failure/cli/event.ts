import { elements, type Fields, isList, isObject } from '../observe/read.ts'
import type { ReadFields } from '../observe/value-meaning.ts'
import { isPlausibleCost, isPlausibleCount } from '../plausible.ts'

/** The type of events without one. */
export const NO_TYPE = ''

/** One JSON event that an agent printed. It may contain anything, so fields are read by their expected type. */
export class AgentEvent {
  readonly value: object
  readonly fields: Fields
  readonly #read: ReadFields

  constructor(value: object, read: ReadFields) {
    this.value = value
    this.fields = read(value)
    this.#read = read
  }

  /** The event's type, else {@link NO_TYPE}. Kimi's `meta` events have types that mean something else elsewhere. */
  get type(): string {
    return this.fields.get('role') === 'meta' ? NO_TYPE : (this.text('type') ?? NO_TYPE)
  }

  has(name: string): boolean {
    return this.fields.has(name)
  }

  get(name: string): unknown {
    return this.fields.get(name)
  }

  /** A non-empty string. */
  text(name: string): string | undefined {
    const value = this.fields.get(name)
    return typeof value === 'string' && value !== '' ? value : undefined
  }

  /** A number that a run can have used or cost. */
  amount(name: string): number | undefined {
    const value = this.fields.get(name)
    const isPlausible = /(?:usd|cost)/i.test(name) ? isPlausibleCost : isPlausibleCount
    return isPlausible(value) ? value : undefined
  }

  /** An object or a list inside the event. */
  inner(name: string): AgentEvent | undefined {
    const value = this.fields.get(name)
    return isObject(value) ? new AgentEvent(value, this.#read) : undefined
  }

  /** The objects of a list inside the event. */
  parts(name: string, most = Infinity): AgentEvent[] {
    const value = this.fields.get(name)
    if (!isList(value)) return []
    return elements(value, most)
      .filter(isObject)
      .map(part => new AgentEvent(part, this.#read))
  }
}

/** The text of a message: its content is one string, or has parts, some of which are text. */
export function textOfMessage(message: AgentEvent | undefined): string {
  const content = message?.get('content')
  if (typeof content === 'string') return content
  return (message?.parts('content') ?? [])
    .map(part => (part.get('type') === 'text' ? (part.text('text') ?? '') : ''))
    .join('')
}

/** The text parts of a message. */
export function textParts(message: AgentEvent | undefined, most = Infinity): string[] {
  return (message?.parts('content', most) ?? [])
    .map(part => part.get('text'))
    .filter(text => typeof text === 'string')
}
