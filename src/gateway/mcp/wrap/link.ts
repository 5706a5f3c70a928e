import type { ProcessResult } from '../../../process/run.ts'
import type { RequestId, RpcMessage } from '../json-rpc.ts'

/** An answer of an HTTP server that is no message: a refusal, mostly. */
export interface HttpRefusal {
  status: number
  headers: Record<string, string>
  body: string
}

/** Why a link has ended, for `classify`. */
export type LinkEnd =
  | { how: 'exited'; result: ProcessResult }
  /** The program could not be started, or the server forgot the session. */
  | { how: 'failed'; error: unknown }
  /** We closed it. */
  | { how: 'closed' }

/** Told what comes over a link. */
export interface LinkListener {
  /** A message, with the bytes that it came as. */
  onMessage(line: Buffer, message: RpcMessage): void
  /** Something that is no message. */
  onNoise(problem: string, excerpt: string): void
  /** One request was turned away by the transport. */
  onRefused(id: RequestId, refusal: HttpRefusal): void
  /** One request will get no answer, because of this error. */
  onLost(id: RequestId, error: unknown): void
  /** Nothing comes any more. Called once. */
  onEnd(end: LinkEnd): void
}

/** The way to one server, open until it ends: a child process, or a session over HTTP. */
export interface Link {
  /**
   * Sends a message. Resolves when the system has taken it; rejects if the server cannot have read it as a whole.
   * @param message what the line says
   */
  send(line: Buffer, message: RpcMessage): Promise<void>
  /** Gives up a request over HTTP, where there is a stream for each; elsewhere nothing. */
  abandon(id: RequestId): void
  /** Both sides know which revision they speak. */
  agreed(revision: string): void
  /** Whether to go on reading: false while the client does not keep up. */
  flow(isOpen: boolean): void
  /** The last lines that the server wrote for people. */
  readonly lastWords: string
  /** Ends it, and everything that it started. Resolves when that is done. */
  close(): Promise<void>
}

/** Opens a link; told of everything that comes over it from then on. */
export type OpenLink = (listener: LinkListener) => Link
