import type { Connection } from './connection.ts'
import type { Request } from './translate.ts'

/** What a session server has to be told again when it is started again. */
const REMEMBERED = new Set(['logging/setLevel', 'resources/subscribe'])

/** Remembers what a session server was told once, for its next life. */
export class ToldAgain {
  readonly #requests = new Map<string, Request>()

  /** The server has taken this request. */
  taken(request: Request): void {
    const { method, params } = request
    const uri = String(params?.uri)
    if (REMEMBERED.has(method)) this.#requests.set(`${method} ${uri}`, request)
    if (method === 'resources/unsubscribe') this.#requests.delete(`resources/subscribe ${uri}`)
  }

  /** The server is up again. */
  async renew(connection: Connection): Promise<void> {
    for (const { method, params } of this.#requests.values()) await connection.ask(method, params)
  }
}
