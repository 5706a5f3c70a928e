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

/** What comes at the same time is written as one piece, up to this many bytes: each piece costs as much as a small answer. */
const MOST_AT_ONCE = 65_536

/** Writes what is there at once, in one piece with the head; the rest as it comes. */
function pushed(
  { body }: UpstreamAnswer,
  to: ServerResponse,
  events: WholeEvents | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let waiting: Uint8Array[] = []
    let bytes = 0
    const take = (parts: readonly Uint8Array[]) => {
      for (const part of parts) {
        waiting.push(part)
        bytes += part.byteLength
      }
    }
    const taken = () => {
      const whole = waiting.length === 1 ? waiting[0] : Buffer.concat(waiting, bytes)
      waiting = []
      bytes = 0
      return whole
    }
    const write = () => {
      if (waiting.length > 0 && !to.write(taken())) body.pause()
    }
    const goOn = () => body.resume()
    const left = () => {
      waiting = []
      body.cancel(new Error('the client left'))
      resolve()
    }
    const over = () => void to.off('drain', goOn).off('close', left)
    to.on('drain', goOn).on('close', left)
    body.readBy({
      took: piece => {
        if (waiting.length === 0) process.nextTick(write)
        take(events?.take(piece) ?? [piece])
        if (bytes >= MOST_AT_ONCE) write()
      },
      ended: () => {
        over()
        take(events?.rest() ?? NOTHING)
        if (waiting.length > 0) to.end(taken())
        else to.end()
        resolve()
      },
      failed: error => {
        over()
        write()
        reject(error)
      },
    })
    if (to.destroyed) left()
    else if (waiting.length === 0 && !to.writableEnded) to.flushHeaders()
  })
}

const NOTHING: readonly Uint8Array[] = []

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
