import { isObject } from './json-rpc.ts'

/**
 * MCP changed its ways in 2026: until 2025-11-25 (`session`) both sides say hello once and then share a session; from
 * 2026-07-28 on (`stateless`) every request says all about itself in its `_meta`.
 */
export type Era = 'session' | 'stateless'

/** The other era. */
export function otherEra(era: Era): Era {
  return era === 'session' ? 'stateless' : 'session'
}

/** The newest revision of each era that Mulligan speaks. */
export const REVISION: Readonly<Record<Era, string>> = { session: '2025-11-25', stateless: '2026-07-28' }

/** Revisions of the era of sessions that a client may ask for. */
export const SESSION_REVISIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

const PREFIX = 'io.modelcontextprotocol/'

/** Keys of `_meta` that the stateless protocol defines. */
export const META = {
  version: `${PREFIX}protocolVersion`,
  clientInfo: `${PREFIX}clientInfo`,
  clientCapabilities: `${PREFIX}clientCapabilities`,
  serverInfo: `${PREFIX}serverInfo`,
  subscription: `${PREFIX}subscriptionId`,
  logLevel: `${PREFIX}logLevel`,
} as const

/** The extension that lets a server answer with a task. */
export const TASKS_EXTENSION = `${PREFIX}tasks`

/** What a client says about itself: once in the session era, with every request in the stateless era. */
export interface ClientIdentity {
  info: unknown
  capabilities: Readonly<Record<string, unknown>>
  /** From which level the client wants the server's log messages. Default none. */
  logLevel?: unknown
}

/** The `_meta` of params; empty if missing. */
export function metaOf(params: unknown): Readonly<Record<string, unknown>> {
  const meta = isObject(params) ? params._meta : undefined
  return isObject(meta) ? meta : {}
}

/** What a stateless request says about its client; undefined if the request is not stateless. */
export function identityIn(params: unknown): ClientIdentity | undefined {
  const meta = metaOf(params)
  if (typeof meta[META.version] !== 'string') return undefined
  const capabilities = meta[META.clientCapabilities]
  return { info: meta[META.clientInfo], capabilities: isObject(capabilities) ? capabilities : {} }
}

/** What an `initialize` request says about its client. */
export function identityOfHello(params: unknown): ClientIdentity {
  const { clientInfo, capabilities } = isObject(params) ? params : {}
  return { info: clientInfo, capabilities: isObject(capabilities) ? capabilities : {} }
}

/** Params in the form that a stateless server takes. */
export function withIdentity(
  params: Readonly<Record<string, unknown>> | undefined,
  { info, capabilities, logLevel }: ClientIdentity,
): Record<string, unknown> {
  return {
    ...params,
    _meta: {
      ...metaOf(params),
      [META.version]: REVISION.stateless,
      ...(info === undefined ? {} : { [META.clientInfo]: info }),
      [META.clientCapabilities]: capabilities,
      ...(logLevel === undefined ? {} : { [META.logLevel]: logLevel }),
    },
  }
}

/** Params in the form that a session server takes; other contents of `_meta`, such as a trace, stay. */
export function withoutIdentity(
  params: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> | undefined {
  if (params === undefined) return undefined
  const { _meta, ...rest } = params
  const left = Object.entries(metaOf(params)).filter(([key]) => !key.startsWith(PREFIX))
  return left.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(left) }
}
