import { META, metaOf, REVISION } from '../era.ts'
import { isObject, lineOf, type RpcError } from '../json-rpc.ts'
import type { Request } from './translate.ts'

/** What the stateless era does not have any more. */
const REMOVED: readonly string[] = [
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]

/**
 * How a stateless server refuses a request that is against the rules of that era; undefined if it is not. In front
 * of a session server, which does not know these rules, it is Mulligan that has to keep them.
 */
export function refusalOfStateless(request: Request): Buffer | undefined {
  const error = errorOf(request)
  return error && lineOf({ id: request.id, error })
}

function errorOf({ method, params }: Request): RpcError | undefined {
  const { [META.version]: version, [META.clientCapabilities]: capabilities } = metaOf(params)
  if (typeof version !== 'string') return missing(META.version)
  if (version !== REVISION.stateless)
    return {
      code: -32022,
      message: `Unsupported protocol version: ${version}`,
      data: { supported: [REVISION.stateless], requested: version },
    }
  if (!isObject(capabilities)) return missing(META.clientCapabilities)
  if (REMOVED.includes(method)) return { code: -32601, message: `Method not found: ${method}` }
  return undefined
}

function missing(key: string): RpcError {
  return { code: -32602, message: `Invalid params: _meta has no ${key}` }
}
