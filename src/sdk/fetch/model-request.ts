import { dataOf, isObject } from '../../failure/observe/read.ts'

/** What `fetch` takes as a body. */
type Body = NonNullable<RequestInit['body']>

/** A request to a model, in a form that can be sent again and elsewhere. */
export interface ModelRequest {
  url: URL
  /** What the client adds to its base URL. Default: found in the URL. */
  path?: string | undefined
  headers: Headers
  body: Body | undefined
  /** The body as JSON; undefined if it is none. */
  json: object | undefined
  signal: AbortSignal | undefined
  /** What else the client asked for: its agent, redirects, the cache. */
  init: RequestInit
}

/** Requests that ask a model, in the APIs of OpenAI, Anthropic, Google, Cohere and Ollama. Others create or read what an account keeps. */
const ASKS_MODEL = new RegExp(
  `/(?:${[
    '(?:chat/)?completions',
    'responses',
    'messages(?:/count_tokens)?',
    'embeddings',
    'moderations',
    'rerank',
    'images/generations',
    'audio/(?:speech|transcriptions|translations)',
    'models/[^/:]+:\\w+',
    'api/(?:chat|generate|embed)',
  ].join('|')})$`,
)

/** Reads what a client gives to `fetch`. Undefined for anything but a question to a model. */
export async function modelRequestOf(
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<ModelRequest | undefined> {
  const given = input instanceof Request ? input : undefined
  const method = init.method ?? given?.method ?? 'GET'
  const url = new URL(given?.url ?? String(input))
  if (method.toUpperCase() !== 'POST' || !ASKS_MODEL.test(url.pathname)) return undefined
  const headers = new Headers(given?.headers ?? init.headers)
  if (given && init.headers) for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
  const body = await repeatableBody(init.body ?? given?.body ?? undefined)
  const signal = init.signal ?? given?.signal ?? undefined
  return { url, headers, body, json: jsonOf(body), signal, init }
}

/** A stream can be sent only once, so it is read first. */
async function repeatableBody(body: Body | undefined): Promise<Body | undefined> {
  const isStream = isObject(body) && (body instanceof ReadableStream || Symbol.asyncIterator in body)
  return isStream ? new Uint8Array(await new Response(body as ReadableStream).arrayBuffer()) : body
}

function jsonOf(body: Body | undefined): object | undefined {
  const text =
    typeof body === 'string'
      ? body
      : ArrayBuffer.isView(body)
        ? new TextDecoder().decode(body as Uint8Array)
        : ''
  if (!/^\s*\{/.test(text)) return undefined
  try {
    return JSON.parse(text) as object
  } catch {
    return undefined
  }
}

/** Fields that name what an account keeps between requests. */
const KEPT_BY_ACCOUNT = ['previous_response_id', 'conversation', 'container', 'cachedContent']

/** True if only the account that the client asks can answer, because the request builds on what it keeps. */
export function isBoundToAccount({ json }: ModelRequest): boolean {
  return json !== undefined && KEPT_BY_ACCOUNT.some(name => (dataOf(json, name) ?? null) !== null)
}

/** The model that the request names, in its body or, at Google, in its path. */
export function modelOf({ url, json }: ModelRequest): string | undefined {
  const named = json && dataOf(json, 'model')
  return typeof named === 'string' ? named : /\/models\/([^/:]+):/.exec(url.pathname)?.[1]
}
