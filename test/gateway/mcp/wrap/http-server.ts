import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { REVISION } from '../../../../src/gateway/mcp/era.ts'

type Json = Record<string, unknown>

/** A request for {@link httpServer}, and the response to write. */
export interface HttpExchange {
  id: unknown
  method: string
  params: Json
  response: ServerResponse
  /** Answers with a result. */
  answer(result: Json): void
}

/** An MCP server over HTTP in this process; each test says how it behaves. */
export interface TestHttpServer {
  url: string
  close(): Promise<void>
}

/**
 * Starts a server that greets in one era and lists one tool, `work`.
 * @param handle handles a request; false to leave it to the server
 * @param listen handles the stream of a session. Default: there is none
 */
export async function httpServer(
  era: 'session' | 'stateless',
  handle: (exchange: HttpExchange) => boolean,
  listen?: (response: ServerResponse) => void,
): Promise<TestHttpServer> {
  const server = createServer((request, response) => void serve(request, response))
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'GET' && listen) return listen(response)
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { id, method, params = {} } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    if (id === undefined) return void response.writeHead(202).end()
    const say = (message: Json) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...message }))
    const answer = (result: Json) => say({ result: { resultType: 'complete', ...result } })
    if (handle({ id, method, params, response, answer })) return
    const result = GREETINGS[era][method]
    if (result) answer(result)
    else say({ error: { code: -32601, message: 'Method not found' } })
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: () => {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
}

const SERVER = { name: 'scripted', version: '1' }
const CAPABILITIES = { tools: { listChanged: true } }
const TOOLS = { tools: [{ name: 'work', inputSchema: { type: 'object' } }] }

const GREETINGS: Readonly<Record<'session' | 'stateless', Readonly<Record<string, Json>>>> = {
  session: {
    initialize: { protocolVersion: REVISION.session, capabilities: CAPABILITIES, serverInfo: SERVER },
    'tools/list': TOOLS,
  },
  stateless: {
    'server/discover': {
      supportedVersions: [REVISION.stateless],
      capabilities: CAPABILITIES,
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': SERVER },
    },
    'tools/list': { ...TOOLS, ttlMs: 0, cacheScope: 'private' },
  },
}
