import type { RpcMessage } from '../json-rpc.ts'
import type { Request } from './translate.ts'
import type { Client } from './upstream.ts'

export type Notification = Extract<RpcMessage, { type: 'notification' }>

/** What a client talks to: one server behind Mulligan, or several as one. */
export interface ServerSide {
  /** Who asks from now on. */
  meet(client: Client): void
  /** Says hello. Returns the result of `initialize` or `server/discover` as JSON text, in the form of the client's era. */
  greet(client: Client): Promise<string>
  /** Answers a request with a line; undefined if the client does not want an answer any more. Never rejects. */
  request(line: Buffer, message: Request, signal: AbortSignal): Promise<Buffer | undefined>
  /** Passes on what the client tells, or answers. */
  tell(line: Buffer, message: RpcMessage): void
  /** Whether to go on reading from servers: false while the client does not keep up. */
  flow(isOpen: boolean): void
  /** Ends everything that was started. */
  close(): Promise<void>
}

/** The client gave a request up. */
export class Cancelled extends Error {
  override name = 'AbortError'
}
