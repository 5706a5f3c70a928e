import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A bot API of Telegram that shows what it was asked, and holds the question for updates until there is one. For tests. */
export class BotApi {
  readonly #asked: { method: string; body: Record<string, unknown> }[] = []
  readonly #server: Server
  #updates: object[] = []
  #waiting: ServerResponse | undefined
  /** What it answers with. */
  status = 200
  /** Whether it answers a question for updates at once, with none if there is none. */
  isHasty = false
  url = ''

  private constructor() {
    this.#server = createServer(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += chunk
      const method = (request.url ?? '').split('/').at(-1) as string
      this.#asked.push({ method, body: JSON.parse(text || '{}') })
      if (method !== 'getUpdates')
        this.#answer(response, method === 'sendMessage' ? { message_id: 77 } : true)
      else if (this.#updates.length > 0 || this.isHasty || this.status !== 200)
        this.#answer(response, this.#updates.splice(0))
      else this.#waiting = response
    })
  }

  static async start(): Promise<BotApi> {
    const api = new BotApi()
    await new Promise<void>(resolve => api.#server.listen(0, '127.0.0.1', resolve))
    api.url = `http://127.0.0.1:${(api.#server.address() as AddressInfo).port}`
    return api
  }

  /** The bodies of the questions of one method. */
  asked(method: string): Record<string, unknown>[] {
    return this.#asked.filter(asked => asked.method === method).map(({ body }) => body)
  }

  /** The data of the buttons of the last message that was sent. */
  buttons(): string[] {
    const markup = this.asked('sendMessage').at(-1)?.reply_markup as
      | { inline_keyboard: { callback_data: string }[][] }
      | undefined
    return markup?.inline_keyboard.flat().map(({ callback_data }) => callback_data) ?? []
  }

  /** Something happened in the chat. */
  update(...updates: object[]): void {
    this.#updates.push(...updates)
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting) this.#answer(waiting, this.#updates.splice(0))
  }

  #answer(response: ServerResponse, result: unknown): void {
    response.writeHead(this.status).end(JSON.stringify({ ok: true, result }))
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

/** The update that says that a button was pressed. */
export function pressOf(
  data: unknown,
  more: { chat?: number; message?: number; from?: number; update?: number } = {},
): object {
  return {
    update_id: more.update ?? 10,
    callback_query: {
      id: 'q1',
      data,
      from: { id: more.from ?? 42 },
      message: { message_id: more.message ?? 77, chat: { id: more.chat ?? 42 } },
    },
  }
}
