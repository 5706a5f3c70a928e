import { readBounded } from '../../capability/kind/read-bounded.ts'
import { type HttpAnswer, isSuccess } from '../../capability/kind/request.ts'
import { WorkFailed } from '../../capability/work-failed.ts'
import { MEANING, type MeaningfulError, type OwnMeaning } from '../../failure/own-error.ts'

/** Most bytes read of an answer; a page of issues is the longest. */
const BODY_LIMIT_BYTES = 8 * 1_048_576

/** One request to the API of a surface. */
export interface SurfaceRequest {
  /** Name of the service for messages, because an address may hold a token. */
  title: string
  url: string
  /** Default POST with a body, else GET. */
  method?: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT'
  headers?: Record<string, string>
  /** A string is sent unchanged, an object as JSON. */
  body?: string | Record<string, unknown>
  signal: AbortSignal
}

/**
 * Sends a request and follows no redirect, because token and text are not meant for another address. Rejects with a
 * {@link WorkFailed} or {@link Redirected} if the answer is not 2xx.
 */
export async function request(given: SurfaceRequest): Promise<HttpAnswer> {
  const answer = await ask(given)
  if (isSuccess(answer)) return answer
  throw refused(given.title, answer)
}

/** Like {@link request}, but returns the answer of any status. */
export async function ask({ url, method, headers, body, signal }: SurfaceRequest): Promise<HttpAnswer> {
  const isJson = typeof body === 'object'
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      'user-agent': 'mulligan',
      ...(isJson ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : body }),
    redirect: 'manual',
    signal,
  })
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await readBounded(response, BODY_LIMIT_BYTES),
  }
}

/** The error for an answer that is not 2xx. */
export function refused(title: string, answer: HttpAnswer): Error {
  const { status } = answer
  const isRedirect = status >= 300 && status < 400
  return isRedirect ? new Redirected(title, status) : new WorkFailed(`${title} answered ${status}`, answer)
}

/** A surface answered with a redirect: its address in the config is wrong. */
export class Redirected extends Error implements MeaningfulError {
  override name = 'Redirected'

  constructor(title: string, status: number) {
    super(`${title} answered ${status}, a redirect, which is not followed; configure the address it leads to`)
  }

  get [MEANING](): OwnMeaning {
    return { kind: 'config' }
  }
}

/** The JSON of an answer; undefined if it is not JSON. */
export function jsonOf({ body }: HttpAnswer): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Appends a path to an address that may end in a slash. */
export function below(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}${path}`
}
