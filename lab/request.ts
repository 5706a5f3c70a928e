import type { IncomingHttpHeaders } from 'node:http'
import { urlOf } from './url.ts'

/** Whose API a request uses. */
export type Vendor = 'anthropic' | 'openai' | 'gemini'

export const VENDORS: readonly Vendor[] = ['anthropic', 'openai', 'gemini']

/** The APIs that a model answers. Faults strike only these unless a step names a path. */
export type Api = 'messages' | 'responses' | 'chat' | 'generate'

/** How the caller wants its answer: whole, as server-sent events, or as a growing JSON array. */
export type Framing = 'json' | 'sse' | 'array'

/** A request as the lab understands it. */
export interface LabRequest {
  /** Counted from 1 over all requests since the start or the last reset. */
  number: number
  method: string
  /** Path and query as sent. */
  path: string
  headers: IncomingHttpHeaders
  /** The body as sent. */
  text: string
  /** The body as JSON; an empty object if it is not JSON. */
  body: Record<string, unknown>
  vendor: Vendor
  wants:
    | { what: 'answer'; api: Api; framing: Framing }
    | { what: 'tokens' }
    | { what: 'models' }
    | { what: 'other' }
  model: string
}

const MODEL_OF: Record<Vendor, string> = {
  anthropic: 'claude-lab-1',
  openai: 'gpt-lab-1',
  gemini: 'gemini-lab-1',
}

/** Parses a request by what it asks for; prefixes before the vendor's own path do not matter. */
export function readRequest(
  number: number,
  { method, path, headers, text }: Pick<LabRequest, 'method' | 'path' | 'headers' | 'text'>,
): LabRequest {
  const url = urlOf(path)
  const body = parseObject(text)
  const { vendor, wants, model } = read(method, url, headers, body)
  return { number, method, path, headers, text, body, vendor, wants, model: model ?? MODEL_OF[vendor] }
}

type Reading = Pick<LabRequest, 'vendor' | 'wants'> & { model?: string | undefined }

function read(
  method: string,
  url: URL,
  headers: IncomingHttpHeaders,
  body: Record<string, unknown>,
): Reading {
  const { pathname } = url
  const model = typeof body.model === 'string' ? body.model : undefined
  const framing = body.stream === true ? 'sse' : 'json'
  const gemini = /\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/.exec(pathname)
  if (method === 'POST') {
    if (gemini) return readGemini(gemini[1] as string, gemini[2] as string, url)
    if (pathname.endsWith('/messages/count_tokens'))
      return { vendor: 'anthropic', wants: { what: 'tokens' }, model }
    if (pathname.endsWith('/messages'))
      return { vendor: 'anthropic', wants: { what: 'answer', api: 'messages', framing }, model }
    if (pathname.endsWith('/responses'))
      return { vendor: 'openai', wants: { what: 'answer', api: 'responses', framing }, model }
    if (pathname.endsWith('/chat/completions'))
      return { vendor: 'openai', wants: { what: 'answer', api: 'chat', framing }, model }
  }
  const vendor = vendorOf(pathname, headers)
  const isList = method === 'GET' && pathname.endsWith('/models')
  return { vendor, wants: { what: isList ? 'models' : 'other' } }
}

function readGemini(model: string, verb: string, url: URL): Reading {
  if (verb === 'countTokens') return { vendor: 'gemini', wants: { what: 'tokens' }, model }
  const sse = url.searchParams.get('alt') === 'sse'
  const framing = verb === 'generateContent' ? 'json' : sse ? 'sse' : 'array'
  return { vendor: 'gemini', wants: { what: 'answer', api: 'generate', framing }, model }
}

/** Tells apart vendors that share paths, by the headers their clients send. */
function vendorOf(pathname: string, headers: IncomingHttpHeaders): Vendor {
  if (/\/v1(?:beta|alpha)\w*\//.test(pathname) || headers['x-goog-api-key'] !== undefined) return 'gemini'
  return headers['anthropic-version'] !== undefined || headers['x-api-key'] !== undefined
    ? 'anthropic'
    : 'openai'
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
}
