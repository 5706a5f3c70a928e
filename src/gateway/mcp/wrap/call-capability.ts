import { z } from 'zod'
import type { Capability } from '../../../capability/capability.ts'
import { defineCapability } from '../../../capability/define.ts'
import { unsure } from '../../../capability/verify.ts'
import type { RetryPolicy } from '../../../verdict/retry-policy.ts'
import { isObject } from '../json-rpc.ts'
import { SERVER_POLICY } from './server-health.ts'
import type { ToolSettings, ToolVerification, UpstreamSettings } from './upstream-settings.ts'

/** `{name}` in a text of the config. */
const PLACES = /\{([\w.-]+)\}/g

const params = z.strictObject({
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  /** What else `_meta` held that still means something later: a trace. */
  meta: z.record(z.string(), z.unknown()).optional(),
})

/** What is stored of a call. */
export type CallParams = z.output<typeof params>

/** Makes one call; rejects with a `KnownFailure` whose effect is known. */
export type Perform = (call: CallParams, signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>

/** Names of the capabilities of one server and login, and of its provider. */
export interface CallNames {
  provider: string
  capability: Readonly<Record<RetryPolicy, string>>
}

/** Names under which calls of a server wait: only processes with the same login have them. */
export function callNames(name: string, identity: string): CallNames {
  const base = `mcp.${name}.${identity}`
  return {
    provider: `mcp.${name}.${identity.slice(0, 8)}`,
    capability: { none: base, replay: `${base}.replay`, verify_first: `${base}.verify` },
  }
}

/** Whether a capability calls a tool of a wrapped server. */
export function isCallName(capability: string): boolean {
  return CALL_NAME.test(capability)
}

/** The server of such a capability, by its name for people. */
export function serverOfCall(capability: string): string {
  return CALL_NAME.exec(capability)?.[1] ?? capability
}

const CALL_NAME = /^mcp\.(.+)\.[0-9a-f]{16}(?:\.replay|\.verify)?$/

/** Calls of the tools of one server that can be made again from their stored parameters. */
export function callCapabilities(
  { name: server, tools }: Pick<UpstreamSettings, 'name' | 'tools'>,
  { capability: names, provider }: CallNames,
  perform: Perform,
): Capability[] {
  const make = (retry: 'none' | 'replay') =>
    defineCapability({ ...common(server, provider, perform), name: names[retry], retry })
  const verified = defineCapability({
    ...common(server, provider, perform),
    name: names.verify_first,
    retry: 'verify_first',
    verify: ({ tool, arguments: args = {} }, { signal }) => isThere(tool, args, tools[tool], perform, signal),
  })
  return [make('none'), make('replay'), verified] as unknown as Capability[]
}

function common(server: string, provider: string, perform: Perform) {
  return {
    description: `A call of a tool of the MCP server ${server}.`,
    params,
    provider,
    policy: SERVER_POLICY,
    tool: ({ tool }: CallParams) => tool,
    // A try is one request, and the connection knows what became of it.
    atomic: true,
    run: (call: CallParams, { signal }: { signal: AbortSignal }) => perform(call, signal),
  }
}

/** Asks the server by another tool whether the effect of a call is there. */
async function isThere(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  settings: ToolSettings | undefined,
  perform: Perform,
  signal: AbortSignal,
) {
  const verify = settings?.verify
  if (!verify) return unsure(`the config has no verify for ${tool} any more`)
  const missing = [...new Set(unfilled([verify.arguments, verify.contains], args))]
  if (missing.length > 0)
    return unsure(`its verify needs ${missing.join(', ')}, which this call of ${tool} does not have`)
  const asked = { tool: verify.tool, arguments: filledIn(verify.arguments, args) as Record<string, unknown> }
  let result: Readonly<Record<string, unknown>>
  try {
    result = await perform(asked, signal)
  } catch (error) {
    const { failure } = error as { failure?: { kind?: string; message?: string } }
    return failure?.kind === 'not_found'
      ? { state: 'absent' as const }
      : unsure(`${verify.tool} failed: ${failure?.message ?? (error as Error).message}`)
  }
  const wanted = verify.contains === undefined ? undefined : String(filledIn(verify.contains, args))
  // Every text contains an empty one, so it proves nothing.
  if (wanted === '') return unsure(`its verify looks for an empty text`)
  return wanted === undefined || textOf(result).includes(wanted)
    ? { state: 'done' as const, value: doneResult(tool, verify) }
    : { state: 'absent' as const }
}

function doneResult(tool: string, { tool: by }: ToolVerification): Record<string, unknown> {
  return { content: [{ type: 'text', text: `${tool} is done: its effect was found by ${by}.` }] }
}

/** All texts of a result. */
function textOf(result: Readonly<Record<string, unknown>>): string {
  const { content, structuredContent } = result
  const texts = Array.isArray(content)
    ? content.flatMap(part => (isObject(part) && typeof part.text === 'string' ? [part.text] : []))
    : []
  return [...texts, ...(structuredContent === undefined ? [] : [JSON.stringify(structuredContent)])].join(
    '\n',
  )
}

/** Replaces `{name}` by that argument of the call. A text that is only `{name}` becomes the argument itself. */
export function filledIn(value: unknown, args: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === 'string') {
    const whole = /^\{([\w.-]+)\}$/.exec(value)?.[1]
    if (whole !== undefined && Object.hasOwn(args, whole)) return args[whole]
    return value.replace(PLACES, (written, name: string) =>
      Object.hasOwn(args, name) ? asText(args[name]) : written,
    )
  }
  if (Array.isArray(value)) return value.map(inner => filledIn(inner, args))
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filledIn(inner, args)]))
  return value
}

/** Names of places that no argument of the call fills. */
function unfilled(value: unknown, args: Readonly<Record<string, unknown>>): string[] {
  if (typeof value === 'string')
    return [...value.matchAll(PLACES)].flatMap(([, name = '']) => (Object.hasOwn(args, name) ? [] : [name]))
  return isObject(value) || Array.isArray(value)
    ? Object.values(value).flatMap(inner => unfilled(inner, args))
    : []
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
