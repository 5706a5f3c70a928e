import type { ModelApi } from '../../config/model-apis.ts'
import type { FailureClass } from '../../failure/failure.ts'

/** What is told to a client, in the words of its API. */
export interface Told {
  class: FailureClass
  status: number
  message: string
}

/** Each API's name for a failure that clients of it know. */
const NAMES: Readonly<Record<ModelApi, (told: Told) => string>> = {
  anthropic: ({ class: of, status }) =>
    of === 'throttle'
      ? 'rate_limit_error'
      : status === 401
        ? 'authentication_error'
        : status < 500
          ? 'invalid_request_error'
          : 'api_error',
  openai: ({ class: of, status }) =>
    of === 'throttle'
      ? 'rate_limit_exceeded'
      : status === 401
        ? 'invalid_api_key'
        : status < 500
          ? 'invalid_request_error'
          : 'server_error',
  gemini: ({ class: of, status }) =>
    of === 'throttle'
      ? 'RESOURCE_EXHAUSTED'
      : status === 401
        ? 'UNAUTHENTICATED'
        : status < 500
          ? 'INVALID_ARGUMENT'
          : 'UNAVAILABLE',
}

/** The body of an error response. */
export function errorBody(api: ModelApi, told: Told): object {
  const { message, status } = told
  const name = NAMES[api](told)
  if (api === 'anthropic') return { type: 'error', error: { type: name, message } }
  if (api === 'openai') return { error: { message, type: name, code: name, param: null } }
  return { error: { code: status, message, status: name } }
}

/** The kinds of streams. */
export type StreamKind = 'messages' | 'responses' | 'chat' | 'gemini'

/** Which stream a question asks for; undefined for a whole answer. */
export function streamKindOf(api: ModelApi, path: string, json: object | undefined): StreamKind | undefined {
  if (api === 'gemini')
    return /:streamGenerateContent\b/.test(path) && /[?&]alt=sse\b/.test(path) ? 'gemini' : undefined
  if ((json as { stream?: unknown } | undefined)?.stream !== true) return undefined
  if (api === 'anthropic') return 'messages'
  return /\/responses(?:\?|$)/.test(path) ? 'responses' : 'chat'
}

/** The event by which a stream ends that fails after it began. */
export function errorEvent(kind: StreamKind, told: Told): string {
  const api = kind === 'messages' ? 'anthropic' : kind === 'gemini' ? 'gemini' : 'openai'
  if (kind === 'messages') return event('error', errorBody(api, told))
  if (kind !== 'responses') return `data: ${JSON.stringify(errorBody(api, told))}\n\n`
  const error = { code: NAMES.openai(told), message: told.message }
  return event('response.failed', { type: 'response.failed', response: { ...HELD, status: 'failed', error } })
}

/** Stands for an answer that has not begun. */
const HELD = { id: 'resp_held', object: 'response', output: [] }

/**
 * Something that tells a waiting client that its answer will come, and that it takes for nothing else. Undefined where clients
 * bear nothing of the kind.
 */
export function heartbeatOf(kind: StreamKind): string | undefined {
  switch (kind) {
    case 'messages':
      return event('ping', { type: 'ping' })
    case 'responses':
      return event('response.in_progress', {
        type: 'response.in_progress',
        response: { ...HELD, status: 'in_progress' },
      })
    case 'chat':
      return ': waiting\n\n'
    case 'gemini':
      return undefined
  }
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
