import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'

/** Security headers: nothing is loaded from elsewhere, framed or sniffed, and no other site can read anything. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Writes an answer of unknown length. */
export interface StreamWriter {
  /** Resolves once the client can take more. */
  write: (bytes: Uint8Array) => Promise<void>
}

/**
 * Sends a whole answer straight to the socket: as a web `Response` it would pass through a stream, which takes longer than
 * making a batch of a hundred answers.
 */
export function send(
  outgoing: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  text?: string,
): Response {
  if (text === undefined) {
    outgoing.writeHead(status, { ...SECURITY_HEADERS, ...headers })
    outgoing.end()
    return RESPONSE_ALREADY_SENT
  }
  const length = Buffer.byteLength(text)
  outgoing.writeHead(status, { ...SECURITY_HEADERS, ...headers, 'content-length': length })
  // A text of ASCII only, as most are, is the same in Latin-1, which takes no encoding.
  outgoing.end(text, length === text.length ? 'latin1' : 'utf8')
  return RESPONSE_ALREADY_SENT
}

/** Sends an answer piece by piece, straight to the socket, until `write` returns. Its errors end the connection. */
export function sendStream(
  outgoing: ServerResponse,
  headers: OutgoingHttpHeaders,
  write: (writer: StreamWriter) => Promise<void>,
): Response {
  outgoing.writeHead(200, { ...SECURITY_HEADERS, ...headers })
  if (outgoing.req.method === 'HEAD') {
    outgoing.end()
    return RESPONSE_ALREADY_SENT
  }
  outgoing.flushHeaders()
  const writer = { write: (bytes: Uint8Array) => written(outgoing, bytes) }
  void write(writer).then(
    () => outgoing.end(),
    (error: Error) => outgoing.destroy(error),
  )
  return RESPONSE_ALREADY_SENT
}

function written(outgoing: ServerResponse, bytes: Uint8Array): Promise<void> {
  if (outgoing.destroyed || outgoing.write(bytes)) return Promise.resolve()
  return new Promise(resolve => {
    const done = () => {
      outgoing.off('drain', done)
      outgoing.off('close', done)
      resolve()
    }
    outgoing.on('drain', done)
    outgoing.on('close', done)
  })
}

/** Whether an answer was already sent, and its `Response` says nothing about it. */
export function isSent(response: Response): boolean {
  return response === RESPONSE_ALREADY_SENT
}
