import type { CheckAnswer } from '../../capability/verify.ts'
import type { SurfaceKind } from '../../config/schema/surface.ts'
import type { Message } from '../message.ts'

/** What sending is given. */
export interface SendContext {
  /** Aborted at the deadline of the try, and when the process stops. */
  signal: AbortSignal
}

/** Where a message is now. */
export interface Sent {
  /** The address of an issue, the number of a message; undefined where the surface gives none. */
  reference?: string
}

/** A place where people are told. One file per kind makes it; all rules about sending again stand outside of it. */
export interface Surface {
  readonly kind: SurfaceKind
  /** Shows a message. Rejects with anything that `classify` takes. */
  send(message: Message, context: SendContext): Promise<Sent>
  /** Whether a message is there already. Absent where the surface cannot be asked: then it may come twice. */
  verify?(message: Message, context: SendContext): Promise<CheckAnswer>
}

/** What a surface may use of the machine. */
export interface SurfaceHost {
  /** Folder that relative paths start from. */
  base: string
  /** Environment of the process. */
  env: Readonly<Record<string, string | undefined>>
  /** Default that of this process. */
  platform?: NodeJS.Platform
  /** Epoch milliseconds. */
  now(): number
}
