import type { ServerResponse } from 'node:http'
import { headersToGiveBack } from './headers.ts'

/**
 * Writes a response to a client as it comes, no faster than the client reads. Rejects if the response's body fails.
 *
 * @param body default: the response's own
 */
export async function deliver(
  response: Response,
  to: ServerResponse,
  body: AsyncIterable<Uint8Array> | null = response.body,
): Promise<void> {
  if (!to.headersSent) to.writeHead(response.status, headersToGiveBack(response))
  if (!body) return
  // A stream's head must not wait for its first word.
  to.flushHeaders()
  for await (const chunk of body) {
    if (!to.write(chunk)) await drained(to)
    if (to.destroyed) return
  }
}

/** Resolves once the client has read what was written, or has left. */
function drained(to: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      to.off('drain', done).off('close', done)
      resolve()
    }
    to.on('drain', done).on('close', done)
    if (to.destroyed) done()
  })
}

/** Answers with JSON of ours; an answer that has begun is cut instead. */
export function sendJson(
  to: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  if (to.headersSent) {
    to.destroy()
    return
  }
  to.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
