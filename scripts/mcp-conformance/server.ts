import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { PROMPTS, promptOf } from './server-prompts.ts'
import { RESOURCES, readResource, TEMPLATES } from './server-resources.ts'
import { callTool, TOOLS } from './server-tools.ts'

/*
 * An MCP server with all that the conformance suite asks for, over stdio, in both eras or one.
 *
 * node server.ts [session|stateless]
 */

export type Json = Record<string, unknown>

/** An error of the protocol. */
export class RpcFault extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** What a handler knows of a request. */
export interface Asked {
  params: Json
  meta: Json
  isStateless: boolean
  /** What the client of this request can do. */
  capabilities: Json
  /** Asks the client, in the era of sessions. */
  ask(method: string, params: Json): Promise<Json>
  tell(method: string, params?: Json): void
  /** Tells everybody who listens that a list has changed. */
  changed(kind: 'tools' | 'prompts'): void
}

const META = 'io.modelcontextprotocol/'
const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
}
const INFO = { name: 'conformance-server', version: '1.0.0' }
const SESSION_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26']

const [only] = process.argv.slice(2)
let sessionCapabilities: Json = {}
let lastId = 0
const waiting = new Map<unknown, { resolve(result: Json): void; reject(error: Error): void }>()
const subscriptions = new Map<unknown, Json>()

const say = (message: Json) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

function changed(kind: 'tools' | 'prompts'): void {
  const method = `notifications/${kind}/list_changed`
  for (const [id, wanted] of subscriptions)
    if (wanted[`${kind}ListChanged`] === true)
      say({ method, params: { _meta: { [`${META}subscriptionId`]: id } } })
  if (subscriptions.size === 0) say({ method })
}

function ask(method: string, params: Json): Promise<Json> {
  const id = `ask-${++lastId}`
  say({ id, method, params })
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
}

async function answerTo(method: string, asked: Asked, id: unknown): Promise<Json | undefined> {
  const { params, isStateless } = asked
  const kept = isStateless ? { ttlMs: 0, cacheScope: 'private' } : {}
  switch (method) {
    case 'server/discover':
      return {
        supportedVersions: ['2026-07-28'],
        capabilities: CAPABILITIES,
        ...kept,
        _meta: { [`${META}serverInfo`]: INFO },
      }
    case 'tools/list':
      return { tools: TOOLS, ...kept }
    case 'tools/call':
      return callTool(asked)
    case 'prompts/list':
      return { prompts: PROMPTS, ...kept }
    case 'prompts/get':
      return promptOf(asked)
    case 'resources/list':
      return { resources: RESOURCES, ...kept }
    case 'resources/templates/list':
      return { resourceTemplates: TEMPLATES, ...kept }
    case 'resources/read':
      return { ...readResource(String(params.uri)), ...kept }
    case 'completion/complete':
      return { completion: { values: ['paris', 'park'], total: 2, hasMore: false } }
    case 'subscriptions/listen': {
      if (!isStateless) break
      const notifications = (params.notifications ?? {}) as Json
      subscriptions.set(id, notifications)
      const acknowledged = { notifications, _meta: { [`${META}subscriptionId`]: id } }
      say({ method: 'notifications/subscriptions/acknowledged', params: acknowledged })
      return undefined
    }
    case 'initialize': {
      if (isStateless) break
      sessionCapabilities = (params.capabilities ?? {}) as Json
      const wanted = String(params.protocolVersion)
      const protocolVersion = SESSION_REVISIONS.includes(wanted) ? wanted : SESSION_REVISIONS[0]
      return { protocolVersion, capabilities: CAPABILITIES, serverInfo: INFO }
    }
    case 'ping':
    case 'logging/setLevel':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      if (!isStateless) return {}
  }
  throw new RpcFault(-32601, `Method not found: ${method}`)
}

async function handle(message: Json): Promise<void> {
  const { id, method, params = {}, result, error } = message as Json & { params?: Json }
  if (typeof method !== 'string') {
    const settle = waiting.get(id)
    waiting.delete(id)
    if (error) settle?.reject(new Error(String((error as Json).message)))
    else settle?.resolve((result ?? {}) as Json)
    return
  }
  if (method === 'notifications/cancelled') subscriptions.delete(params.requestId)
  if (id === undefined) return
  const meta = (params._meta ?? {}) as Json
  const version = meta[`${META}protocolVersion`]
  const isStateless = version !== undefined || method === 'server/discover'
  try {
    if (only !== undefined && (only === 'stateless') !== isStateless)
      throw new RpcFault(-32601, `Method not found: ${method}`)
    if (isStateless) checkMeta(version, meta)
    const asked: Asked = {
      params,
      meta,
      isStateless,
      capabilities: isStateless ? (meta[`${META}clientCapabilities`] as Json) : sessionCapabilities,
      ask,
      tell: (told, more) => say({ method: told, ...(more ? { params: more } : {}) }),
      changed,
    }
    const answer = await answerTo(method, asked, id)
    if (answer) say({ id, result: { ...(isStateless ? { resultType: 'complete' } : {}), ...answer } })
  } catch (fault) {
    const { code = -32603, message: text, data } = fault as RpcFault
    say({ id, error: { code, message: text, ...(data === undefined ? {} : { data }) } })
  }
}

function checkMeta(version: unknown, meta: Json): void {
  if (version !== '2026-07-28')
    throw version === undefined
      ? new RpcFault(-32602, 'protocolVersion is missing')
      : new RpcFault(-32022, 'Unsupported protocol version', {
          supported: ['2026-07-28'],
          requested: version,
        })
  if (typeof meta[`${META}clientCapabilities`] !== 'object')
    throw new RpcFault(-32602, 'clientCapabilities are missing')
}

/** A moment of work. */
export const work = () => sleep(50)

if (import.meta.main) {
  const lines = createInterface({ input: process.stdin })
  lines.on('line', line => void handle(JSON.parse(line) as Json))
  lines.on('close', () => process.exit(0))
}
