import { present } from '../../../failure/present.ts'
import type { Era } from '../era.ts'
import type { RequestId } from '../json-rpc.ts'
import type { Connection } from './connection.ts'
import type { Answered } from './exchange.ts'
import type { Request } from './translate.ts'
import { answerFor, requestFor, type Written } from './translate.ts'
import type { Client, Upstream } from './upstream.ts'

/** A client and a server that may be of different eras: writes to each in its own way. */
export class Bridge {
  readonly upstream: Upstream
  #client: Client | undefined
  #logLevel: unknown

  constructor(upstream: Upstream) {
    this.upstream = upstream
  }

  /** Who asks from now on. */
  meet(client: Client): void {
    this.#client = client
    this.upstream.serve(client)
  }

  /** The era of the client. */
  get era(): Era {
    return this.#client?.era ?? 'session'
  }

  /** Whether the server is up and has this era, and the client has the other one. */
  isTo(server: Era): boolean {
    const { ready } = this.upstream
    return ready !== undefined && ready.greeting.era === server && this.era !== server
  }

  /** What the client wants to be told of what the server logs: stateless servers hear it with every request. */
  setLogLevel(level: unknown): void {
    this.#logLevel = level
  }

  /** A request as the server takes it, of the era of the client unless `from` says another. */
  written(given: Written, connection: Connection, from = this.era, id?: RequestId): Written {
    const { era: to } = connection.greeting
    const known = this.#client?.identity ?? { info: undefined, capabilities: {} }
    const identity = this.#logLevel === undefined ? known : { ...known, logLevel: this.#logLevel }
    return requestFor(given, { from, to, identity, ...present({ id }) })
  }

  /** An answer as the client takes it, under the id that the client gave. */
  answer({ line, response, era }: Answered, { method, id }: Request): Buffer {
    return answerFor(line, response, { method, id, from: era, to: this.era })
  }
}
