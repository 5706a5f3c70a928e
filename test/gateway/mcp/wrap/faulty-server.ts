import { appendFileSync, closeSync, existsSync, mkdirSync, writeFileSync, writeSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

/*
 * An MCP server that fails on command, in either era, over stdio or HTTP. Every effect is one line in a file, so that a
 * call that was carried out twice is seen. A fault happens to a call once: what is sent again works.
 *
 * node faulty-server.ts FOLDER [session|stateless|both] [http]
 * FAULT_START=exit|hang|garbage|login|slow  says how it starts
 *
 * Tools t1, t2, … are there too, unlisted. The argument `says` is what a call fails with as a tool, `error` as the protocol.
 */

type Json = Record<string, unknown>

const [folder = '.', era = 'both', transport = 'stdio'] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
appendFileSync(join(folder, 'starts'), `${process.pid}\n`)
// A file does not make another server of it, as a variable would.
const start = process.env.FAULT_START ?? ['hang', 'exit'].find(file => existsSync(join(folder, file)))

const FAULTS =
  'none, die_before, die_after, die_during, hang, error_32000, error_32001, throttled, throttled_long, garbage, wrong_id, no_result, batch, deep_error, log, deaf, progress, and over HTTP status_429, status_503, status_500, status_409, status_400, status_401, cut'

const schema = {
  type: 'object',
  properties: { id: { type: 'string' }, fault: { type: 'string', description: FAULTS } },
  required: ['id'],
}
const TOOLS = [
  { name: 'write', description: 'Has an effect.', inputSchema: schema },
  { name: 'read', description: 'Has none.', inputSchema: schema, annotations: { readOnlyHint: true } },
  { name: 'put', description: 'The same twice.', inputSchema: schema, annotations: { idempotentHint: true } },
  { name: 'atomic', description: 'Declared atomic by tests.', inputSchema: schema },
  {
    name: 'find',
    description: 'Says whether an effect is there.',
    inputSchema: { ...schema, properties: { id: { type: 'string', 'x-mcp-header': 'Id' } } },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'huge',
    description: 'maximum stays as it is',
    inputSchema: { type: 'object', properties: { n: { type: 'integer', maximum: 0 } } },
  },
]

/** Beyond what a JavaScript number holds: only bytes that are passed on as they came keep it. */
const asText = (message: Json) =>
  JSON.stringify(message).replace('"maximum":0', '"maximum":18446744073709551615')

interface Out {
  /** Sends a message. */
  say(message: Json): void
  /** Sends bytes. */
  raw(text: string): void
  /** Refuses over HTTP. */
  refuse?(status: number, headers?: Record<string, string>, body?: Json): void
  /** Breaks the connection. */
  cut?(): void
}

/** Reads nothing any more, and is at its end. */
let isDeaf = false

function isFirstTime(id: string, fault: string): boolean {
  const file = join(folder, `faulted-${id}-${fault}`)
  if (existsSync(file)) return false
  writeFileSync(file, '')
  return true
}

function effect(tool: string, id: string): void {
  if (tool !== 'read' && tool !== 'find') appendFileSync(join(folder, 'effects'), `${id}\n`)
  else appendFileSync(join(folder, 'reads'), `${id}\n`)
}

function die(): never {
  process.stderr.write('faulty server: dying now, api_key=sk-test-1234567890abcdefghij\n')
  process.exit(3)
}

async function callTool(id: unknown, params: Json, out: Out): Promise<void> {
  const { name, arguments: args = {} } = params as { name: string; arguments?: Json }
  const call = String((args as Json).id ?? '')
  const fault = String((args as Json).fault ?? 'none')
  const meta = (params._meta ?? {}) as Json
  const answer = (result: Json) =>
    out.say({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } })
  const text = (value: string) => ({ content: [{ type: 'text', text: value }] })
  if (name === 'find') {
    const { readFileSync } = await import('node:fs')
    const file = join(folder, 'effects')
    const done = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
    answer(text(done.includes(call) ? `found ${call}` : 'nothing'))
    return
  }
  const { says, error, also } = args as { says?: string; error?: Json; also?: Json }
  if (error) return out.say({ jsonrpc: '2.0', id, error })
  if (says !== undefined) return answer({ ...text(says), isError: true, ...also })
  if (!TOOLS.some(tool => tool.name === name) && !/^t\d+$/.test(name)) {
    out.say({ jsonrpc: '2.0', id, error: { code: -32602, message: `Unknown tool: ${name}` } })
    return
  }
  if (fault !== 'none' && isFirstTime(call, fault)) {
    switch (fault) {
      case 'die_before':
        return die()
      case 'die_after':
        effect(name, call)
        return die()
      case 'die_during':
        effect(name, call)
        out.raw('{"jsonrpc":"2.0","id":')
        return die()
      case 'hang':
        effect(name, call)
        return
      case 'error_32000':
        effect(name, call)
        out.say({ jsonrpc: '2.0', id, error: { code: -32000, message: 'Server error' } })
        return
      case 'error_32001':
        effect(name, call)
        out.say({ jsonrpc: '2.0', id, error: { code: -32001, message: 'Request timed out' } })
        return
      case 'throttled':
        answer({ ...text('Error 429: rate limit exceeded, try again in 0.2 seconds'), isError: true })
        return
      case 'throttled_long':
        answer({ ...text('Error 429: rate limit exceeded, try again in 60 seconds'), isError: true })
        return
      case 'garbage':
        out.raw('this is a log line, no JSON\n{"also": "nothing"}\n')
        break
      case 'wrong_id':
        effect(name, call)
        out.say({ jsonrpc: '2.0', id: 'somebody-else', result: text('wrong') })
        return
      case 'no_result':
        effect(name, call)
        out.say({ jsonrpc: '2.0', id, result: null })
        return
      case 'batch':
        effect(name, call)
        out.raw(`${JSON.stringify([{ jsonrpc: '2.0', id, result: text(`done ${call}`) }])}\n`)
        return
      case 'deep_error': {
        effect(name, call)
        const data = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
        out.raw(
          `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32000,"message":"x","data":${data}}}\n`,
        )
        return
      }
      case 'deaf':
        isDeaf = true
        closeSync(0)
        setTimeout(() => process.exit(3), 200)
        break
      case 'log':
        out.say({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: call } })
        break
      case 'progress':
        for (let step = 1; step <= 5; step++) {
          await sleep(60)
          out.say({
            jsonrpc: '2.0',
            method: 'notifications/progress',
            params: { progressToken: meta.progressToken, progress: step, total: 5 },
          })
        }
        break
      case 'status_429':
        return out.refuse?.(429, { 'retry-after': '1' })
      case 'status_503':
        return out.refuse?.(503, { 'retry-after': '1' })
      case 'status_500':
        effect(name, call)
        return out.refuse?.(500)
      case 'status_409':
        effect(name, call)
        return out.refuse?.(409)
      case 'status_400':
        effect(name, call)
        return out.refuse?.(
          400,
          {},
          { jsonrpc: '2.0', id, error: { code: -32603, message: 'the checkout session is open' } },
        )
      case 'status_401':
        return out.refuse?.(401)
      case 'cut':
        effect(name, call)
        return out.cut?.()
    }
  }
  effect(name, call)
  answer(text(`done ${call}`))
}

async function handle(message: Json, out: Out): Promise<void> {
  const { id, method, params = {} } = message as { id?: unknown; method?: string; params?: Json }
  const meta = (params._meta ?? {}) as Json
  const isStateless = meta['io.modelcontextprotocol/protocolVersion'] !== undefined
  if (id === undefined) {
    if (method === 'notifications/cancelled')
      appendFileSync(join(folder, 'cancelled'), `${String(params.requestId)} ${String(params.reason)}\n`)
    return
  }
  const error = (code: number, text: string) =>
    out.say({ jsonrpc: '2.0', id, error: { code, message: text } })
  if (method === 'initialize' || method === 'server/discover')
    appendFileSync(join(folder, 'hellos'), `${method}\n`)
  if (method === 'server/discover' && existsSync(join(folder, 'mute'))) return
  if (method === 'initialize') {
    if (era === 'stateless') return error(-32022, 'Unsupported protocol version')
    const result = {
      protocolVersion: (params as { protocolVersion: string }).protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'faulty', version: '1.0.0' },
    }
    return out.say({ jsonrpc: '2.0', id, result })
  }
  if (era === 'session' ? method === 'server/discover' : era === 'stateless' && !isStateless)
    return error(-32601, 'Method not found')
  const kept = isStateless ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {}
  switch (method) {
    case 'server/discover':
      return out.say({
        jsonrpc: '2.0',
        id,
        result: {
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: { listChanged: true } },
          ...kept,
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'faulty', version: '1.0.0' } },
        },
      })
    case 'ping':
      return out.say({ jsonrpc: '2.0', id, result: {} })
    case 'tools/list': {
      const extra = ['extra', 'mulligan_result']
        .filter(file => existsSync(join(folder, file)))
        .map(name => ({ name, inputSchema: schema }))
      if (params.cursor === 'second') {
        const annotations = { readOnlyHint: true }
        const tools = [{ name: 'on_second_page', inputSchema: schema, annotations }]
        return out.say({ jsonrpc: '2.0', id, result: { tools, ...kept } })
      }
      const more = existsSync(join(folder, 'pages')) ? { nextCursor: 'second' } : {}
      return out.say({ jsonrpc: '2.0', id, result: { tools: [...TOOLS, ...extra], ...more, ...kept } })
    }
    case 'logging/setLevel':
      appendFileSync(join(folder, 'levels'), `${String(params.level)}\n`)
      return out.say({ jsonrpc: '2.0', id, result: {} })
    case 'resources/subscribe':
      appendFileSync(join(folder, 'subscribed'), `${String(params.uri)}\n`)
      return out.say({ jsonrpc: '2.0', id, result: {} })
    case 'subscriptions/listen':
      appendFileSync(join(folder, 'listens'), `${String(id)}\n`)
      return out.say({
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: {}, _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
      })
    case 'tools/call':
      return callTool(id, params, out)
    case 'future/method':
      return out.say({
        jsonrpc: '2.0',
        id,
        result: { echoed: params, ...(isStateless ? { resultType: 'complete' } : {}) },
      })
    default:
      return error(-32601, 'Method not found')
  }
}

function overStdio(): void {
  const out: Out = {
    say: message => void writeSync(1, `${asText(message)}\n`),
    raw: text => void writeSync(1, text),
  }
  const lines = createInterface({ input: process.stdin })
  lines.on('line', line => void handle(JSON.parse(line) as Json, out))
  lines.on('close', () => {
    if (!isDeaf) process.exit(0)
  })
}

async function overHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end()
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const message = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Json
  const wanted = request.headers['mcp-param-id']
  if (wanted !== undefined) appendFileSync(join(folder, 'headers'), `${String(wanted)}\n`)
  if (message.id === undefined) response.writeHead(202).end()
  let streamed = false
  await handle(message, {
    say: said => {
      if (message.id === undefined) return
      if (said.id === undefined) {
        if (!streamed) response.writeHead(200, { 'content-type': 'text/event-stream' })
        streamed = true
        response.write(`event: message\ndata: ${asText(said)}\n\n`)
      } else if (streamed) response.end(`event: message\ndata: ${asText(said)}\n\n`)
      else {
        const session = message.method === 'initialize' ? { 'mcp-session-id': 'session-1' } : {}
        response.writeHead(200, { 'content-type': 'application/json', ...session }).end(asText(said))
      }
    },
    raw: () => {},
    refuse: (status, headers = {}, body?: Json) =>
      void response.writeHead(status, headers).end(body ? asText(body) : 'refused'),
    cut: () => request.socket.destroy(),
  })
}

switch (start) {
  case 'exit':
    process.stderr.write(
      'faulty server: cannot find its database, token=ghp_abcdefghijklmnopqrstuvwxyz0123456789\n',
    )
    process.exit(1)
    break
  case 'login':
    process.stderr.write('Error: not logged in. Please run "faulty login" first\n')
    process.exit(1)
    break
  case 'garbage':
    process.stdout.write('Welcome to the faulty server!\nIt logs to stdout.\n')
    break
  case 'hang':
    setInterval(() => {}, 1_000)
    break
  case 'slow':
    await sleep(Number(process.env.FAULT_SLOW_MS ?? 1_000))
    break
}
if (transport === 'http') {
  // Loading it takes as long as the rest of the start, and most servers speak over pipes.
  const { createServer } = await import('node:http')
  const server = createServer((request, response) => void overHttp(request, response))
  server.listen(Number(process.env.FAULT_PORT ?? 0), '127.0.0.1', () => {
    process.stdout.write(`${(server.address() as { port: number }).port}\n`)
  })
} else if (start !== 'hang') overStdio()
