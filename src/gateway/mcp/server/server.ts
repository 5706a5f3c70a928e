import {
  CLIENT_INFO_META_KEY,
  type Implementation,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { recordChange } from '../../../ledger/change.ts'
import { type Problem, problemOf } from '../../http/problem.ts'
import { checked } from '../../http/request-values.ts'
import { bytesOf, LARGEST_ANSWER_BYTES, partOf } from './cut.ts'
import { type McpTool, type Rights, type ToolAnswer, type ToolCall, type ToolHost, toResult } from './tool.ts'
import { capabilities } from './tools/capabilities.ts'
import { inbox } from './tools/inbox.ts'
import { operationAction } from './tools/operation-action.ts'
import { operations } from './tools/operations.ts'
import { run } from './tools/run.ts'
import { status } from './tools/status.ts'
import { unknowns } from './tools/unknowns.ts'
import { workflow } from './tools/workflow.ts'

/** What a server needs. */
export interface McpServerOptions {
  host: ToolHost
  rights: Rights
  /** Version of this package. */
  version: string
  /** The session of a client, by the client's own name. */
  sessionOf: (client: string | undefined, server: McpServer) => Promise<string | undefined>
  /** By which token it came, for the record of changes. Default: none, its process is the user's. */
  cameBy?: string
  /** Called with unexpected errors. */
  onError?: (error: unknown, tool: string) => void
}

const INSTRUCTIONS = [
  'Mulligan runs capabilities and keeps those that cannot work now: it retries when a limit lifts or a provider is back, only where that is safe.',
  'When run answers queued, running or parked, continue with other work and do not start it again: the result appears in your inbox.',
  'Look into your inbox before you finish.',
].join(' ')

/** The tools that these rights give, in the order of the list. */
export function toolsFor(rights: Rights): readonly McpTool[] {
  const looking = [
    status,
    operations,
    inbox(rights.readOnly),
    unknowns(rights),
    capabilities,
    workflow(rights.readOnly),
  ]
  return rights.readOnly ? looking : [run, ...looking, operationAction]
}

/** An MCP server that offers an agent the queue, its inbox, unknowns and capabilities. */
export function mcpServerOf(options: McpServerOptions): McpServer {
  const { rights, version } = options
  const server = new McpServer(
    { name: 'mulligan', title: 'Mulligan', version },
    { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } },
  )
  for (const tool of toolsFor(rights))
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        annotations: { title: tool.title, ...tool.annotations },
        inputSchema: unchecked(tool.input),
        outputSchema: tool.output,
      },
      async (given: unknown, context: ServerContext) =>
        toResultOf(await answer(tool, given, () => callOf(options, server, context), options)),
    )
  return server
}

/** The schema is listed; what is given is checked where mistakes are told by name. */
function unchecked(schema: z.ZodObject) {
  const standard = schema['~standard']
  return { '~standard': { ...standard, validate: (value: unknown) => ({ value }) } } as typeof schema
}

type Answered = ToolAnswer | { problem: string; code: string }

async function answer(
  tool: McpTool,
  given: unknown,
  call: () => Promise<ToolCall>,
  { host, onError, cameBy }: McpServerOptions,
): Promise<Answered> {
  try {
    const input = checked('arguments', given ?? {}, tool.input) as z.output<typeof tool.input>
    const caller = await call()
    const answered = await tool.run(input, caller, host)
    // A preview says that nothing is done.
    const isChange = !answered.isError && answered.json.done !== false
    // What was asked for is done: told that it failed, an agent would do it again.
    if (isChange)
      await recordAgent(tool, input, caller, host, cameBy).catch(error => onError?.(error, tool.name))
    return fitting(answered)
  } catch (error) {
    const problem = problemOf(error)
    if (problem) return { problem: inWords(problem), code: problem.code }
    onError?.(error, tool.name)
    return { problem: 'internal error; the log of mulligan has it', code: 'internal' }
  }
}

/** Records what an agent changed. What it runs is not among it: the operation itself names its session. */
async function recordAgent(
  { name, annotations }: McpTool,
  input: Record<string, unknown>,
  { session, client }: ToolCall,
  { facilities }: ToolHost,
  cameBy: string | undefined,
): Promise<void> {
  const action = String(input.action ?? (input.mark_read === undefined ? 'list' : 'mark_read'))
  if (annotations.readOnlyHint === true || name === 'run' || READING.has(action)) return
  const subject = input.id ?? input.fingerprint ?? input.run ?? input.name
  await recordChange(facilities.ledger, {
    by: `agent ${client}${session === undefined ? '' : ` (${session})`}${cameBy === undefined ? '' : ` by ${cameBy}`}`,
    via: 'mcp',
    action: `${name} ${action}`,
    ...(typeof subject === 'string' ? { subject } : {}),
  })
}

/** Actions of tools that change nothing. */
const READING = new Set(['list', 'show', 'result', 'preview', 'graph'])

/** Reports all mistakes at once, so that one more call is enough. */
function inWords({ message, mistakes }: Problem): string {
  if (mistakes.length < 2) return message
  return mistakes.map(({ at, message: told }) => `${at}: ${told}`).join('; ')
}

function toResultOf(answered: Answered) {
  if ('json' in answered) return toResult(answered)
  const { problem, code } = answered
  return {
    content: [{ type: 'text' as const, text: `${code}: ${problem}` }],
    isError: true,
    _meta: { 'mulligan/code': code },
  }
}

/** Last resort for an answer that no tool cut: leaves out large values, and names them. */
function fitting(answered: ToolAnswer): ToolAnswer {
  if (bytesOf(answered.json) <= LARGEST_ANSWER_BYTES) return answered
  const { value, keys, bytes } = partOf(answered.json)
  const left = Object.entries(answered.json).flatMap(([key, inner]) =>
    Object.hasOwn(value as object, key) ? [] : [[key, shortened(inner)] as const],
  )
  return {
    ...answered,
    json: {
      ...(value as object),
      ...Object.fromEntries(left),
      cut: { bytes, keys, how: 'ask for less: a smaller limit, a narrower filter' },
    },
  }
}

/** Of the same type, so that it fits the schema. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return partOf(value, '', 0, LARGEST_ANSWER_BYTES / 4).value
  return typeof value === 'string' ? partOf(value, '', 0, LARGEST_ANSWER_BYTES / 4).value : {}
}

async function callOf(
  { rights, sessionOf }: McpServerOptions,
  server: McpServer,
  { mcpReq }: ServerContext,
): Promise<ToolCall> {
  const envelope = mcpReq.envelope as Record<string, unknown> | undefined
  const info = (envelope?.[CLIENT_INFO_META_KEY] ?? server.server.getClientVersion()) as
    | Implementation
    | undefined
  const token = mcpReq._meta?.progressToken
  let told = 0
  return {
    rights,
    session: await sessionOf(info?.name, server),
    client: info ? `${info.name} ${info.version}` : 'an MCP client',
    signal: mcpReq.signal,
    progress: message => {
      if (token === undefined) return
      told += 1
      const params = { progressToken: token, progress: told, message }
      // A client that does not get this is gone.
      void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
    },
  }
}
