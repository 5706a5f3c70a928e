import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** Slack's API with Socket Mode: shows what it was asked and told through its connections. For tests. */
export class SocketMode {
  readonly #asked: { method: string; token: string | undefined; body: Record<string, unknown> }[] = []
  readonly #server: Server
  readonly #sockets: WebSocketServer
  readonly #open = new Set<WebSocket>()
  /** What the app said through its connections. */
  readonly said: unknown[] = []
  /** Connections that were ever made. */
  connections = 0
  /** The error that questions for a connection are refused with. */
  refusal: string | undefined
  /** Whether it greets who connects. */
  greets = true
  url = ''

  private constructor() {
    this.#server = createServer(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += chunk
      const method = (request.url ?? '').slice(1)
      const token = request.headers.authorization?.replace('Bearer ', '')
      this.#asked.push({ method, token, body: JSON.parse(text || '{}') })
      const isOpening = method === 'apps.connections.open'
      const answer =
        isOpening && this.refusal
          ? { ok: false, error: this.refusal }
          : { ok: true, ts: '77.1', ...(isOpening ? { url: this.url.replace('http', 'ws') } : {}) }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
    this.#sockets = new WebSocketServer({ server: this.#server })
    this.#sockets.on('connection', socket => {
      this.connections++
      this.#open.add(socket)
      socket.on('message', data => this.said.push(JSON.parse(String(data))))
      socket.on('close', () => this.#open.delete(socket))
      if (this.greets) socket.send(JSON.stringify({ type: 'hello' }))
    })
  }

  static async start(): Promise<SocketMode> {
    const slack = new SocketMode()
    await new Promise<void>(resolve => slack.#server.listen(0, '127.0.0.1', resolve))
    slack.url = `http://127.0.0.1:${(slack.#server.address() as AddressInfo).port}`
    return slack
  }

  /** The questions of one method: with which token, and the body. */
  asked(method: string): { token: string | undefined; body: Record<string, unknown> }[] {
    return this.#asked.filter(asked => asked.method === method).map(({ token, body }) => ({ token, body }))
  }

  /** The values of the buttons of the last message that was posted. */
  buttons(): string[] {
    const { blocks = [] } = (this.asked('chat.postMessage').at(-1)?.body ?? {}) as {
      blocks?: { elements?: { value: string }[] }[]
    }
    return blocks.flatMap(({ elements = [] }) => elements.map(({ value }) => value))
  }

  /** Sends something through every open connection. */
  send(envelope: unknown): void {
    for (const socket of this.#open)
      socket.send(typeof envelope === 'string' ? envelope : JSON.stringify(envelope))
  }

  get isHeard(): boolean {
    return this.#open.size > 0
  }

  hangUp(): void {
    for (const socket of this.#open) socket.close()
  }

  close(): void {
    this.hangUp()
    this.#sockets.close()
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

/** The envelope that says that a button was pressed. */
export function slackPress(
  value: unknown,
  more: { ts?: unknown; user?: string; type?: string; id?: string } = {},
): object {
  return {
    type: 'interactive',
    envelope_id: more.id ?? 'e1',
    payload: {
      type: more.type ?? 'block_actions',
      user: { id: more.user ?? 'U42' },
      channel: { id: 'C1', name: 'ops' },
      message: {
        ts: more.ts === undefined ? '77.1' : more.ts,
        text: 'report failed',
        blocks: [{ type: 'section' }, { type: 'actions' }],
      },
      actions: [{ action_id: 'mulligan-0', value }],
    },
  }
}
