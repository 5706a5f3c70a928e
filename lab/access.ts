import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { urlOf } from './url.ts'

/** Whether an API call carries the token, in any place where the vendors' clients put it. */
export function hasToken(headers: IncomingHttpHeaders, path: string, token: string): boolean {
  const query = urlOf(path).searchParams
  const given = [
    headers.authorization?.replace(/^Bearer\s+/i, ''),
    headers['x-api-key'],
    headers['x-goog-api-key'],
    query.get('key'),
    query.get('token'),
  ]
  return given.some(value => typeof value === 'string' && isSame(value, token))
}

/**
 * Whether a request to the lab's own pages comes from this machine's own client. Another site's page that talks to a loopback port
 * has another Origin, and a name rebound to 127.0.0.1 has another Host.
 */
export function isOwnCaller(headers: IncomingHttpHeaders): boolean {
  const host = headers.host ?? ''
  if (!/^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host)) return false
  return headers.origin === undefined || headers.origin === `http://${host}`
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)]
  return a.length === b.length && timingSafeEqual(a, b)
}
