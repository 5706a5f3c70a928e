import { elements, type Fields, isObject } from './read.ts'

/**
 * Codes that mean something only together with their neighbours: 14 is "unavailable" next to gRPC metadata, 5 is "busy" in
 * SQLite's errcode, 40001 is a SQLSTATE next to a severity. Each becomes a word that names its family.
 */
export function shapeWords(fields: Fields, read: (value: object) => Fields): string[] {
  const words: string[] = []
  for (const shape of SHAPES) words.push(...shape(fields, read))
  return words
}

/** Shared, because most shapes say nothing about most objects. */
const NONE: readonly string[] = []

const SHAPES: ((fields: Fields, read: (value: object) => Fields) => readonly string[])[] = [
  systemCall,
  host,
  sqlState,
  grpc,
  sqlite,
  close,
  mongo,
  cloudflare,
  mcpTimeout,
]

/** `spawnSync sh` and `queryMx` are families of calls; the rest of the name is ours. */
function systemCall(fields: Fields): readonly string[] {
  const call = text(fields, 'syscall')
  if (call === '') return NONE
  const [kind] = /^(?:spawnSync|spawn|query)(?= |[A-Z]|$)/.exec(call) ?? []
  return kind && kind !== call ? [`syscall=${kind.toLowerCase()}`] : []
}

function host(fields: Fields): readonly string[] {
  const name = text(fields, 'hostname')
  return name !== '' && isReserved(name) ? ['host=reserved'] : NONE
}

/** Host names that cannot exist on the public internet, so a failed lookup means a mistake in the address. */
export function isReserved(hostname: string): boolean {
  return /\.(?:invalid|test|example|localdomain)\.?$|\.\.|^\./.test(hostname)
}

/** A five-character `code` is a SQLSTATE if it comes with a server's severity or a database error class. */
function sqlState(fields: Fields): readonly string[] {
  const code = text(fields, 'code')
  const stated =
    text(fields, 'sqlState') ||
    text(fields, 'sqlstate') ||
    text(fields, 'pgcode') ||
    // The names of libpq.
    (fields.has('exec_status') ? text(fields, 'status_code') : '')
  if (code === '' && stated === '') return NONE
  const named = /^(?:error|PostgresError|DatabaseError)$/.test(text(fields, 'name'))
  const beside = fields.has('severity') || fields.has('routine') || named
  return sqlStateWords(stated || (beside || /^\d\d?[A-Z][0-9A-Z]{2,3}$/.test(code) ? code : ''))
}

export function sqlStateWords(state: string): readonly string[] {
  if (state.length !== 5 || !/^[0-9A-Z]{5}$/.test(state)) return NONE
  return [`sqlstate=${state.toLowerCase()}`, `sqlstate_class=${state.slice(0, 2).toLowerCase()}`]
}

const GRPC =
  `ok cancelled unknown invalid_argument deadline_exceeded not_found already_exists permission_denied
  resource_exhausted failed_precondition aborted out_of_range unimplemented internal unavailable data_loss
  unauthenticated`.split(/\s+/)

function grpc(fields: Fields): readonly string[] {
  const code = fields.get('code')
  const beside = (fields.has('details') && fields.has('metadata')) || text(fields, 'name') === 'ConnectError'
  return beside && typeof code === 'number' && GRPC[code] ? [`grpc=${GRPC[code]}`] : NONE
}

/** gRPC's name for a code, in any language's spelling: `DEADLINE_EXCEEDED`, `DeadlineExceeded`, `canceled`. */
export function grpcWord(name: string): string[] {
  const word = name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/^canceled$/, 'cancelled')
  return GRPC.includes(word) ? [`grpc=${word}`] : []
}

/** SQLite's extended codes carry the primary code in their lowest byte. */
function sqlite(fields: Fields): readonly string[] {
  const code = fields.get('errcode')
  return typeof code === 'number' && text(fields, 'code') === 'ERR_SQLITE_ERROR'
    ? [`sqlite=${code & 255}`]
    : NONE
}

/** The event of a closed WebSocket, or what a program kept of it. */
function close(fields: Fields): readonly string[] {
  const code = fields.get('code')
  if (typeof code !== 'number' || code < 1000 || code > 4999) return NONE
  const isEvent =
    fields.has('wasClean') || fields.get('type') === 'close' || typeof fields.get('reason') === 'string'
  return isEvent ? [`close=${code}`] : NONE
}

function mongo(fields: Fields): readonly string[] {
  const isMongo = fields.has('codeName') || text(fields, 'name').startsWith('Mongo')
  if (!isMongo && !fields.has('errorLabels')) return NONE
  const labels = elements(fields.get('errorLabels'), 8).filter(label => typeof label === 'string')
  const words = labels.map(label => `label=${label.toLowerCase()}`)
  const code = fields.get('code')
  return isMongo && typeof code === 'number' ? [...words, `mongo=${code}`] : words
}

/** Cloudflare's problem documents state whether a retry makes sense. */
function cloudflare(fields: Fields): readonly string[] {
  if (fields.get('cloudflare_error') !== true) return NONE
  const words = [
    `cloudflare=${fields.get('error_code')}`,
    `cloudflare_category=${fields.get('error_category')}`,
  ]
  const retryable = fields.get('retryable')
  return typeof retryable === 'boolean' ? [...words, `cloudflare_retryable=${retryable}`] : words
}

/** The MCP client uses one code for its own deadline and for a caller's abort; only the deadline states its length. */
function mcpTimeout(fields: Fields, read: (value: object) => Fields): readonly string[] {
  const data = fields.get('data')
  if (fields.get('code') !== -32001 || !isObject(data)) return NONE
  return typeof read(data).get('timeout') === 'number' ? ['mcp=timeout'] : []
}

/** Headers that name a cause; recorded as words `header=value`. */
const TELLING = new Set(
  `x-vercel-error cf-mitigated x-envoy-overloaded x-envoy-ratelimited x-ratelimit-remaining
  ratelimit-reason stripe-should-retry x-should-retry anthropic-ratelimit-unified-status x-ratelimit-type`.split(
    /\s+/,
  ),
)

export function headerWords(name: string, value: string): string[] {
  const content = value.trim().toLowerCase()
  if (name === 'proxy-status') {
    const [, error] = /;\s*error\s*=\s*"?(\w{3,40})/.exec(content) ?? []
    return error ? [`proxy-status=${error}`] : []
  }
  if (name === 'location') return LOGIN.test(content) ? ['redirect=login'] : []
  if (name === 'ratelimit') return isEmptyLimit(content) ? ['ratelimit=empty'] : []
  return TELLING.has(name) && content.length <= 60 ? [`${name}=${content}`] : []
}

/** Where a redirect leads if the caller must sign in first. */
const LOGIN =
  /^https?:\/\/(?:login|sso|signin|auth|accounts|idp|adfs)\.|[/.](?:login|log-in|signin|sign-in|sign_in|sso|saml2?|oauth2?|authorize|cas)(?:[/?#;]|$)|\.(?:okta|onelogin|auth0)\.com\//i

/** IETF's header: `"name";r=0;t=30`, in earlier drafts `limit=100, remaining=0, reset=30`. */
function isEmptyLimit(content: string): boolean {
  return /;\s*r=0(?![\d.])|\bremaining=0(?![\d.])/.test(content)
}

function text(fields: Fields, name: string): string {
  const value = fields.get(name)
  return typeof value === 'string' && value.length <= 300 ? value : ''
}
