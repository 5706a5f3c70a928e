import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { isPrivate } from './caller.ts'
import { codingsOf } from './decoded.ts'
import type { Answer } from './patient-send.ts'
import { UpstreamAnswer } from './upstream-answer.ts'

/** Headers that concern one connection, not the exchange. */
const OF_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
]
const NOT_SENT_ON = new Set([...OF_CONNECTION, 'content-length', 'accept-encoding'])
const NOT_GIVEN_BACK = new Set(OF_CONNECTION)
/** The client's headers as they go upstream, without its keys: they are added for whom they are for. */
export function headersToSend(given: IncomingHttpHeaders): Record<string, string> {
  const named = namedIn(given.connection)
  const headers: Record<string, string> = {}
  for (const name in given) {
    const value = given[name]
    if (value === undefined || NOT_SENT_ON.has(name) || named?.includes(name)) continue
    if (isPrivate(name) || name.startsWith('x-mulligan-')) continue
    headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  // Bytes are forwarded as they come, and must be readable on the way.
  headers['accept-encoding'] = 'identity'
  return headers
}

/** The upstream's headers as the client gets them. */
export function headersToGiveBack(answer: Answer): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {}
  const named = namedIn(answer.headers.get('connection'))
  const given = answer instanceof UpstreamAnswer ? answer.given : listed(answer.headers)
  for (const name in given)
    if (!NOT_GIVEN_BACK.has(name) && !named?.includes(name)) headers[name] = given[name]
  // A body that came encoded all the same was decoded.
  if (codingsOf(answer.headers.get('content-encoding') ?? null).length > 0) {
    delete headers['content-encoding']
    delete headers['content-length']
  }
  return headers
}

function listed(headers: Headers): Record<string, string | string[]> {
  const cookies = headers.getSetCookie()
  return { ...Object.fromEntries(headers), ...(cookies.length > 0 ? { 'set-cookie': cookies } : {}) }
}

/** The headers that a `Connection` header says are for this connection only. */
function namedIn(connection: string | null | undefined): readonly string[] | undefined {
  return connection?.toLowerCase().split(/\s*,\s*/)
}
