import { isObject } from './json-rpc.ts'

/**
 * MCP changed its ways in 2026: until 2025-11-25 (`session`) both sides say hello once and then share a session; from
 * 2026-07-28 on (`stateless`) every request says all about itself in its `_meta`.
 */
export type Era = 'session' | 'stateless'

/** The one that this is not. */
export function otherEra(era: Era): Era {
  return era === 'session' ? 'stateless' : 'session'
}

/** The newest revision of each era that is spoken here. */
export const REVISION: Readonly<Record<Era, string>> = { session: '2025-11-25', stateless: '2026-07-28' }

/** Revisions of the era of sessions that a client may ask for. */
export const SESSION_REVISIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

const PREFIX = 'io.modelcontextprotocol/'

/** Keys of `_meta` that belong to the protocol of the stateless era. */
export const META = {
  version: `${PREFIX}protocolVersion`,
  clientInfo: `${PREFIX}clientInfo`,
  clientCapabilities: `${PREFIX}clientCapabilities`,
  serverInfo: `${PREFIX}serverInfo`,
  subscription: `${PREFIX}subscriptionId`,
  logLevel: `${PREFIX}logLevel`,
} as const

/** The extension by which a server may answer with a task. */
export const TASKS_EXTENSION = `${PREFIX}tasks`

/** What a client says of itself: once in the era of sessions, with every request after it. */
export interface ClientIdentity {
  info: unknown
  capabilities: Readonly<Record<string, unknown>>
  /** What it wants to be told of what the server logs. Default nothing. */
  logLevel?: unknown
}

/** The `_meta` of params; empty if there is none. */
export function metaOf(params: unknown): Readonly<Record<string, unknown>> {
  const meta = isObject(params) ? params._meta : undefined
  return isObject(meta) ? meta : {}
}

/** What a request of the stateless era says of its client; undefined if it is none. */
export function identityIn(params: unknown): ClientIdentity | undefined {
  const meta = metaOf(params)
  if (typeof meta[META.version] !== 'string') return undefined
  const capabilities = meta[META.clientCapabilities]
  return { info: meta[META.clientInfo], capabilities: isObject(capabilities) ? capabilities : {} }
}

/** What an `initialize` request says of its client. */
export function identityOfHello(params: unknown): ClientIdentity {
  const { clientInfo, capabilities } = isObject(params) ? params : {}
  return { info: clientInfo, capabilities: isObject(capabilities) ? capabilities : {} }
}

/** Params as a server of the stateless era takes them. */
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

/** Params as a server of the era of sessions takes them: what else `_meta` holds stays, such as a trace. */
export function withoutIdentity(
  params: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> | undefined {
  if (params === undefined) return undefined
  const { _meta, ...rest } = params
  const left = Object.entries(metaOf(params)).filter(([key]) => !key.startsWith(PREFIX))
  return left.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(left) }
}
