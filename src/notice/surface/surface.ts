import type { CheckAnswer } from '../../capability/verification.ts'
import type { SurfaceKind } from '../../config/schema/surface.ts'
import type { Message } from '../message.ts'

/** Context of one delivery. */
export interface SendContext {
  /** Aborts at the deadline of the try and when the process stops. */
  signal: AbortSignal
}

/** Where a message was delivered. */
export interface Sent {
  /** The address of an issue or the number of a message; undefined if the surface gives none. */
  reference?: string
}

/** A place where people read messages. Each kind has a file here; retries are not a surface's business. */
export interface Surface {
  readonly kind: SurfaceKind
  /** Delivers a message. Rejects with anything that `classify` accepts. */
  send(message: Message, context: SendContext): Promise<Sent>
  /** Whether a message has already arrived. Absent if the surface cannot tell: a message may then arrive twice. */
  verify?(message: Message, context: SendContext): Promise<CheckAnswer>
  /**
   * Makes a message that arrived earlier say what is true now. May be repeated. Absent if the surface cannot change what it
   * has shown.
   * @param reference where the message is, as `send` returned it
   */
  edit?(message: Message, reference: string, context: SendContext): Promise<Sent>
  /**
   * Finds out whether messages could be delivered, without sending one. Rejects like `send`. Absent if only a message can
   * show it.
   */
  check?(context: SendContext): Promise<Reached>
}

/** What a check of a surface found: it answers. */
export interface Reached {
  /** What only a message can show, for people. Absent if the check showed everything. */
  notChecked?: string
}

/** What the process provides to a surface. */
export interface SurfaceHost {
  /** Folder that relative paths start from. */
  base: string
  /** Environment of the process. */
  env: Readonly<Record<string, string | undefined>>
  /** Default the platform of this process. */
  platform?: NodeJS.Platform
  /** Epoch milliseconds. */
  now(): number
}
