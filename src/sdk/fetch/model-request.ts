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
  /** All of it, if it can be sent again as it is. */
  asGiven?: RequestInit | undefined
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
  const body = init.body ?? given?.body ?? undefined
  const repeatable = isStream(body) ? await readWhole(body) : body
  return new Asked(url, given, init, repeatable, given || repeatable !== body ? undefined : init)
}

/** Most requests are answered at once: what only another endpoint or a failure needs is read when it is asked for. */
class Asked implements ModelRequest {
  readonly url: URL
  readonly init: RequestInit
  readonly body: Body | undefined
  readonly asGiven: RequestInit | undefined
  readonly #given: Request | undefined
  #headers: Headers | undefined
  #json: { value: object | undefined } | undefined

  constructor(
    url: URL,
    given: Request | undefined,
    init: RequestInit,
    body: Body | undefined,
    asGiven: RequestInit | undefined,
  ) {
    this.url = url
    this.init = init
    this.body = body
    this.asGiven = asGiven
    this.#given = given
  }

  get headers(): Headers {
    this.#headers ??= headersOf(this.#given, this.init)
    return this.#headers
  }

  get json(): object | undefined {
    this.#json ??= { value: jsonOf(this.body) }
    return this.#json.value
  }

  get signal(): AbortSignal | undefined {
    return this.init.signal ?? this.#given?.signal ?? undefined
  }
}

function headersOf(given: Request | undefined, init: RequestInit): Headers {
  const headers = new Headers(given?.headers ?? init.headers)
  if (given && init.headers) for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
  return headers
}

function isStream(body: Body | undefined): body is ReadableStream {
  return isObject(body) && (body instanceof ReadableStream || Symbol.asyncIterator in body)
}

/** A stream can be sent only once, so it is read first. */
async function readWhole(body: ReadableStream): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(body).arrayBuffer())
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
export const KEPT_BY_ACCOUNT = ['previous_response_id', 'conversation', 'container', 'cachedContent']

/** True if only the account that the client asks can answer, because the request builds on what it keeps. */
export function isBoundToAccount({ json }: Pick<ModelRequest, 'json'>): boolean {
  return json !== undefined && KEPT_BY_ACCOUNT.some(name => (dataOf(json, name) ?? null) !== null)
}

/** How the clients of OpenAI and Anthropic begin a body: then a long prompt need not be parsed for the model. */
const MODEL_FIRST = /^\s*\{\s*"model"\s*:\s*"([^"\\]{1,200})"/

/** The model that the request names, in its body or, at Google, in its path. */
export function modelOf(request: Pick<ModelRequest, 'url' | 'body' | 'json'>): string | undefined {
  const { url, body } = request
  const first = typeof body === 'string' ? MODEL_FIRST.exec(body)?.[1] : undefined
  if (first !== undefined) return first
  const named = request.json && dataOf(request.json, 'model')
  return typeof named === 'string' ? named : /\/models\/([^/:]+):/.exec(url.pathname)?.[1]
}
