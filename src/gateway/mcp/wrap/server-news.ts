import { classify } from '../../../failure/classify.ts'
import type { ClassifyContext } from '../../../failure/context.ts'
import type { Failure } from '../../../failure/failure.ts'
import { isKnownFailure } from '../../../failure/own-error.ts'
import { present } from '../../../failure/present.ts'
import { realTime, type Time } from '../../../time/time.ts'
import type { Verdict } from '../../../verdict/verdict.ts'
import { META, metaOf } from '../era.ts'
import { lineOf, type RequestId, resultLine } from '../json-rpc.ts'
import { failedRequest } from './answers.ts'
import type { Bridge } from './bridge.ts'
import type { Connection } from './connection.ts'
import { keepSubscribed } from './keep-subscribed.ts'
import type { Notification } from './server-side.ts'
import { ALL_CHANGES, Subscriptions } from './subscriptions.ts'
import type { Request } from './translate.ts'
import { ownRequest, type Written, withoutSubscription } from './translate.ts'

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'

/** A stateless client's subscription to a stateless server. */
interface Subscription {
  isAcknowledged: boolean
}

/** Dependencies of {@link ServerNews}. */
export interface ServerNewsDeps {
  bridge: Bridge
  toClient: (line: Buffer) => void
  /** What the classifier knows about the server. */
  context: () => ClassifyContext
  time?: Time
}

/**
 * What a server says unasked. Stateless clients subscribe to it; clients with a session hear it anyway. If client and server
 * are of different eras, each is served in its own way. A server that restarts is asked again.
 */
export class ServerNews {
  readonly #deps: ServerNewsDeps
  readonly #bridge: Bridge
  readonly #toClient: (line: Buffer) => void
  readonly #time: Time
  readonly #subscriptions = new Map<RequestId, Subscription>()
  /** Subscriptions of a stateless client to a server with sessions. */
  readonly #bridged: Subscriptions
  /** Resources that a client with a session follows at a stateless server. */
  readonly #resources = new Set<string>()
  /** The lowest level of log messages that a stateless client wants. */
  #logLevel: unknown
  /** Our own subscription at a stateless server. */
  #listening: { id: RequestId; ending: AbortController } | undefined
  /** The next life of the server. */
  #next = Promise.withResolvers<Connection>()

  constructor(deps: ServerNewsDeps) {
    this.#deps = deps
    this.#bridge = deps.bridge
    this.#toClient = deps.toClient
    this.#time = deps.time ?? realTime
    this.#bridged = new Subscriptions(deps.toClient)
  }

  /** Makes a subscription. It has no answer until it ends. */
  async listen(given: Written, signal: AbortSignal): Promise<Buffer | undefined> {
    const { id } = given.message
    const cancelled = new Promise<undefined>(resolve => {
      signal.addEventListener('abort', () => resolve(undefined), { once: true })
    })
    try {
      const connection = await this.#bridge.upstream.connection(signal)
      if (!this.#bridge.isTo('session')) return await this.#subscribed(given, connection, signal, cancelled)
      for (const uri of this.#bridged.begin(given.message, signal))
        await connection.ask('resources/subscribe', { uri })
      return await cancelled
    } catch (error) {
      if (signal.aborted) return undefined
      if (isKnownFailure(error)) return failedRequest(id, { failure: error.failure, verdict: NOT_THERE })
      throw error
    }
  }

  /** Subscribes at every life of the server, until one answers or refuses. */
  async #subscribed(
    given: Written,
    first: Connection,
    signal: AbortSignal,
    cancelled: Promise<undefined>,
  ): Promise<Buffer | undefined> {
    const { id } = given.message
    this.#subscriptions.set(id, { isAcknowledged: false })
    try {
      let connection: Connection | undefined = first
      while (connection) {
        const subscribing = keepSubscribed(connection, given, signal, this.#time)
        const reply = await Promise.race([subscribing, cancelled])
        if (reply?.how === 'answered') return reply.line
        if (reply?.how === 'refused') {
          const failure = classify(reply.refusal, this.#deps.context()) as Failure
          return failedRequest(id, { failure, verdict: NOT_THERE })
        }
        if (!reply) connection.giveUp(id)
        const { ready } = this.#bridge.upstream
        const isUp: boolean = reply !== undefined && ready !== undefined && ready !== connection
        connection = isUp ? ready : await Promise.race([this.#next.promise, cancelled])
      }
      return undefined
    } finally {
      this.#subscriptions.delete(id)
    }
  }

  /** What a stateless server is told with every request, or by a subscription. */
  keep({ id, method, params }: Request): Buffer {
    const uri = String(params?.uri)
    if (method === 'resources/subscribe') this.#resources.add(uri)
    else if (method === 'resources/unsubscribe') this.#resources.delete(uri)
    else this.#bridge.setLogLevel(params?.level)
    const { ready } = this.#bridge.upstream
    if (method !== 'logging/setLevel' && ready) this.#listenForClient(ready)
    return resultLine(id, '{}')
  }

  /** A request of the stateless era says from which level on its client wants to hear what the server logs. */
  logFrom(level: unknown): void {
    if (level === undefined || level === this.#logLevel) return
    this.#logLevel = level
    const { ready } = this.#bridge.upstream
    if (ready && this.#bridge.isTo('session')) void ready.ask('logging/setLevel', { level })
  }

  /** The server is up, so it is asked again for everything that its client follows. */
  async renew(connection: Connection): Promise<void> {
    this.#next.resolve(connection)
    this.#next = Promise.withResolvers()
    this.#listening = undefined
    if (this.#bridge.isTo('stateless')) this.#listenForClient(connection)
    if (this.#bridge.isTo('session') && this.#logLevel !== undefined)
      void connection.ask('logging/setLevel', { level: this.#logLevel })
    if (this.#bridge.isTo('session'))
      for (const uri of this.#bridged.resources) await connection.ask('resources/subscribe', { uri })
  }

  /** Passes on what the server says. */
  tell(line: Buffer, message: Notification): void {
    const { method, params } = message
    if (this.#bridge.isTo('session')) {
      if (this.#bridged.tell(message)) return
      // A stateless client hears only what it asked for.
      if (method === 'notifications/message' && this.#logLevel === undefined) return
    }
    if (this.#bridge.isTo('stateless')) {
      if (method === ACKNOWLEDGED) return
      const told = withoutSubscription(params)
      this.#toClient(lineOf({ method, ...present({ params: told }) }))
      return
    }
    const subscription = this.#subscriptions.get(metaOf(params)[META.subscription] as RequestId)
    if (method === ACKNOWLEDGED && subscription) {
      // After a restart the client already has its acknowledgement.
      if (subscription.isAcknowledged) return
      subscription.isAcknowledged = true
    }
    this.#toClient(line)
  }

  /** Asks a stateless server to tell what clients of the other are told unasked. */
  #listenForClient(connection: Connection): void {
    if (this.#listening) {
      connection.giveUp(this.#listening.id)
      this.#listening.ending.abort()
    }
    const id = connection.ownId()
    const ending = new AbortController()
    this.#listening = { id, ending }
    const resources = this.#resources.size === 0 ? {} : { resourceSubscriptions: [...this.#resources] }
    const own = ownRequest(id, 'subscriptions/listen', {
      notifications: { ...ALL_CHANGES, ...resources },
    })
    const written = this.#bridge.written(own, connection, 'session')
    void keepSubscribed(connection, written, ending.signal, this.#time)
  }
}

const NOT_THERE: Verdict = {
  action: 'cancel',
  as: 'exhausted',
  reason: 'the server is not there',
  rule: 'mcp:not_there',
}
