import type { ServerResponse } from 'node:http'
import { sleep, type Time } from '../src/time/time.ts'
import type { Reply } from './reply.ts'

/** How sending a reply ended. */
export type Sent = 'whole' | 'cut' | 'reset' | 'caller_left'

export interface SendOptions {
  time: Time
  /** Wait before every part of a slow reply, in milliseconds. */
  slowMs: number
  /** Aborted when the lab closes, which releases everything that still hangs. */
  signal: AbortSignal
}

/** Sends a reply as its delivery says. Resolves when nothing more is sent; never rejects. */
export async function send(response: ServerResponse, reply: Reply, options: SendOptions): Promise<Sent> {
  const { delivery = { kind: 'whole' } } = reply
  const gone = goneOf(response, options.signal)
  switch (delivery.kind) {
    case 'reset':
      response.socket?.resetAndDestroy()
      return 'reset'
    case 'hang':
      await gone.promise
      return 'caller_left'
    case 'stall':
      await writeAll(response, reply, reply.parts.slice(0, delivery.parts))
      await gone.promise
      return 'caller_left'
    case 'cut':
      await writeAll(response, reply, reply.parts.slice(0, delivery.parts))
      response.destroy()
      return 'cut'
    case 'slow':
      return sendSlowly(response, reply, options, gone.signal)
    case 'whole':
      await writeAll(response, reply, delivery.lastAfterMs ? reply.parts.slice(0, -1) : reply.parts)
      if (delivery.lastAfterMs) {
        await sleep(options.time, delivery.lastAfterMs, gone.signal).catch(() => {})
        await write(response, reply.parts.at(-1) ?? '')
      }
      response.end()
      return response.destroyed && !response.writableFinished ? 'caller_left' : 'whole'
  }
}

async function sendSlowly(
  response: ServerResponse,
  reply: Reply,
  { time, slowMs }: SendOptions,
  signal: AbortSignal,
): Promise<Sent> {
  response.writeHead(reply.status, reply.headers)
  response.flushHeaders()
  try {
    for (const part of reply.parts) {
      await sleep(time, slowMs, signal)
      await write(response, part)
    }
  } catch {
    return 'caller_left'
  }
  response.end()
  return 'whole'
}

/** A body of one part states its length, as vendors do, so a cut is noticed even without chunking. */
async function writeAll(response: ServerResponse, reply: Reply, parts: readonly string[]): Promise<void> {
  const isStream = reply.headers['content-type']?.includes('event-stream') || reply.parts.length > 2
  const length = { 'content-length': Buffer.byteLength(reply.parts.join('')) }
  const headers = isStream || reply.status === 204 ? reply.headers : { ...reply.headers, ...length }
  response.writeHead(reply.status, headers)
  if (parts.length === 0) response.flushHeaders()
  for (const part of parts) await write(response, part)
}

function write(response: ServerResponse, part: string): Promise<void> {
  return new Promise(resolve => {
    if (response.destroyed || part === '') resolve()
    else response.write(part, () => resolve())
  })
}

/** Settles when the caller has hung up or the lab closes. */
function goneOf(response: ServerResponse, closing: AbortSignal) {
  const controller = new AbortController()
  const promise = new Promise<void>(resolve => {
    const leave = () => {
      closing.removeEventListener('abort', leave)
      response.off('close', leave)
      controller.abort()
      resolve()
    }
    if (closing.aborted || response.destroyed) leave()
    else {
      closing.addEventListener('abort', leave, { once: true })
      response.once('close', leave)
    }
  })
  return { promise, signal: controller.signal }
}
