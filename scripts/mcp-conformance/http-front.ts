import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'

// Takes a server that speaks over stdio to HTTP, because the suite speaks nothing else: one process for each session, and one
// for all requests of the stateless era. It checks nothing: what the suite finds in transports is this file's, not the server's.

type Json = Record<string, unknown>

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'
const VERSION = 'io.modelcontextprotocol/protocolVersion'

/** Statuses that errors of the stateless era go with. */
const STATUS: Readonly<Record<number, number>> = {
  [-32601]: 404,
  [-32602]: 400,
  [-32020]: 400,
  [-32021]: 400,
  [-32022]: 400,
}

interface Open {
  id: unknown
  token: unknown
  isStateless: boolean
  response: ServerResponse
}

/** One process of the server. */
class Backend {
  readonly #child: ChildProcess
  readonly #open = new Map<number, Open>()
  #listener: ServerResponse | undefined
  #lastId = 0

  constructor([command = '', ...args]: readonly string[]) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on('line', line =>
      this.#heard(JSON.parse(line) as Json),
    )
  }

  send(message: Json, response: ServerResponse): void {
    const { id, method, params } = message as { id?: unknown; method?: unknown; params?: Json }
    if (method === undefined || id === undefined) {
      this.#say(message)
      response.writeHead(202).end()
      return
    }
    const own = ++this.#lastId
    const meta = (params?._meta ?? {}) as Json
    const isStateless = meta[VERSION] !== undefined || method === 'server/discover'
    this.#open.set(own, { id, token: meta.progressToken, isStateless, response })
    response.once('close', () => {
      if (this.#open.delete(own)) this.#say({ method: 'notifications/cancelled', params: { requestId: own } })
    })
    this.#say({ ...message, id: own })
  }

  listen(response: ServerResponse): void {
    this.#listener = response
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  }

  stop(): void {
    this.#child.kill()
  }

  #say(message: Json): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  #heard(message: Json): void {
    const { id, method, params } = message as { id?: number; method?: string; params?: Json }
    if (method === undefined) {
      const open = this.#open.get(id as number)
      if (!open) return
      this.#open.delete(id as number)
      answer(open, { ...message, id: open.id })
      return
    }
    const meta = (params?._meta ?? {}) as Json
    const subscribed = this.#open.get(meta[SUBSCRIPTION] as number)
    if (subscribed) {
      const told = { ...params, _meta: { ...meta, [SUBSCRIPTION]: subscribed.id } }
      stream(subscribed.response, { ...message, params: told })
      return
    }
    const all = [...this.#open.values()]
    const asked = all.find(({ token }) => token !== undefined && token === params?.progressToken) ?? all[0]
    const to = asked?.response ?? this.#listener
    if (to) stream(to, message)
  }
}

function stream(response: ServerResponse, message: Json): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
}

function answer({ response, isStateless }: Open, message: Json): void {
  if (response.headersSent) {
    stream(response, message)
    response.end()
    return
  }
  const { code } = (message.error ?? {}) as { code?: number }
  const status = isStateless && code !== undefined ? (STATUS[code] ?? 200) : 200
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(message))
}

/** Serves what these words start, on a free port. */
export async function startFront(argv: readonly string[]): Promise<{ url: string; stop(): void }> {
  const sessions = new Map<string, Backend>()
  const stateless = new Backend(argv)
  const server: Server = createServer((request, response) => void serve(request, response))
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = request.headers['mcp-session-id']
    const session = typeof name === 'string' ? sessions.get(name) : undefined
    if (typeof name === 'string' && !session) return void response.writeHead(404).end()
    if (request.method === 'DELETE' && typeof name === 'string') {
      session?.stop()
      sessions.delete(name)
      return void response.writeHead(200).end()
    }
    if (request.method === 'GET' && session) return session.listen(response)
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const message = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Json
    const isHello =
      message.method === 'initialize' && request.headers['mcp-protocol-version'] !== '2026-07-28'
    if (!isHello) return (session ?? stateless).send(message, response)
    const started = new Backend(argv)
    const id = randomUUID()
    sessions.set(id, started)
    response.setHeader('mcp-session-id', id)
    started.send(message, response)
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    stop: () => {
      for (const backend of [...sessions.values(), stateless]) backend.stop()
      server.closeAllConnections()
      server.close()
    },
  }
}
