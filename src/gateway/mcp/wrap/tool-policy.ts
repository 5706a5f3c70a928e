import type { RetryPolicy } from '../../../capability/retry-policy.ts'
import { isObject } from '../json-rpc.ts'
import type { ToolSettings } from './upstream-settings.ts'

/** When a call of a tool may be sent again, and who says so. */
export interface ToolPolicy {
  retry: RetryPolicy
  /** A refusal of the tool itself proves that nothing happened. */
  atomic: boolean
  /** Who says so, for people. */
  because: string
}

/** What is known of a tool. */
export interface KnownTool {
  name: string
  annotations?: Readonly<Record<string, unknown>>
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
    const { name, annotations } = tool
    return [{ name, ...(isObject(annotations) ? { annotations } : {}) }]
  })
}

/** What happens to a call that fails, as one phrase. */
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
