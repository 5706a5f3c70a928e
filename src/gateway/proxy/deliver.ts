import type { ServerResponse } from 'node:http'
import { headersToGiveBack } from './headers.ts'
import type { Answer } from './patient-send.ts'
import { UpstreamAnswer } from './upstream-answer.ts'
import type { WholeEvents } from './whole-events.ts'

/**
 * Writes an answer to a client as it comes, to its end, and no faster than the client reads. Rejects if the answer's body fails.
 *
 * @param events set to pass on events only as a whole
 */
export async function deliver(answer: Answer, to: ServerResponse, events?: WholeEvents): Promise<void> {
  if (!to.headersSent) to.writeHead(answer.status, headersToGiveBack(answer))
  if (answer instanceof UpstreamAnswer) return pushed(answer, to, events)
  // A stream's head must not wait for its first word.
  if (answer.body) to.flushHeaders()
  for await (const piece of answer.body ?? []) {
    for (const part of events?.take(piece) ?? [piece]) if (!to.write(part)) await drained(to)
    if (to.destroyed) return
  }
  for (const part of events?.rest() ?? []) to.write(part)
  to.end()
}

/** Writes what is there at once, in one piece with the head; the rest as it comes. */
function pushed(
  { body }: UpstreamAnswer,
  to: ServerResponse,
  events: WholeEvents | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let isWritten = false
    const write = (part: Uint8Array) => {
      isWritten = true
      return to.write(part)
    }
    const goOn = () => body.resume()
    const left = () => {
      body.cancel(new Error('the client left'))
      resolve()
    }
    const over = () => void to.off('drain', goOn).off('close', left)
    to.on('drain', goOn).on('close', left)
    body.readBy({
      took: piece => {
        const parts = events?.take(piece) ?? [piece]
        // All of them: a piece is small.
        if (!parts.map(write).every(Boolean)) body.pause()
      },
      ended: () => {
        over()
        for (const part of events?.rest() ?? []) write(part)
        to.end()
        resolve()
      },
      failed: error => {
        over()
        reject(error)
      },
    })
    if (to.destroyed) left()
    else if (!isWritten && !to.writableEnded) to.flushHeaders()
  })
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
