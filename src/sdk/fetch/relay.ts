import { call } from '../../call/call.ts'
import type { CallResult } from '../../call/call-result.ts'
import type { ModelCallOptions } from '../model-options.ts'
import { type Endpoint, named, requestFor } from './endpoint.ts'
import { isBoundToAccount, type ModelRequest, modelOf } from './model-request.ts'

/** Sends one request: `fetch`, or what a proxy uses. */
export type Send = (url: URL, init: RequestInit) => Promise<Response>

/** Where the client points, and nowhere else. */
const HERE: readonly Endpoint[] = [{}]

/**
 * Sends a request to the first endpoint that answers. Everything is decided before the first content: until then the answer's
 * frame is kept back, so a refusal, an empty stream or an overload inside it still moves on. Then the response is handed out,
 * and its body stays watched. Rejects with CallFailed.
 */
export function relay(
  request: ModelRequest,
  endpoints: readonly Endpoint[],
  options: ModelCallOptions,
  send: Send,
): Promise<CallResult<Response>> {
  const { url, signal } = request
  const all = named(url, endpoints.length === 0 ? HERE : endpoints)
  const pool = [...all].filter(([, { baseURL }]) => !isBoundToAccount(request) || pointsTo(url, baseURL))
  const names = (pool.length > 0 ? pool : [...all].slice(0, 1)).map(([name]) => name)
  const models = Object.fromEntries(
    [...all].flatMap(([name, { model }]) => (model === undefined ? [] : [[name, model]])),
  )
  return call(
    ({ provider, signal: ofTry }) => {
      const { url: to, init } = requestFor(request, all.get(provider as string) as Endpoint, endpoints)
      return send(to, { ...init, signal: ofTry })
    },
    {
      ...options,
      pool: names,
      models,
      model: modelOf(request),
      firstChunkMs: options.firstChunkMs ?? Infinity,
      signal,
    },
  )
}

function pointsTo({ origin }: URL, baseURL: string | undefined): boolean {
  return baseURL === undefined || new URL(baseURL).origin === origin
}
