import type { IncomingHttpHeaders } from 'node:http'
import type { ModelApi } from '../../config/model-apis.ts'

/** Header in which a client can give the proxy's token beside a key of its own. */
export const TOKEN_HEADER = 'x-mulligan-token'

/** Who asks, and with what. */
export interface Caller {
  /** The caller's own key; undefined if it gave none, or only our token. */
  credential: string | undefined
  /** The headers that carry that key, to whom it is for. */
  own: Readonly<Record<string, string>>
  /** Whether it may use the keys that the config names. */
  hasToken: boolean
  /** The program, by its User-Agent: `claude`, `codex` …; the first word of an unknown one. */
  client: string
}

/** Where clients put their keys. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const
/** Headers that belong to the account of the key. */
const ACCOUNT_HEADERS = ['openai-organization', 'openai-project', 'x-goog-user-project', 'chatgpt-account-id']
/** Headers of gateways between a client and its vendor that carry a key by their name. */
const LIKE_KEY = /(?:^|-)(?:api-?key|auth|authorization|token|secret)$/
/** Whether a header is never sent on as it came. */
export function isPrivate(header: string): boolean {
  return ACCOUNT_HEADERS.includes(header) || LIKE_KEY.test(header) || header === 'cookie'
}
/** The parameter in which clients of Gemini may send their key. */
export const KEY_PARAMETER = 'key'

/** Reads who asks. @param isToken says whether a key is the proxy's own token */
export function callerOf(
  headers: IncomingHttpHeaders,
  keyParameter: string | null,
  isToken: (text: string) => boolean,
): Caller {
  const given = new Map<string, string>()
  let hasToken = false
  const others = Object.keys(headers).filter(name => LIKE_KEY.test(name) && name !== 'proxy-authorization')
  for (const name of new Set([...KEY_HEADERS, ...others])) {
    const value = headers[name]
    if (typeof value !== 'string') continue
    // A header that came twice is one list.
    if (value.split(/[\s,]+/).some(isToken)) hasToken = true
    else if (name !== TOKEN_HEADER) given.set(name, value)
  }
  if (keyParameter !== null) {
    if (isToken(keyParameter)) hasToken = true
    else given.set('x-goog-api-key', keyParameter)
  }
  const [first] = given.values()
  if (first !== undefined)
    for (const name of ACCOUNT_HEADERS)
      if (typeof headers[name] === 'string') given.set(name, headers[name] as string)
  return {
    credential: first === undefined ? undefined : keyIn(first),
    own: Object.fromEntries(given),
    hasToken,
    client: clientOf(headers['user-agent'] ?? ''),
  }
}

function keyIn(header: string): string {
  return header.replace(/^bearer +/i, '').trim()
}

/** The headers that carry a configured key, as its API expects it. */
export function keyHeaders(api: ModelApi, key: string): Record<string, string> {
  if (api === 'openai') return { authorization: `Bearer ${key}` }
  return { [api === 'gemini' ? 'x-goog-api-key' : 'x-api-key']: key }
}

/** Words in the User-Agent of agent CLIs; the rest is named by its first word. */
const CLIENTS: readonly (readonly [RegExp, string])[] = [
  [/claude-(?:cli|code)/i, 'claude'],
  [/codex/i, 'codex'],
  [/opencode/i, 'opencode'],
  [/gemini-?cli/i, 'gemini'],
  [/qwen/i, 'qwen'],
  [/kimi/i, 'kimi'],
  [/copilot/i, 'copilot'],
]

function clientOf(userAgent: string): string {
  const known = CLIENTS.find(([pattern]) => pattern.test(userAgent))?.[1]
  return known ?? (/^[\w.@-]{1,40}/.exec(userAgent)?.[0] || 'unknown')
}
