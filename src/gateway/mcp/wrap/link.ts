import type { ProcessResult } from '../../../process/run.ts'
import type { RequestId, RpcMessage } from '../json-rpc.ts'

/** An HTTP response that is not a message, usually a refusal. */
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
  /** Mulligan closed it. */
  | { how: 'closed' }

/** Receives everything that comes over a link. */
export interface LinkListener {
  /** A message, with its original bytes. */
  onMessage(line: Buffer, message: RpcMessage): void
  /** Something that is not a message. */
  onNoise(problem: string, excerpt: string): void
  /** The transport refused one request. */
  onRefused(id: RequestId, refusal: HttpRefusal): void
  /** One request will get no answer, because of this error. */
  onLost(id: RequestId, error: unknown): void
  /** Nothing more will come. Called once. */
  onEnd(end: LinkEnd): void
}

/** The open connection to one server: a child process, or a session over HTTP. */
export interface Link {
  /**
   * Sends a message. Resolves when the system has taken it; rejects if the server cannot have read it as a whole.
   * @param message what the line says
   * @param headers for a request over HTTP in the stateless era, what its headers say besides
   */
  send(line: Buffer, message: RpcMessage, headers?: Readonly<Record<string, string>>): Promise<void>
  /** Gives up a request over HTTP, where there is a stream for each; elsewhere nothing. */
  abandon(id: RequestId): void
  /** Called when both sides have agreed on a revision. */
  agreed(revision: string): void
  /** Whether to keep reading: false while the client does not keep up. */
  flow(isOpen: boolean): void
  /** The last lines the server wrote to stderr. */
  readonly lastWords: string
  /** Ends it and everything it started. Resolves when done. */
  close(): Promise<void>
}

/** Opens a link; the listener gets everything that comes over it. */
export type OpenLink = (listener: LinkListener) => Link
