/** What the model says, and how it stops. */
export type Answer =
  | { ends: 'stop' | 'length' | 'refusal'; text: string }
  | { ends: 'tool'; text: string; tool: { name: string; input: unknown } }

/** An answer in a vendor's shape, in both forms. */
export interface VendorAnswer {
  /** The whole answer as one object. */
  whole: unknown
  /** The same as stream events. */
  events: readonly StreamEvent[]
  headers: Record<string, string>
}

export interface StreamEvent {
  /** Name of the event, if the vendor's streams have names. */
  event?: string
  /** An object is sent as JSON, a string unchanged. */
  data: unknown
}

/** A text in pieces, as a model would stream it; an empty text has none. */
export function piecesOf(text: string): string[] {
  return text.match(/.{1,16}/gsu) ?? []
}
