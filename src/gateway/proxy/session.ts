import type { IncomingHttpHeaders } from 'node:http'
import { dataOf, isObject } from '../../failure/observe/read.ts'

/** Headers in which clients name their conversation. */
const HEADERS = ['x-claude-code-session-id', 'session_id', 'session-id', 'x-session-id', 'conversation_id']
/** Fields of a question in which they do. */
export const NAME_SESSION = ['metadata', 'prompt_cache_key'] as const
/** More characters than any client uses. */
const LONGEST = 100

/** The conversation that a question belongs to, as its client names it; undefined if it does not. */
export function sessionOf(headers: IncomingHttpHeaders, json: object | undefined): string | undefined {
  const named = HEADERS.map(name => headers[name]).find(value => typeof value === 'string')
  return plain(named) ?? plain(ofClaude(json)) ?? plain(json && dataOf(json, 'prompt_cache_key'))
}

/** Claude Code writes it into `metadata.user_id`, as JSON or after `session_`. */
function ofClaude(json: object | undefined): unknown {
  const metadata = json && dataOf(json, 'metadata')
  const user = isObject(metadata) ? dataOf(metadata, 'user_id') : undefined
  if (typeof user !== 'string') return undefined
  return /"session_id"\s*:\s*"([^"]+)"/.exec(user)?.[1] ?? /_session_([\w-]+)$/.exec(user)?.[1]
}

function plain(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.:-]+$/.test(value) && value.length <= LONGEST ? value : undefined
}
