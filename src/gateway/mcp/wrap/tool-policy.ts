import type { RetryPolicy } from '../../../verdict/retry-policy.ts'
import { isObject } from '../json-rpc.ts'
import { type HeaderArgument, headerArgumentsOf } from './param-headers.ts'
import type { ToolSettings } from './upstream-settings.ts'

/** When a call of a tool may be sent again, and what decides that. */
export interface ToolPolicy {
  retry: RetryPolicy
  /** A refusal by the tool itself proves that nothing happened. */
  atomic: boolean
  /** What decides it, for people. */
  because: string
}

/** What is known about a tool. */
export interface KnownTool {
  name: string
  annotations?: Readonly<Record<string, unknown>>
  /** Arguments that are also sent as HTTP headers. Default none. */
  inHeaders?: readonly HeaderArgument[]
}

/** The config wins over annotations, which the server itself gives; without either, nothing that may have happened is sent again. */
export function toolPolicyOf(tool: KnownTool | undefined, settings: ToolSettings = {}): ToolPolicy {
  const { retry, atomic = false } = settings
  const { readOnlyHint, idempotentHint } = tool?.annotations ?? {}
  if (retry !== undefined) return { retry, atomic, because: `retry = "${retry}" in the config` }
  if (readOnlyHint === true) return { retry: 'replay', atomic, because: 'annotated as read-only' }
  if (idempotentHint === true) return { retry: 'replay', atomic, because: 'annotated as idempotent' }
  if (atomic) return { retry: 'none', atomic, because: 'atomic in the config' }
  return { retry: 'none', atomic, because: 'nothing says that twice does no harm' }
}

/** The tools of a result of `tools/list`. */
export function toolsIn(result: unknown): KnownTool[] {
  const { tools } = isObject(result) ? result : {}
  if (!Array.isArray(tools)) return []
  return tools.flatMap(tool => {
    if (!isObject(tool) || typeof tool.name !== 'string') return []
    const { name, annotations, inputSchema } = tool
    const inHeaders = headerArgumentsOf(inputSchema) ?? []
    return [
      {
        name,
        ...(isObject(annotations) ? { annotations } : {}),
        ...(inHeaders.length === 0 ? {} : { inHeaders }),
      },
    ]
  })
}

/** What happens to a failed call, as one phrase. */
export function policyInWords({ retry, atomic }: ToolPolicy): string {
  switch (retry) {
    case 'replay':
      return 'sent again'
    case 'verify_first':
      return 'sent again if the effect is not there'
    case 'none':
      return atomic
        ? 'sent again if refused or never sent'
        : 'sent again only if never sent, or refused by the transport'
  }
}
