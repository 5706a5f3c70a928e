/** What the model says, and how it stops. */
export type Answer =
  | { ends: 'stop' | 'length' | 'refusal'; text: string }
  | { ends: 'tool'; text: string; tool: { name: string; input: unknown } }

/** An answer in a vendor's own shape, both ways that it may be asked for. */
export interface VendorAnswer {
  /** The whole answer as one object. */
  whole: unknown
  /** The same as the events of a stream. */
  events: readonly StreamEvent[]
  headers: Record<string, string>
}

export interface StreamEvent {
  /** Name of the event, where the vendor's streams have names. */
  event?: string
  /** An object as JSON, a string as it is. */
  data: unknown
}

/** A text in the pieces that a model would stream it in; none of an empty one. */
export function piecesOf(text: string): string[] {
  return text.match(/.{1,16}/gsu) ?? []
}
