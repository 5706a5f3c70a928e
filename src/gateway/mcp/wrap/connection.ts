import { setTimeout as sleep } from 'node:timers/promises'
import { present } from '../../../failure/present.ts'
import { type ClientIdentity, type Era, META, REVISION, withIdentity } from '../era.ts'
import { isObject, lineOf, type RequestId, type RpcMessage, type RpcResponse } from '../json-rpc.ts'
import type { HttpRefusal, Link, LinkEnd, OpenLink } from './link.ts'
import { ownRequest, type Written } from './translate.ts'

/** How a request ended, as far as the connection knows. */
export type Reply =
  | { how: 'answered'; line: Buffer; response: RpcResponse }
  /** The transport refused it. */
  | { how: 'refused'; refusal: HttpRefusal }
  /** The server cannot have read it. */
  | { how: 'unsent'; error: unknown }
  /** No answer will come; it may have been carried out. */
  | { how: 'lost'; error?: unknown; end?: LinkEnd }

/** What a server said about itself when the connection began. */
export interface Greeting {
  era: Era
  /** Result of `initialize` or `server/discover`. */
  result: Readonly<Record<string, unknown>>
}

/** Receives what a server sends unasked. */
export interface ConnectionListener {
  onNotification(line: Buffer, message: Extract<RpcMessage, { type: 'notification' }>): void
  onRequest(line: Buffer, message: Extract<RpcMessage, { type: 'request' }>): void
  /** Something unusable was read. */
  onNoise(problem: string, excerpt: string): void
  /** The connection has ended. */
  onEnd(end: LinkEnd): void
}

interface Pending {
  settle(reply: Reply): void
}

/** How long the end of a program may come after it is known that nothing can be sent to it, in milliseconds. */
const END_WAIT_MS = 500
/** Longest wait for the answer to Mulligan's own requests, in milliseconds. */
const OWN_LIMIT_MS = 60_000

/** Requests that were given up and are remembered. */
const MOST_GIVEN_UP = 1_000

/** The server does not speak this era. */
export class OtherEra extends Error {
  override name = 'OtherEra'
}

/** The server speaks no era that Mulligan does. */
export class NoEra extends Error {
  override name = 'NoEra'
}

/** One life of a server: from the start of its process, or of a session, to its end. */
export class Connection {
  readonly #link: Link
  readonly #listener: ConnectionListener
  readonly #pending = new Map<RequestId, Pending>()
  /** Requests of the server that the client has not answered. */
  readonly #asked = new Set<RequestId>()
  /** Requests that were given up, whose answer may still come. */
  readonly #givenUp = new Set<RequestId>()
  readonly #ended = Promise.withResolvers<LinkEnd>()
  readonly #over = new AbortController()
  #end: LinkEnd | undefined
  #greeting: Greeting | undefined
  #ownIds = 0
  #answers = 0

  constructor(open: OpenLink, listener: ConnectionListener) {
    this.#listener = listener
    this.#link = open({
      onMessage: (line, message) => this.#onMessage(line, message),
      onNoise: (problem, excerpt) => listener.onNoise(problem, excerpt),
      onRefused: (id, refusal) => this.#settle(id, { how: 'refused', refusal }),
      onLost: (id, error) => this.#settle(id, { how: 'lost', error }),
      onEnd: end => this.#onEnd(end),
    })
  }

  /** What the server said of itself; throws before {@link begin}. */
  get greeting(): Greeting {
    if (!this.#greeting) throw new Error('the server has not been greeted')
    return this.#greeting
  }

  /** Why it ended; undefined while it is open. */
  get end(): LinkEnd | undefined {
    return this.#end
  }

  /** Aborted when it ends. */
  get signal(): AbortSignal {
    return this.#over.signal
  }

  /** The last lines the server wrote to stderr. */
  get lastWords(): string {
    return this.#link.lastWords
  }

  /** Whether any request waits for an answer. */
  get isBusy(): boolean {
    return this.#pending.size > 0
  }

  /** Whether a request of this id has no answer yet. */
  awaits(id: RequestId): boolean {
    return this.#pending.has(id)
  }

  /** Whether it has answered anything but the greeting. */
  get hasAnswered(): boolean {
    return this.#answers > 1
  }

  /**
   * Says hello in one era, and gives the answer. Rejects with {@link OtherEra} if the server does not know it.
   * @param revision what the client asked for, in the era of sessions
   */
  async greet(era: Era, client: ClientIdentity, revision = REVISION[era]): Promise<Greeting> {
    // Limited by the time that the server has to start.
    const hello = () => this.request(helloIn(era, this.ownId(), client, revision))
    let reply = await hello()
    // A server that names our revision among its own has refused something else that may pass.
    if (reply.how === 'answered' && isMistakenRefusal(reply.response)) reply = await hello()
    if (reply.how !== 'answered') throw new GreetingFailed(await this.#withEnd(reply))
    const { result, error } = reply.response
    if (!result) throw new OtherEra(error?.message ?? 'it answered with an error')
    if (era === 'stateless' && !speaks(result, REVISION.stateless))
      throw new OtherEra(`it speaks ${JSON.stringify(result.supportedVersions)}`)
    return { era, result }
  }

  /** Speaks from now on as the server greeted. */
  async begin(greeting: Greeting): Promise<void> {
    const { era, result } = greeting
    this.#greeting = greeting
    this.#link.agreed(
      era === 'session' && typeof result.protocolVersion === 'string'
        ? result.protocolVersion
        : REVISION[era],
    )
    if (era === 'session') await this.tell(lineOf({ method: 'notifications/initialized' }))
  }

  /** Sends a client's request unchanged. */
  async request({ line, message, headers }: Written): Promise<Reply> {
    if (this.#end) return { how: 'unsent', error: new Error('Not connected') }
    const answer = new Promise<Reply>(settle => this.#pending.set(message.id, { settle }))
    try {
      await this.#link.send(line, message, headers)
    } catch (error) {
      this.#pending.delete(message.id)
      return { how: 'unsent', error }
    }
    return answer
  }

  /** Asks something of our own, within {@link OWN_LIMIT_MS}. */
  ask(method: string, params?: Readonly<Record<string, unknown>>): Promise<Reply> {
    return this.requestWithin(ownRequest(this.ownId(), method, params))
  }

  /** Sends a request that no client waits for, and gives it up after {@link OWN_LIMIT_MS}. */
  async requestWithin(own: Written): Promise<Reply> {
    const isAnswered = new AbortController()
    const limit = sleep(OWN_LIMIT_MS, undefined, { ref: false, signal: isAnswered.signal }).catch(
      () => undefined,
    )
    const reply = await Promise.race([this.request(own), limit])
    isAnswered.abort()
    if (reply) return reply
    this.giveUp(own.message.id, 'it took too long')
    return { how: 'lost', error: new Error(`no answer within ${OWN_LIMIT_MS} ms`) }
  }

  /** An id that no client uses. */
  ownId(): string {
    return `mulligan:${++this.#ownIds}`
  }

  /** Sends a notification, or an answer to a server's request. If it cannot be sent, it is lost. */
  async tell(line: Buffer, message?: RpcMessage): Promise<void> {
    if (message?.type === 'response' && !this.#asked.delete(message.id)) return
    const notification = message ?? { type: 'notification' as const, method: 'notifications/initialized' }
    await this.#link.send(line, notification).catch(() => {})
  }

  /** Gives up a request, and tells the server. */
  giveUp(id: RequestId, reason?: string): void {
    this.#pending.delete(id)
    this.#givenUp.add(id)
    const [oldest] = this.#givenUp
    if (this.#givenUp.size > MOST_GIVEN_UP && oldest !== undefined) this.#givenUp.delete(oldest)
    this.#link.abandon(id)
    const method = 'notifications/cancelled'
    const params = { requestId: id, ...present({ reason }) }
    void this.tell(lineOf({ method, params }), { type: 'notification', method, params })
  }

  /** Whether to keep reading. */
  flow(isOpen: boolean): void {
    this.#link.flow(isOpen)
  }

  close(): Promise<void> {
    return this.#link.close()
  }

  /** Waits a moment for the end of a server that nothing can be sent to; undefined if it has not ended. */
  over(): Promise<LinkEnd | undefined> {
    const moment = sleep(END_WAIT_MS, undefined, { ref: false })
    return Promise.race([this.#ended.promise, moment])
  }

  /** Why nothing could be sent to a program, its end says, which comes a moment later. */
  async #withEnd(reply: Exclude<Reply, { how: 'answered' }>): Promise<typeof reply> {
    const end = reply.how === 'unsent' ? await this.over() : undefined
    return end ? { how: 'lost', end } : reply
  }

  #onMessage(line: Buffer, message: RpcMessage): void {
    switch (message.type) {
      case 'response': {
        this.#answers++
        if (this.#settle(message.id, { how: 'answered', line, response: message })) return
        if (this.#givenUp.delete(message.id)) return
        this.#listener.onNoise(`it answered ${JSON.stringify(message.id)}, which nobody asked`, '')
        return
      }
      case 'request':
        this.#asked.add(message.id)
        this.#listener.onRequest(line, message)
        return
      case 'notification':
        this.#listener.onNotification(line, message)
    }
  }

  #settle(id: RequestId, reply: Reply): boolean {
    const pending = this.#pending.get(id)
    if (!pending) return false
    this.#pending.delete(id)
    pending.settle(reply)
    return true
  }

  #onEnd(end: LinkEnd): void {
    this.#end = end
    this.#ended.resolve(end)
    this.#over.abort(new Error('the connection has ended'))
    // All waiting requests learn of the end now, whatever they wait for.
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    for (const { settle } of pending) settle({ how: 'lost', end })
    this.#listener.onEnd(end)
  }
}

function helloIn(era: Era, id: string, client: ClientIdentity, revision: string): Written {
  if (era === 'stateless') return ownRequest(id, 'server/discover', withIdentity(undefined, client))
  return ownRequest(id, 'initialize', {
    protocolVersion: revision,
    capabilities: client.capabilities,
    clientInfo: client.info ?? { name: 'mulligan', version: '0' },
  })
}

/** The server ended, or turned us away, before it had said hello. */
export class GreetingFailed extends Error {
  override name = 'GreetingFailed'
  readonly reply: Exclude<Reply, { how: 'answered' }>

  constructor(reply: Exclude<Reply, { how: 'answered' }>) {
    super('the server did not answer the first message')
    this.reply = reply
  }
}

/** The code for an unsupported revision. */
const UNSUPPORTED_VERSION = -32022

function isMistakenRefusal({ error }: RpcResponse): boolean {
  const { supported } = isObject(error?.data) ? error.data : {}
  return (
    error?.code === UNSUPPORTED_VERSION && Array.isArray(supported) && supported.includes(REVISION.stateless)
  )
}

function speaks({ supportedVersions }: Readonly<Record<string, unknown>>, revision: string): boolean {
  return Array.isArray(supportedVersions) && supportedVersions.includes(revision)
}

/** What a server says of itself: its name and version, in either era. */
export function serverInfoOf({ era, result }: Greeting): { name?: unknown; version?: unknown } {
  const info =
    era === 'session'
      ? result.serverInfo
      : (result._meta as Record<string, unknown> | undefined)?.[META.serverInfo]
  return typeof info === 'object' && info !== null ? (info as { name?: unknown; version?: unknown }) : {}
}
