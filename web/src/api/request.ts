import { signal } from '@preact/signals'
import { ApiProblem } from './problem.ts'

/** Whether this browser is signed in, as far as is known. */
export const signedIn = signal<'yes' | 'no' | 'unasked'>('unasked')
/** Goes up with every request that nothing answered. */
export const unanswered = signal(0)
/** What writes must carry. */
let csrf = ''

/** Says that this browser is signed in, with what its writes must carry. */
export function enter(value: string): void {
  csrf = value
  signedIn.value = 'yes'
}

/** Asks the daemon whether this browser is signed in. */
export async function askWhoIsThere(): Promise<void> {
  try {
    const caller = await send<{ csrf?: string }>('GET', '/v1/caller')
    enter(caller.csrf ?? '')
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 401) throw error
    signedIn.value = 'no'
  }
}

/** Looks something up. */
export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return send<T>('GET', path, undefined, signal)
}

/** Changes something. */
export function post<T>(path: string, body?: unknown): Promise<T> {
  return send<T>('POST', path, body)
}

/** Changes a part of something. */
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
  if (response.status === 401 && path !== '/v1/sign_in') signedIn.value = 'no'
  const { detail = text || response.statusText, code = 'refused' } = (json ?? {}) as Record<string, string>
  throw new ApiProblem(response.status, code, detail)
}
