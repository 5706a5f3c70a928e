import type { IncomingHttpHeaders } from 'node:http'
import { MODEL_API_NAMES, type ModelApi } from '../../config/model-apis.ts'

/** What a client asks of the proxy. */
export interface Asked {
  api: ModelApi
  /** Path and query below the base URL. */
  path: string
  /** True for a question to a model. Only these are ever sent again; everything else passes as it is. */
  isQuestion: boolean
}

const QUESTIONS: Readonly<Record<ModelApi, RegExp>> = {
  anthropic: /^\/v\d\w*\/messages(?:\/count_tokens)?$/,
  openai: /^(?:\/v\d\w*)?\/(?:responses|chat\/completions)$/,
  gemini: /^\/v\d\w*\/(?:.*\/)?models\/[^/:]+:(?:generateContent|streamGenerateContent|countTokens)$/,
}

/** Reads which API a request is for: the name before its path, else what only clients of that API send. */
export function askedOf(method: string, target: string, headers: IncomingHttpHeaders): Asked {
  const named = MODEL_API_NAMES.find(name => target === `/${name}` || target.startsWith(`/${name}/`))
  const path = named === undefined ? target : target.slice(named.length + 1) || '/'
  const api = named ?? apiOf(path, headers)
  const isQuestion = method === 'POST' && QUESTIONS[api].test(path.replace(/\?.*/s, ''))
  return { api, path, isQuestion }
}

/** The address as the client wrote it, at no host: whatever its path contains must not name one. */
export function urlOf({ path }: Asked): URL {
  return new URL(`http://client.invalid${path}`)
}

function apiOf(path: string, headers: IncomingHttpHeaders): ModelApi {
  if (headers['anthropic-version'] !== undefined || /^\/(?:v1\/(?:messages|complete)\b|api\/)/.test(path))
    return 'anthropic'
  if (headers['x-goog-api-key'] !== undefined || /^\/v1(?:beta|alpha)\d*\/|[?&]key=/.test(path))
    return 'gemini'
  return headers['x-api-key'] === undefined ? 'openai' : 'anthropic'
}
