import type { McpHttpHandler } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { AskingAgain } from '../../mcp/asking-again.ts'
import { isSessionName } from '../../mcp/server/session.ts'
import { type Rights, Told, type ToolHost } from '../../mcp/server/tool.ts'
import type { Facilities } from '../facilities.ts'
import type { Previews } from '../previews.ts'
import { Problem } from '../problem.ts'
import { type Caller, type Route, route } from '../route.ts'
import { includes } from '../scope.ts'

/** The header in which a client names its session. */
export const SESSION_HEADER = 'mulligan-session'

/** Carries the name of the caller to the server that answers. */
const CALLER_HEADER = 'mulligan-caller'

/** Collaborators of the MCP endpoint. */
export interface McpRouteDeps {
  facilities: Facilities
  previews: Previews
  /** Version of this package. */
  version: string
  /** Called with unexpected errors. */
  onError: (error: unknown) => void
}

/** MCP over streamable HTTP: the tools of `mulligan mcp`, for both eras of the protocol, without protocol sessions. */
export class McpEndpoint {
  readonly #deps: McpRouteDeps
  readonly #host: ToolHost
  /** By whether they may change anything. */
  readonly #handlers = new Map<boolean, Promise<McpHttpHandler>>()

  constructor(deps: McpRouteDeps) {
    const { facilities, previews } = deps
    this.#deps = deps
    this.#host = {
      facilities,
      previews,
      runsHere: true,
      answered: new Told(),
      shown: new Told(),
      askingAgain: new AskingAgain(),
    }
  }

  get routes(): readonly Route[] {
    return [
      route({
        method: 'post',
        path: '/mcp',
        id: 'mcp',
        summary: 'The Model Context Protocol (streamable HTTP): the tools of "mulligan mcp"; docs/mcp.md',
        demand: 'look',
        body: z.unknown(),
        answers: {
          200: { description: 'An answer of JSON-RPC, as JSON or as an event stream' },
          202: { description: 'A notification was taken' },
        },
        run: async ({ request, body, caller, signal }) => {
          sessionIn(request.headers)
          const { method, url } = request
          const headers = new Headers(request.headers)
          // Ours alone: what a client sends under this name is replaced.
          headers.set(CALLER_HEADER, encodeURIComponent(caller?.name ?? ''))
          const handler = await this.#handlerFor(rightsOf(caller))
          return handler.fetch(new Request(url, { method, headers, signal }), { parsedBody: body })
        },
      }),
    ]
  }

  /** Ends open streams. */
  async close(): Promise<void> {
    const handlers = await Promise.all(this.#handlers.values())
    await Promise.all(handlers.map(handler => handler.close()))
  }

  #handlerFor(rights: Rights): Promise<McpHttpHandler> {
    const known = this.#handlers.get(rights.readOnly)
    if (known) return known
    const made = this.#makeHandler(rights)
    this.#handlers.set(rights.readOnly, made)
    return made
  }

  async #makeHandler(rights: Rights): Promise<McpHttpHandler> {
    // Loaded with the first request: most daemons never get one.
    const [{ createMcpHandler }, { mcpServerOf }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('../../mcp/server/server.ts'),
    ])
    const { version, onError } = this.#deps
    return createMcpHandler(({ requestInfo }) => {
      const session = requestInfo && sessionIn(requestInfo.headers)
      const cameBy = decodeURIComponent(requestInfo?.headers.get(CALLER_HEADER) ?? '')
      return mcpServerOf({
        host: this.#host,
        rights,
        version,
        sessionOf: async () => session,
        onError,
        ...(cameBy === '' ? {} : { cameBy }),
      })
    })
  }
}

/** Only a full token changes anything: a signed-in browser would have to send its csrf value, which no MCP client does. */
function rightsOf(caller: Caller | undefined): Rights {
  const readOnly = !caller || !includes(caller.scope, 'operate') || caller.browser !== undefined
  return { readOnly, allowLabel: false, asPerson: false }
}

/** The session that a client names. Throws a {@link Problem}. */
function sessionIn(headers: Headers): string | undefined {
  const given = headers.get(SESSION_HEADER) ?? ''
  if (given === '') return undefined
  if (isSessionName(given)) return given
  throw new Problem(
    400,
    'invalid',
    `${SESSION_HEADER}: give the name of a session without spaces, at most 200 characters`,
  )
}
