import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { isPrivate } from './caller.ts'
import { codingsOf } from './decoded.ts'

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
export function headersToSend(given: IncomingHttpHeaders): Headers {
  const named = namedIn(given.connection)
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || NOT_SENT_ON.has(name) || named.has(name)) continue
    if (isPrivate(name) || name.startsWith('x-mulligan-')) continue
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one)
  }
  // Bytes are forwarded as they come, and must be readable on the way.
  headers.set('accept-encoding', 'identity')
  return headers
}

/** The upstream's headers as the client gets them. */
export function headersToGiveBack(response: Response): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {}
  const named = namedIn(response.headers.get('connection'))
  for (const [name, value] of response.headers)
    if (!NOT_GIVEN_BACK.has(name) && !named.has(name)) headers[name] = value
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0 && !named.has('set-cookie')) headers['set-cookie'] = cookies
  // A body that came encoded all the same was decoded.
  if (codingsOf(response.headers.get('content-encoding')).length > 0) {
    delete headers['content-encoding']
    delete headers['content-length']
  }
  return headers
}

/** The headers that a `Connection` header says are for this connection only. */
function namedIn(connection: string | null | undefined): ReadonlySet<string> {
  return new Set((connection ?? '').toLowerCase().split(/\s*,\s*/))
}
