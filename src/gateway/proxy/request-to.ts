import { addressFor, type Endpoint } from '../../sdk/fetch/endpoint.ts'
import type { ModelRequest } from '../../sdk/fetch/model-request.ts'
import { type TopFields, topFieldsOf } from './top-fields.ts'

/** What a client sends, without its keys: they are added for whom they are for. */
export interface ClientRequest extends Omit<ModelRequest, 'headers' | 'init' | 'body'> {
  method: string
  headers: Readonly<Record<string, string>>
  body: Buffer<ArrayBuffer> | undefined
  /** The fields of the body by which is decided. */
  json: TopFields['values'] | undefined
}

/** The request as it goes to an upstream. */
export function requestTo(
  request: ClientRequest,
  endpoint: Endpoint,
  signal: AbortSignal,
): { url: URL; init: RequestInit } {
  const init: RequestInit = {
    method: request.method,
    headers: { ...request.headers, ...endpoint.headers },
    redirect: 'manual',
    signal,
  }
  const body = bodyFor(request, endpoint)
  if (body !== undefined) init.body = body
  return { url: knownAddress(request, endpoint), init }
}

const MODEL = new Set(['model'])

/** The body as it came, but for another name of the model: written anew, large numbers would change. */
function bodyFor({ body }: ClientRequest, { model }: Endpoint): Buffer<ArrayBuffer> | undefined {
  if (model === undefined || body === undefined) return body
  const modelAt = topFieldsOf(body, MODEL)?.spans.model
  if (modelAt === undefined) return body
  const name = Buffer.from(JSON.stringify(model))
  const pieces: Buffer[] = []
  let from = 0
  for (const [start, end] of modelAt) {
    pieces.push(body.subarray(from, start), name)
    from = end
  }
  return Buffer.concat([...pieces, body.subarray(from)])
}

/** Agents ask at the same few addresses. */
const addresses = new Map<string, URL>()
const MOST_ADDRESSES = 100
/** A longer one may carry anything, a key among it. */
const LONGEST_ADDRESS = 200

function knownAddress(request: ClientRequest, endpoint: Endpoint): URL {
  const { baseURL, model = '' } = endpoint
  const { pathname, search } = request.url
  const name = `${baseURL} ${model} ${pathname}${search}`
  const known = addresses.get(name)
  if (known) return known
  const url = addressFor(request, endpoint, [endpoint])
  const isKept = name.length <= LONGEST_ADDRESS && addresses.size < MOST_ADDRESSES && !/[?&]key=/.test(search)
  if (isKept) addresses.set(name, url)
  return url
}
