import { WrongArgument } from '../../failure/own-error.ts'
import { checkNames, namesOf } from '../../option/check-names.ts'
import type { ModelRequest } from './model-request.ts'

/** A place that answers requests of one shape. */
export interface Endpoint {
  /** As you would give it to the client. Default: where the client points. */
  baseURL?: string | undefined
  /** Sent as the client sends its own. Default: the client's key, but only to the client's own host. */
  apiKey?: string | undefined
  /** More headers, in place of the client's. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Asked for in place of the client's model. Default: that one. */
  model?: string | undefined
  /** Name of the provider in results, events and health. Default: by its host, such as `openai`. */
  id?: string | undefined
}

const ENDPOINT_NAMES = namesOf<Endpoint>({
  baseURL: true,
  apiKey: true,
  headers: true,
  model: true,
  id: true,
})

/** Throws if an endpoint has unknown fields or no valid address. */
export function checkEndpoints(endpoints: readonly Endpoint[]): void {
  if (!Array.isArray(endpoints) || endpoints.length === 0)
    throw new WrongArgument(
      'resilientFetch: providers must be a list of at least one {baseURL, apiKey, headers, model}',
    )
  for (const [at, endpoint] of endpoints.entries()) {
    if (typeof endpoint !== 'object' || endpoint === null)
      throw new WrongArgument(
        `resilientFetch: providers[${at}] must be an object with baseURL, apiKey, headers or model, not ${JSON.stringify(endpoint)}`,
      )
    checkNames(`resilientFetch: providers[${at}]`, endpoint, ENDPOINT_NAMES)
    const { baseURL } = endpoint
    if (baseURL !== undefined && !/^https?:/.test(URL.parse(baseURL)?.protocol ?? ''))
      throw new WrongArgument(`resilientFetch: providers[${at}].baseURL must be an http(s) URL`)
  }
}

/** Headers and fields in which clients send their key. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key']
const KEY_PARAMETER = 'key'
/** What belongs to the client's own host alone. */
const OWN_HEADERS = [...KEY_HEADERS, 'cookie', 'openai-organization', 'openai-project']

/** The request as it goes to an endpoint: another address, key and model. */
export function requestFor(
  request: ModelRequest,
  endpoint: Endpoint,
  endpoints: readonly Endpoint[],
): { url: URL; init: RequestInit } {
  const { model, apiKey, baseURL } = endpoint
  if (request.asGiven && !baseURL && !model && !apiKey && !endpoint.headers)
    return { url: request.url, init: request.asGiven }
  const url = addressFor(request, endpoint, endpoints)
  const headers = new Headers(request.headers)
  // The body may change its length.
  headers.delete('content-length')
  const keyHeader = KEY_HEADERS.find(name => headers.has(name))
  // A key must not reach anybody but whom it is for.
  if (url.origin !== request.url.origin) for (const name of OWN_HEADERS) headers.delete(name)
  if (apiKey !== undefined) {
    if (keyHeader === undefined && request.url.searchParams.has(KEY_PARAMETER))
      url.searchParams.set(KEY_PARAMETER, apiKey)
    else
      headers.set(
        keyHeader ?? 'authorization',
        (keyHeader ?? 'authorization') === 'authorization' ? `Bearer ${apiKey}` : apiKey,
      )
  }
  for (const [name, value] of Object.entries(endpoint.headers ?? {})) headers.set(name, value)
  const body = bodyFor(request, endpoint)
  const init: RequestInit = { ...request.init, method: 'POST', headers }
  if (body !== undefined) init.body = body
  return { url, init }
}

/** The body as it goes to an endpoint: it may ask for another model. */
export function bodyFor({ json, body }: Pick<ModelRequest, 'json' | 'body'>, { model }: Endpoint) {
  return model !== undefined && json && 'model' in json ? JSON.stringify({ ...json, model }) : body
}

/** Where a request goes: to the endpoint's address, for its model, and without a key that is for another host. */
export function addressFor(
  request: Pick<ModelRequest, 'url' | 'path'>,
  endpoint: Endpoint,
  endpoints: readonly Endpoint[],
): URL {
  const { model } = endpoint
  const url = addressAt(request, endpoint, endpoints)
  // Even where nothing is deleted, the parameters would be written anew.
  if (url.search !== '' && url.origin !== request.url.origin && url.searchParams.has(KEY_PARAMETER))
    url.searchParams.delete(KEY_PARAMETER)
  if (model !== undefined) url.pathname = url.pathname.replace(/\/models\/[^/:]+:/, () => `/models/${model}:`)
  return url
}

function addressAt(
  { url: asked, path }: Pick<ModelRequest, 'url' | 'path'>,
  { baseURL }: Endpoint,
  endpoints: readonly Endpoint[],
): URL {
  if (baseURL === undefined) return new URL(asked)
  const base = baseOf(baseURL)
  const url = new URL(base)
  url.pathname = joined(base.pathname, path ?? pathBelow(asked, endpoints), base.pathname)
  if (base.search === '') url.search = asked.search
  else
    for (const [name, value] of asked.searchParams)
      if (!base.searchParams.has(name)) url.searchParams.append(name, value)
  return url
}

/** The addresses of endpoints, parsed: each is asked again and again. */
const bases = new Map<string, URL>()
/** More endpoints than any program has. */
const MOST_BASES = 100

function baseOf(baseURL: string): URL {
  const known = bases.get(baseURL)
  if (known) return known
  const base = new URL(baseURL)
  if (bases.size < MOST_BASES) bases.set(baseURL, base)
  return base
}

/** What the client adds to its base URL: below the endpoint that it points to, else from the version of the API on. */
function pathBelow(asked: URL, endpoints: readonly Endpoint[]): string {
  for (const { baseURL } of endpoints) {
    const base = baseURL === undefined ? undefined : baseOf(baseURL)
    const path = base?.pathname.replace(/\/$/, '')
    if (base?.origin === asked.origin && asked.pathname.startsWith(`${path}/`))
      return asked.pathname.slice(path?.length)
  }
  const from = /\/v\d\w*\/(?!.*\/v\d\w*\/)/.exec(asked.pathname)?.index
  return from === undefined ? asked.pathname : asked.pathname.slice(from)
}

/** A base URL that names a version already does not get another. */
function joined(basePath: string, path: string, whole: string): string {
  const hasVersion = /\/v\d\w*(?:\/|$)/.test(whole)
  return basePath.replace(/\/$/, '') + (hasVersion ? path.replace(/^\/v\d\w*(?=\/)/, '') : path)
}

/** Hosts whose second-level name is not that of the provider. */
const NAMES: readonly [RegExp, string][] = [
  [/(?:^|\.)generativelanguage\.googleapis\.com$/, 'gemini'],
  [/(?:^|-)aiplatform\.googleapis\.com$/, 'vertex'],
  [/\.azure\.com$/, 'azure'],
  [/^bedrock[.-].*\.amazonaws\.com$/, 'bedrock'],
  [/^api\.x\.ai$/, 'xai'],
  [/\.aliyuncs\.com$/, 'dashscope'],
]

/** The provider that an address belongs to: `api.openai.com` is `openai`; a machine of one's own is its host. */
export function providerAt({ hostname, host }: URL): string {
  const known = NAMES.find(([pattern]) => pattern.test(hostname))?.[1]
  if (known !== undefined) return known
  const labels = hostname.split('.')
  const isPlain = labels.length < 2 || /^[\d.:[\]]+$|:/.test(hostname)
  return isPlain ? host : (labels.at(-2) as string)
}

/** The endpoints by the names of their providers, each named once. */
export function named(asked: URL, endpoints: readonly Endpoint[]): Map<string, Endpoint> {
  const hosts = endpoints.map(
    ({ id, baseURL }) => id ?? providerAt(baseURL === undefined ? asked : new URL(baseURL)),
  )
  const names = new Map<string, Endpoint>()
  for (const [at, endpoint] of endpoints.entries()) {
    const host = hosts[at] as string
    const isShared = hosts.filter(other => other === host).length > 1
    const name = isShared && endpoint.model !== undefined ? `${host}/${endpoint.model}` : host
    names.set(names.has(name) ? `${name}#${at + 1}` : name, endpoint)
  }
  return names
}
