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
  /** Whether one of its keys is another token of Mulligan, such as the daemon's, which no vendor may see. */
  hasWrongToken: boolean
  /** The program, by its User-Agent: `claude`, `codex` …; the first word of an unknown one. */
  client: string
}

/** Where clients put their keys. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const
/** Headers like a key that are known, or for us alone. */
const NOT_ALSO = new Set<string>([...KEY_HEADERS, 'proxy-authorization'])
/** Headers that belong to the account of the key. */
const ACCOUNT_HEADERS = ['openai-organization', 'openai-project', 'x-goog-user-project', 'chatgpt-account-id']
/** Headers of gateways between a client and its vendor that carry a key by their name. */
const LIKE_KEY = /(?:^|-)(?:api-?key|auth|authorization|token|secret)$/
/** More names of headers than clients use. */
const MOST_NAMES = 500
/** What is known of names: every request has the same few. */
const likeKey = new Map<string, boolean>()

function isLikeKey(header: string): boolean {
  const known = likeKey.get(header)
  if (known !== undefined) return known
  const is = LIKE_KEY.test(header)
  if (likeKey.size < MOST_NAMES) likeKey.set(header, is)
  return is
}

/** Whether a header is never sent on as it came. */
export function isPrivate(header: string): boolean {
  return isLikeKey(header) || ACCOUNT_HEADERS.includes(header) || header === 'cookie'
}
/** The parameter in which clients of Gemini may send their key. */
export const KEY_PARAMETER = 'key'

/** How every token of Mulligan looks. */
const ANY_TOKEN = /(?:^|[\s,])mlg_[\w-]{43}(?![\w-])/

/** Reads who asks. @param isToken says whether a key is the proxy's own token */
export function callerOf(
  headers: IncomingHttpHeaders,
  keyParameter: string | null,
  isToken: (text: string) => boolean,
): Caller {
  const given = new Map<string, string>()
  let hasToken = false
  const take = (name: string) => {
    const value = headers[name]
    if (typeof value !== 'string') return
    // A header that came twice is one list.
    if (value.split(/[\s,]+/).some(isToken)) hasToken = true
    else if (name !== TOKEN_HEADER) given.set(name, value)
  }
  for (const name of KEY_HEADERS) take(name)
  for (const name in headers) if (isLikeKey(name) && !NOT_ALSO.has(name)) take(name)
  if (keyParameter !== null) {
    if (isToken(keyParameter)) hasToken = true
    else given.set('x-goog-api-key', keyParameter)
  }
  const keys = [...given.values()]
  const [first] = keys
  if (first !== undefined)
    for (const name of ACCOUNT_HEADERS)
      if (typeof headers[name] === 'string') given.set(name, headers[name] as string)
  return {
    credential: first === undefined ? undefined : keyIn(first),
    own: Object.fromEntries(given),
    hasToken,
    hasWrongToken: keys.some(key => ANY_TOKEN.test(key)),
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
