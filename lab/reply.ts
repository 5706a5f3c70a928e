/** How the bytes of a reply reach the caller. */
export type Delivery =
  /** All of it. `lastAfterMs` delays the last part, so the caller reads it separately. */
  | { kind: 'whole'; lastAfterMs?: number }
  /** Every part after a wait. */
  | { kind: 'slow' }
  /** This many parts, then the connection is dropped. */
  | { kind: 'cut'; parts: number }
  /** This many parts, then silence with the connection open. */
  | { kind: 'stall'; parts: number }
  /** Silence from the start. */
  | { kind: 'hang' }
  /** The connection is reset before anything is sent. */
  | { kind: 'reset' }

/** What the lab sends back. */
export interface Reply {
  status: number
  headers: Record<string, string>
  /** The body, in the pieces in which it is sent. */
  parts: readonly string[]
  /** Default: whole. */
  delivery?: Delivery
}

export const JSON_TYPE = 'application/json'
export const SSE_TYPE = 'text/event-stream; charset=utf-8'
export const HTML_TYPE = 'text/html; charset=UTF-8'

export function jsonReply(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'content-type': JSON_TYPE, ...headers }, parts: [JSON.stringify(body)] }
}
