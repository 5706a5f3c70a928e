import { type ClientIdentity, type Era, META, metaOf, withIdentity, withoutIdentity } from '../era.ts'
import { lineOf, type RequestId, type RpcMessage, readMessage } from '../json-rpc.ts'
import { replaced, spanOf, withFirst } from '../json-text.ts'

/** A message and its bytes. */
export interface Written {
  line: Buffer
  message: Request
  /** Extra HTTP headers, in the stateless era. Default none. */
  headers?: Readonly<Record<string, string>>
}

/** A request of our own, in the session era's form. */
export function ownRequest(
  id: RequestId,
  method: string,
  params?: Readonly<Record<string, unknown>>,
): Written {
  const said = { id, method, ...(params === undefined ? {} : { params }) }
  return { line: lineOf(said), message: { type: 'request', ...said } }
}

/**
 * A request of the client as the server takes it. Where both sides speak the same way it goes as it came; else only its
 * `_meta` is another, and the rest stays byte by byte.
 */
export function requestFor(
  given: Written,
  { from, to, identity, id }: { from: Era; to: Era; identity: ClientIdentity; id?: RequestId },
): Written {
  if (from === to && id === undefined) return given
  let text = given.line.toString('utf8').trimEnd()
  if (from !== to) {
    const { params } = given.message
    const meta = metaOf(to === 'stateless' ? withIdentity(params, identity) : withoutIdentity(params))
    text = withParamsMeta(text, JSON.stringify(meta))
  }
  if (id !== undefined) text = withId(text, id)
  return { ...given, line: Buffer.from(`${text}\n`), message: readMessage(text) as Request }
}

function withParamsMeta(text: string, meta: string): string {
  const present = spanOf(text, ['params', '_meta'])
  if (present) return replaced(text, [{ ...present, by: meta }])
  const params = spanOf(text, ['params'])
  if (params) return withFirst(text, params.start, `"_meta":${meta}`)
  return withFirst(text, text.indexOf('{'), `"params":{"_meta":${meta}}`)
}

function withId(text: string, id: RequestId): string {
  const present = spanOf(text, ['id'])
  return present ? replaced(text, [{ ...present, by: JSON.stringify(id) }]) : text
}

/** Lists and contents that say how long they may be kept, in the stateless era. */
const CACHEABLE = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
])

/** An answer of the server as the client takes it, under the id that the client gave. */
export function answerFor(
  line: Buffer,
  response: Extract<RpcMessage, { type: 'response' }> | { id: RequestId; error?: unknown },
  { method, id, from, to }: { method: string; id: RequestId; from: Era; to: Era },
): Buffer {
  const isTranslated = from === 'session' && to === 'stateless' && response.error === undefined
  if (response.id === id && !isTranslated) return line
  let text = line.toString('utf8').trimEnd()
  if (response.id !== id) text = withId(text, id)
  if (isTranslated) text = asComplete(text, method)
  return Buffer.from(`${text}\n`)
}

function asComplete(text: string, method: string): string {
  const result = spanOf(text, ['result'])
  if (!result || spanOf(text, ['result', 'resultType'])) return text
  const keep = CACHEABLE.has(method) ? ',"ttlMs":0,"cacheScope":"private"' : ''
  return withFirst(text, result.start, `"resultType":"complete"${keep}`)
}

/** A cached list as JSON text, in the form of the client's era. */
export function listFor(result: string, method: string, from: Era, to: Era): string {
  if (from !== 'session' || to !== 'stateless') return result
  const text = asComplete(`{"result":${result}}`, method)
  return text.slice('{"result":'.length, -1)
}

/** A notification of a subscription as session clients know it: it belongs to none. */
export function withoutSubscription(params: Readonly<Record<string, unknown>> | undefined): unknown {
  if (params === undefined) return undefined
  const { [META.subscription]: _, ...meta } = metaOf(params)
  return { ...params, _meta: meta }
}

export type Request = Extract<RpcMessage, { type: 'request' }>
