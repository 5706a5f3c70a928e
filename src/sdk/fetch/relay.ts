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
 * @param signal ends the call. Default: that of the request
 */
export function relay(
  request: ModelRequest,
  endpoints: readonly Endpoint[],
  options: ModelCallOptions,
  send: Send,
  signal = request.signal,
): Promise<CallResult<Response>> {
  const ask = (endpoint: Endpoint, ofTry: AbortSignal) => {
    const { url: to, init } = requestFor(request, endpoint, endpoints)
    return send(to, { ...init, signal: ofTry })
  }
  return relayBy(request, knownPlan(request.url, endpoints), options, ask, signal)
}

/** As {@link relay}. @param ask sends the request to one endpoint */
export function relayBy<R>(
  request: Pick<ModelRequest, 'url' | 'body' | 'json' | 'signal'>,
  { all, models }: Plan,
  options: ModelCallOptions,
  ask: (endpoint: Endpoint, signal: AbortSignal) => Promise<R>,
  signal = request.signal,
): Promise<CallResult<R>> {
  const { url } = request
  const isBound = all.size > 1 && isBoundToAccount(request)
  const pool = isBound ? [...all].filter(([, { baseURL }]) => pointsTo(url, baseURL)) : [...all]
  const names = (pool.length > 0 ? pool : [...all].slice(0, 1)).map(([name]) => name)
  return call(({ provider, signal: ofTry }) => ask(all.get(provider as string) as Endpoint, ofTry), {
    ...options,
    pool: names,
    models,
    model: modelOf(request),
    firstChunkMs: options.firstChunkMs ?? Infinity,
    signal,
  })
}

/** The endpoints of a list by their names, and their models. */
export interface Plan {
  all: ReadonlyMap<string, Endpoint>
  models: Readonly<Record<string, string>>
}

/** A client asks the same host again and again. */
const plans = new WeakMap<readonly Endpoint[], { host: string; plan: Plan }>()

function knownPlan(url: URL, endpoints: readonly Endpoint[]): Plan {
  const { host } = url
  const known = plans.get(endpoints)
  if (known?.host === host) return known.plan
  const plan = planFor(url, endpoints)
  plans.set(endpoints, { host, plan })
  return plan
}

/** @param url where the client points */
export function planFor(url: URL, given: readonly Endpoint[]): Plan {
  const endpoints = given.length === 0 ? HERE : given
  const all = named(url, endpoints)
  const models = Object.fromEntries(
    [...all].flatMap(([name, { model }]) => (model === undefined ? [] : [[name, model]])),
  )
  return { all, models }
}

function pointsTo({ origin }: URL, baseURL: string | undefined): boolean {
  return baseURL === undefined || new URL(baseURL).origin === origin
}
