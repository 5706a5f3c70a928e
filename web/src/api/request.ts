import { signal } from '@preact/signals'
import { ApiProblem } from './problem.ts'

/** Whether this browser is signed in, if known; `ended` if it was, and the daemon no longer accepts its session. */
export const signedIn = signal<'yes' | 'no' | 'ended' | 'unasked'>('unasked')
/** The last event when the daemon was last asked for the caller: every later read includes it. */
export const latestEvent = signal<number | undefined>(undefined)
/** Goes up with every request that got no answer. */
export const unanswered = signal(0)
/** Longest wait for the answer to a read, in milliseconds: one that hangs would keep its view from being refreshed. */
const LONGEST_READ_MS = 30_000
/** The value that every write must send. */
let csrf = ''

/** Asks the daemon whether this browser is signed in. */
export async function askWhoIsThere(): Promise<void> {
  try {
    const caller = await get<{ csrf?: string; last_event: number }>('/v1/caller')
    csrf = caller.csrf ?? ''
    latestEvent.value = caller.last_event
    signedIn.value = 'yes'
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 401) throw error
    lose()
  }
}

/** The daemon does not accept this browser's session. */
function lose(): void {
  signedIn.value = signedIn.peek() === 'yes' || signedIn.peek() === 'ended' ? 'ended' : 'no'
}

/** Sends a GET request, and gives up after a while. */
export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), LONGEST_READ_MS)
  const either = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal
  try {
    return await send<T>('GET', path, undefined, either)
  } catch (error) {
    if (!limit.signal.aborted || signal?.aborted) throw error
    unanswered.value += 1
    throw new ApiProblem(0, 'no_answer', 'The daemon has not answered for 30 seconds.')
  } finally {
    clearTimeout(timer)
  }
}

/** Sends a POST request. */
export function post<T>(path: string, body?: unknown): Promise<T> {
  return send<T>('POST', path, body)
}

/** Sends a PATCH request. */
export function patch<T>(path: string, body: unknown): Promise<T> {
  return send<T>('PATCH', path, body)
}

/** Sends a request to the daemon that served this page. Throws an {@link ApiProblem}. */
export async function send<T>(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<T> {
  let response: Response
  try {
    response = await fetch(path, {
      method,
      credentials: 'same-origin',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(method === 'GET' ? {} : { 'x-mulligan-csrf': csrf }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    unanswered.value += 1
    throw new ApiProblem(
      0,
      'no_answer',
      'The daemon does not answer. Is it running? Start it: mulligan serve',
    )
  }
  const text = await response.text()
  const json = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined
  if (response.ok) return json as T
  if (response.status === 401 && path !== '/v1/sign_in') lose()
  const {
    detail = text || response.statusText,
    code = 'refused',
    why,
    mistakes,
  } = (json ?? {}) as { detail?: string; code?: string; why?: string; mistakes?: ApiProblem['mistakes'] }
  throw new ApiProblem(response.status, code, detail, { why, ...(mistakes ? { mistakes } : {}) })
}
