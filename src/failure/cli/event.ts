import { elements, type Fields, isList, isObject } from '../observe/read.ts'

/** Stands for the type of events that have none. */
export const NO_TYPE = ''

export type ReadFields = (value: object) => Fields

/** One JSON event that an agent printed. It may hold anything, so that fields are asked for by what they should be. */
export class AgentEvent {
  readonly value: object
  readonly fields: Fields
  readonly #read: ReadFields

  constructor(value: object, read: ReadFields) {
    this.value = value
    this.fields = read(value)
    this.#read = read
  }

  /** Its type, else {@link NO_TYPE}. What Kimi prints in the role `meta` has types that mean something else elsewhere. */
  get type(): string {
    return this.fields.get('role') === 'meta' ? NO_TYPE : (this.text('type') ?? NO_TYPE)
  }

  has(name: string): boolean {
    return this.fields.has(name)
  }

  get(name: string): unknown {
    return this.fields.get(name)
  }

  /** A text that is not empty. */
  text(name: string): string | undefined {
    const value = this.fields.get(name)
    return typeof value === 'string' && value !== '' ? value : undefined
  }

  /** Zero or more. */
  amount(name: string): number | undefined {
    const value = this.fields.get(name)
    return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
  }

  /** An object, or a list, inside of it. */
  inner(name: string): AgentEvent | undefined {
    const value = this.fields.get(name)
    return isObject(value) ? new AgentEvent(value, this.#read) : undefined
  }

  /** The objects of a list inside of it. */
  parts(name: string, most = Infinity): AgentEvent[] {
    const value = this.fields.get(name)
    if (!isList(value)) return []
    return elements(value, most)
      .filter(isObject)
      .map(part => new AgentEvent(part, this.#read))
  }
}

/** The texts of a message: its content is one text, or has parts of which some are texts. */
export function textOfMessage(message: AgentEvent | undefined): string {
  const content = message?.get('content')
  if (typeof content === 'string') return content
  return (message?.parts('content') ?? [])
    .map(part => (part.get('type') === 'text' ? (part.text('text') ?? '') : ''))
    .join('')
}

/** The texts of a message in parts. */
export function textParts(message: AgentEvent | undefined, most = Infinity): string[] {
  return (message?.parts('content', most) ?? [])
    .map(part => part.get('text'))
    .filter(text => typeof text === 'string')
}
