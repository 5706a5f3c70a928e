import { realTime, sleep, type Time } from '../../../time/time.ts'
import type { Connection, Reply } from './connection.ts'
import type { Written } from './translate.ts'

/** Waits before a subscription that was cut is made again, in milliseconds; the last one repeats. */
const AGAIN_MS = [1_000, 2_000, 5_000, 15_000, 30_000] as const
/** A stream that lasted this long was no failed attempt, in milliseconds. */
const LASTED_MS = 30_000
/** HTTP statuses that pass by themselves. */
const PASSING: readonly number[] = [408, 425, 429, 500, 502, 503, 504]

/**
 * Makes a subscription on one connection and renews it whenever its stream is cut, which over HTTP does not end the
 * connection. Resolves when the server answers or refuses it, or when the connection ends.
 * @param signal ends the wait before the next try; the caller gives up the request itself
 */
export async function keepSubscribed(
  connection: Connection,
  subscription: Written,
  signal: AbortSignal,
  time: Time = realTime,
): Promise<Reply> {
  const until = AbortSignal.any([connection.signal, signal])
  for (let cuts = 0; ; cuts++) {
    const beganAt = time.monotonic()
    const reply = await connection.request(subscription)
    if (isFinal(reply) || until.aborted) return reply
    if (time.monotonic() - beganAt >= LASTED_MS) cuts = 0
    const waitMs = AGAIN_MS[Math.min(cuts, AGAIN_MS.length - 1)] as number
    await sleep(time, waitMs, until).catch(() => {})
    if (until.aborted) return reply
  }
}

function isFinal(reply: Reply): boolean {
  if (reply.how === 'refused') return !PASSING.includes(reply.refusal.status)
  return reply.how === 'answered'
}
