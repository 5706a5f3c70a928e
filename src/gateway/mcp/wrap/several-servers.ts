import { setTimeout as sleep } from 'node:timers/promises'
import { present } from '../../../failure/present.ts'
import { type Era, META, REVISION, SESSION_REVISIONS } from '../era.ts'
import { lineOf, type RequestId, type RpcMessage, readMessage, resultLine } from '../json-rpc.ts'
import { elementsAt, replaced, spanOf } from '../json-text.ts'
import type { ServerSide } from './server-side.ts'
import type { Request } from './translate.ts'
import type { Client } from './upstream.ts'
import type { WrappedServer } from './wrapped-server.ts'

/** A server that takes longer to list what it has is left out, and its client told when it has answered; in milliseconds. */
const LIST_WAIT_MS = 5_000

/** Lists that are put together, and the key of their elements. */
const LISTS: Readonly<Record<string, { key: string; isNamed: boolean }>> = {
  'tools/list': { key: 'tools', isNamed: true },
  'prompts/list': { key: 'prompts', isNamed: true },
  'resources/list': { key: 'resources', isNamed: false },
  'resources/templates/list': { key: 'resourceTemplates', isNamed: false },
}

/** What several servers together can do: a client that asks for something that none has gets an empty list. */
const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {},
  completions: {},
}

interface Part {
  server: WrappedServer
  /** The prefix of its tool and prompt names. */
  prefix: string
}

/** Several servers as one: tool and prompt names have their server's prefix. A slow server delays no other. */
export class SeveralServers implements ServerSide {
  readonly #parts: readonly Part[]
  readonly #toClient: (line: Buffer) => void
  readonly #owners = new Map<string, Part>()
  /** Requests of servers that the client has not answered, by the id that the client knows. */
  readonly #asked = new Map<RequestId, { part: Part; id: RequestId }>()
  #askedIds = 0
  #client: Client = { identity: { info: undefined, capabilities: {} }, era: 'session' }

  constructor(servers: readonly WrappedServer[], toClient: (line: Buffer) => void) {
    this.#parts = servers.map(server => ({
      server,
      prefix: `${server.settings.prefix ?? server.settings.name}_`,
    }))
    this.#toClient = toClient
  }

  meet(client: Client): void {
    this.#client = client
    for (const { server } of this.#parts) server.meet(client)
  }

  async greet(client: Client): Promise<string> {
    this.meet(client)
    // No server waits for another: one that is not up yet is asked when something of it is needed.
    for (const { server } of this.#parts) server.greet(client).catch(() => {})
    const info = { name: 'mulligan', version: '0' }
    const { revision } = client
    return JSON.stringify(
      client.era === 'session'
        ? {
            protocolVersion:
              revision !== undefined && SESSION_REVISIONS.includes(revision) ? revision : REVISION.session,
            capabilities: CAPABILITIES,
            serverInfo: info,
          }
        : {
            supportedVersions: [REVISION.stateless],
            capabilities: CAPABILITIES,
            ...kept(client.era),
            _meta: { [META.serverInfo]: info },
          },
    )
  }

  async request(line: Buffer, message: Request, signal: AbortSignal): Promise<Buffer | undefined> {
    const { id, method, params = {} } = message
    if (Object.hasOwn(LISTS, method)) return this.#list(message, signal)
    if (method === 'ping') return resultLine(id, '{}')
    if (method === 'tools/call' || method === 'prompts/get')
      return this.#named(line, message, ['params', 'name'], params.name, signal)
    if (method === 'completion/complete') {
      const { name } = (params.ref ?? {}) as { name?: unknown }
      if (typeof name === 'string') return this.#named(line, message, ['params', 'ref', 'name'], name, signal)
    }
    if (method === 'logging/setLevel') {
      // Not awaited: a server that is down must not delay the others, and is told when it starts.
      for (const { server } of this.#parts) void server.request(line, message, signal).catch(() => {})
      return resultLine(id, '{}')
    }
    const owner = typeof params.uri === 'string' ? this.#owners.get(params.uri) : undefined
    return owner ? owner.server.request(line, message, signal) : this.#anyone(line, message, signal)
  }

  tell(line: Buffer, message: RpcMessage): void {
    if (message.type !== 'response') {
      for (const { server } of this.#parts) server.tell(line, message)
      return
    }
    const asked = this.#asked.get(message.id)
    if (!asked) return
    this.#asked.delete(message.id)
    asked.part.server.tell(withId(line, asked.id), { ...message, id: asked.id })
  }

  /** What one of them says unasked, for the client: two servers may use the same id. */
  said(server: WrappedServer, line: Buffer): void {
    const message = readMessage(line)
    const part = this.#parts.find(known => known.server === server)
    if (message.type !== 'request' || !part) {
      this.#toClient(line)
      return
    }
    const id = `${part.prefix}${++this.#askedIds}`
    this.#asked.set(id, { part, id: message.id })
    this.#toClient(withId(line, id))
  }

  flow(isOpen: boolean): void {
    for (const { server } of this.#parts) server.flow(isOpen)
  }

  async close(): Promise<void> {
    await Promise.all(this.#parts.map(({ server }) => server.close()))
  }

  async #list({ id, method }: Request, signal: AbortSignal): Promise<Buffer> {
    const { key, isNamed } = LISTS[method] as { key: string; isNamed: boolean }
    const lists = await Promise.all(
      this.#parts.map(async part => {
        const listing = this.#elements(part, method, key, signal)
        const elements = await Promise.race([listing, sleep(LIST_WAIT_MS, undefined, { ref: false })])
        if (elements) return { part, elements }
        const kind = method.split('/', 1)[0]
        void listing.then(() => this.#toClient(lineOf({ method: `notifications/${kind}/list_changed` })))
        return { part, elements: [] }
      }),
    )
    const all = lists.flatMap(({ part, elements }) =>
      elements.map(text => {
        if (isNamed) return withPrefix(text, part.prefix)
        this.#own(text, part)
        return text
      }),
    )
    const more = Object.entries(kept(this.#client.era)).map(
      ([name, value]) => `,"${name}":${JSON.stringify(value)}`,
    )
    return resultLine(id, `{"${key}":[${all.join(',')}]${more.join('')}}`)
  }

  /** All pages of one server; none if it has no such list, or cannot be asked. */
  async #elements({ server }: Part, method: string, key: string, signal: AbortSignal): Promise<string[]> {
    const elements: string[] = []
    let cursor: string | undefined
    do {
      const params = { ...present({ cursor }), ...this.#meta }
      const message = { id: `mulligan:list:${++this.#askedIds}`, method, params }
      const answer = await server.request(lineOf(message), { type: 'request', ...message }, signal)
      const text = answer?.toString('utf8') ?? ''
      const span = text === '' ? undefined : spanOf(text, ['result', key])
      if (!span) return elements
      for (const { start, end } of elementsAt(text, span.start)) elements.push(text.slice(start, end))
      const next = readMessage(text)
      const following = next.type === 'response' ? next.result?.nextCursor : undefined
      cursor = typeof following === 'string' && following !== cursor ? following : undefined
    } while (cursor !== undefined)
    return elements
  }

  /** What every request of the stateless era says of its client. */
  get #meta(): { _meta?: Record<string, unknown> } {
    const { era, identity } = this.#client
    if (era === 'session') return {}
    return {
      _meta: {
        [META.version]: REVISION.stateless,
        ...(identity.info === undefined ? {} : { [META.clientInfo]: identity.info }),
        [META.clientCapabilities]: identity.capabilities,
      },
    }
  }

  #own(text: string, part: Part): void {
    const { uri } = JSON.parse(text) as { uri?: unknown }
    if (typeof uri === 'string') this.#owners.set(uri, part)
  }

  #named(
    line: Buffer,
    message: Request,
    path: readonly string[],
    name: unknown,
    signal: AbortSignal,
  ): Promise<Buffer | undefined> {
    const part = this.#parts
      .filter(({ prefix }) => typeof name === 'string' && name.startsWith(prefix))
      .sort((a, b) => b.prefix.length - a.prefix.length)[0]
    if (!part || typeof name !== 'string') {
      const prefixes = this.#parts.map(({ prefix }) => `${prefix}…`).join(', ')
      const text = `Unknown name: ${String(name)}; names here begin with ${prefixes}`
      return Promise.resolve(lineOf({ id: message.id, error: { code: -32602, message: text } }))
    }
    const text = line.toString('utf8').trimEnd()
    const span = spanOf(text, path)
    const own = span
      ? replaced(text, [{ ...span, by: JSON.stringify(name.slice(part.prefix.length)) }])
      : text
    return part.server.request(Buffer.from(`${own}\n`), readMessage(own) as Request, signal)
  }

  /** The owner is unknown: returns the first successful answer, else the last one. */
  async #anyone(line: Buffer, message: Request, signal: AbortSignal): Promise<Buffer | undefined> {
    let last: Buffer | undefined
    for (const { server } of this.#parts) {
      last = await server.request(line, message, signal)
      const answer = last && readMessage(last)
      if (answer?.type === 'response' && !answer.error) return last
    }
    return last
  }
}

function kept(era: Era): Record<string, unknown> {
  return era === 'session' ? {} : { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
}

/** A tool or prompt under its name with the prefix. */
function withPrefix(text: string, prefix: string): string {
  const span = spanOf(text, ['name'])
  if (!span) return text
  const name = JSON.parse(text.slice(span.start, span.end)) as string
  return replaced(text, [{ ...span, by: JSON.stringify(`${prefix}${name}`) }])
}

function withId(line: Buffer, id: RequestId): Buffer {
  const text = line.toString('utf8')
  const span = spanOf(text, ['id'])
  return span ? Buffer.from(replaced(text, [{ ...span, by: JSON.stringify(id) }])) : line
}
