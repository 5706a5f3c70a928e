import { isKnownFailure } from '../../../failure/known-failure.ts'
import type { Verdict } from '../../../verdict/verdict.ts'
import { META, metaOf } from '../era.ts'
import { lineOf, type RequestId, resultLine } from '../json-rpc.ts'
import { failedRequest } from './answers.ts'
import type { Bridge } from './bridge.ts'
import type { Connection } from './connection.ts'
import type { Notification, Request } from './server-side.ts'
import { ALL_CHANGES, Subscriptions } from './subscriptions.ts'
import { ownRequest, type Written, withoutSubscription } from './translate.ts'

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'

/** A subscription of a client of the stateless era at a server of the same. */
interface Subscription {
  given: Written
  isAcknowledged: boolean
}

/**
 * What a server says unasked. Clients of the stateless era subscribe to it, those of the era of sessions are told anyway:
 * where client and server are of different eras, each gets it in its own way. A server that is started again is asked again.
 */
export class ServerNews {
  readonly #bridge: Bridge
  readonly #toClient: (line: Buffer) => void
  readonly #subscriptions = new Map<RequestId, Subscription>()
  /** Those of a client of the stateless era at a server of the other. */
  readonly #bridged: Subscriptions
  /** Resources that a client of the era of sessions wants to hear of, at a server of the other. */
  readonly #resources = new Set<string>()
  /** From which level on a client of the stateless era wants to hear what the server logs. */
  #logLevel: unknown
  /** Our own subscription at a server of the stateless era. */
  #listening: RequestId | undefined

  constructor(bridge: Bridge, toClient: (line: Buffer) => void) {
    this.#bridge = bridge
    this.#toClient = toClient
    this.#bridged = new Subscriptions(toClient)
  }

  /** Makes a subscription. It has no answer until it ends. */
  async listen(given: Written, signal: AbortSignal): Promise<Buffer | undefined> {
    const { id } = given.message
    const cancelled = new Promise<undefined>(resolve => {
      signal.addEventListener('abort', () => resolve(undefined), { once: true })
    })
    try {
      const connection = await this.#bridge.upstream.connection(signal)
      if (this.#bridge.isTo('session')) {
        for (const uri of this.#bridged.begin(given.message, signal))
          await connection.ask('resources/subscribe', { uri })
        return await cancelled
      }
      this.#subscriptions.set(id, { given, isAcknowledged: false })
      const reply = await Promise.race([connection.request(given), cancelled])
      if (reply === undefined) {
        connection.giveUp(id)
        return undefined
      }
      // Without an answer it goes on with the next life of the server.
      return reply.how === 'answered' ? reply.line : await cancelled
    } catch (error) {
      if (signal.aborted) return undefined
      if (isKnownFailure(error)) return failedRequest(id, { failure: error.failure, verdict: NOT_THERE })
      throw error
    } finally {
      this.#subscriptions.delete(id)
    }
  }

  /** What a server of the stateless era is told with every request, or by a subscription. */
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

  /** The server is up: it is asked for all that its client wants to hear. */
  async renew(connection: Connection): Promise<void> {
    this.#listening = undefined
    if (this.#bridge.isTo('stateless')) this.#listenForClient(connection)
    if (this.#bridge.isTo('session') && this.#logLevel !== undefined)
      void connection.ask('logging/setLevel', { level: this.#logLevel })
    if (this.#bridge.isTo('session'))
      for (const uri of this.#bridged.resources) await connection.ask('resources/subscribe', { uri })
    for (const { given } of this.#subscriptions.values()) void connection.request(given)
  }

  /** Passes on what the server says. */
  tell(line: Buffer, message: Notification): void {
    const { method, params } = message
    if (this.#bridge.isTo('session')) {
      if (this.#bridged.tell(message)) return
      // In the stateless era a client hears only what it asked for.
      if (method === 'notifications/message' && this.#logLevel === undefined) return
    }
    if (this.#bridge.isTo('stateless')) {
      if (method === ACKNOWLEDGED) return
      const told = withoutSubscription(params)
      this.#toClient(lineOf({ method, ...(told === undefined ? {} : { params: told }) }))
      return
    }
    const subscription = this.#subscriptions.get(metaOf(params)[META.subscription] as RequestId)
    if (method === ACKNOWLEDGED && subscription) {
      // A server that was started again acknowledges what its client has known for long.
      if (subscription.isAcknowledged) return
      subscription.isAcknowledged = true
    }
    this.#toClient(line)
  }

  /** Asks a server of the stateless era to tell what clients of the other are told unasked. */
  #listenForClient(connection: Connection): void {
    if (this.#listening !== undefined) connection.giveUp(this.#listening)
    this.#listening = connection.ownId()
    const resources = this.#resources.size === 0 ? {} : { resourceSubscriptions: [...this.#resources] }
    const own = ownRequest(this.#listening, 'subscriptions/listen', {
      notifications: { ...ALL_CHANGES, ...resources },
    })
    void connection.request(this.#bridge.written(own, connection, 'session'))
  }
}

const NOT_THERE: Verdict = {
  action: 'cancel',
  as: 'exhausted',
  reason: 'the server is not there',
  rule: 'mcp:not_there',
}
