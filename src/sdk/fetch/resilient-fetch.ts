import { CallFailed, isCallFailed } from '../../call/call-failed.ts'
import { LONGEST_WAIT_WITHOUT_BUDGET_MS } from '../../call/options.ts'
import { WrongArgument } from '../../failure/own-error.ts'
import { realTime } from '../../time/time.ts'
import { checkModelOptions, type ModelCallOptions } from '../model-options.ts'
import { asOwnAbort, passingOwnAbort } from '../own-abort.ts'
import { checkEndpoints, type Endpoint } from './endpoint.ts'
import { type ModelRequest, modelRequestOf } from './model-request.ts'
import { headInTime, Patience } from './patience.ts'
import { refusalOf } from './refusal.ts'
import { relay, type Send } from './relay.ts'

/** Settings of {@link resilientFetch}. */
export interface ResilientFetchOptions extends ModelCallOptions {
  /** Endpoints of the same shape, the preferred one first. Default: only where the client points. */
  providers?: readonly Endpoint[] | undefined
  /** Default: the global one. */
  fetch?: typeof fetch | undefined
}

/**
 * A `fetch` for a client of a model API: its questions are retried, and go to the next endpoint, as the policy says; streams until
 * their first content. All other requests of the client pass unchanged.
 *
 *   new OpenAI({ fetch: resilientFetch({ providers: [{}, { baseURL: 'https://api.groq.com/openai/v1', apiKey, model }] }) })
 */
export function resilientFetch(settings: ResilientFetchOptions = {}): typeof fetch {
  if (typeof settings !== 'object' || settings === null)
    throw new WrongArgument('resilientFetch: takes options, such as {budgetMs: 60_000}, and returns a fetch')
  const { providers, fetch: given, ...options } = settings
  if (providers !== undefined) checkEndpoints(providers)
  if (given !== undefined && typeof given !== 'function')
    throw new WrongArgument('resilientFetch: fetch must be a function like the global one')
  checkModelOptions('resilientFetch', settings, ['providers', 'fetch'])
  const send: typeof fetch = (input, init) => (given ?? globalThis.fetch)(input, init)
  const { time = realTime } = options
  const patience = new Patience(time)
  return async (input, init) => {
    const request = await modelRequestOf(input as string | URL | Request, init)
    if (!request) return send(input, init)
    const patienceMs = patience.of(name => headerOf(request, name))
    const since = time.monotonic()
    const longestWaitMs = longestWaitOf(options, patienceMs)
    const given = {
      ...options,
      longestWaitMs: longestWaitMs ?? options.longestWaitMs,
      passThrough: passingOwnAbort(request.signal, options.passThrough),
    }
    const ask = async (by: Send, left: AbortSignal) => {
      try {
        const signal = request.signal ? AbortSignal.any([request.signal, left]) : left
        const { value, provider, attempts } = await relay(request, providers ?? [], given, by, signal)
        return told(value, provider, attempts.length)
      } catch (error) {
        throw asOwnAbort(error, request.signal)
      }
    }
    try {
      return await headInTime(ask, send, { patienceMs, time })
    } catch (error) {
      if (request.signal?.aborted) patience.gaveUp(since)
      if (!isCallFailed(error)) throw error
      // The AI SDK ignores the header that asks not to retry, but retries no error of others, unless the network caused it.
      if (/\bai-sdk\b/.test(request.headers.get('user-agent') ?? '')) throw new CallFailed(error, undefined)
      return refusalOf(error, longestWaitMs !== undefined && isTooLongAWait(error))
    }
  }
}

/** Nearly every client gives its headers in a form that can be asked: copying them would take longer. */
function headerOf({ init, headers }: ModelRequest, name: string): string | null {
  return (init.headers instanceof Headers ? init.headers : headers).get(name)
}

/** A client that would give up during a wait waits better by itself. Undefined if all that we would wait fits. */
function longestWaitOf(
  { longestWaitMs, budgetMs = LONGEST_WAIT_WITHOUT_BUDGET_MS }: ModelCallOptions,
  patienceMs: number | undefined,
): number | undefined {
  return patienceMs !== undefined && patienceMs < (longestWaitMs ?? budgetMs) ? patienceMs : undefined
}

/** True if the next try would have come too late. */
function isTooLongAWait({ verdict }: CallFailed): boolean {
  return verdict.action === 'snooze' || (verdict.action === 'cancel' && verdict.as === 'expired')
}

function told(response: Response, provider = '', attempts: number): Response {
  try {
    const { headers } = response
    headers.set('x-mulligan-provider', provider)
    headers.set('x-mulligan-attempts', String(attempts))
  } catch {
    // A response without a body comes as it is, with headers that cannot be changed.
  }
  return response
}
