import type { ClassifyContext } from '../../../failure/context.ts'
import type { Failure } from '../../../failure/failure.ts'
import { KnownFailure } from '../../../failure/own-error.ts'
import { quietly } from '../../../time/clean-up.ts'
import { orAborted } from '../../../time/or-aborted.ts'
import { realTime, sleep, type Time } from '../../../time/time.ts'
import { type ClientIdentity, type Era, otherEra } from '../era.ts'
import {
  Connection,
  type ConnectionListener,
  type Greeting,
  GreetingFailed,
  NoEra,
  OtherEra,
  serverInfoOf,
} from './connection.ts'
import { httpLink } from './http-link.ts'
import type { OpenLink } from './link.ts'
import type { ListCache } from './list-cache.ts'
import { StartTimeout, StillStarting, startFailure, type Troubled } from './server-trouble.ts'
import { stdioLink } from './stdio-link.ts'
import type { UpstreamSettings } from './upstream-settings.ts'

/** Waits before a server that died is restarted, in milliseconds; the last one repeats. */
const RESTART_MS = [0, 250, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000] as const
/** A server that lived this long, or answered a call, started well; in milliseconds. */
const LIVED_MS = 10_000

/** How long a server may leave `server/discover` unanswered before it is greeted in the other way too, in milliseconds. */
const SILENT_MS = 5_000

/** Kinds of failures that only a person can fix: trying it in another way would be one login more that fails. */
const NEEDS_LOGIN: readonly Failure['kind'][] = ['auth', 'forbidden']

/** The client that a server is started for. */
export interface Client {
  identity: ClientIdentity
  era: Era
  /** The revision that it asked for, in the era of sessions. */
  revision?: string
}

/** Stands in for the client until one has said hello. */
const NOBODY: Client = {
  identity: { info: { name: 'mulligan', version: '0' }, capabilities: {} },
  era: 'session',
}

/** Dependencies of an upstream. */
export interface UpstreamDeps {
  cache: ListCache
  /** What servers print for people. */
  onStderr: (chunk: Buffer) => void
  /** Reports one line to the operator. */
  note: (line: string) => void
  classify: () => ClassifyContext
  time?: Time
}

/** Receives what an upstream sends unasked, and that it is up. */
export interface UpstreamListener extends Pick<ConnectionListener, 'onNotification' | 'onRequest'> {
  onReady(connection: Connection): void
}

/**
 * A server that is started on use and restarted after it died, with growing waits but without a limit. What a person must fix
 * is not tried again automatically.
 */
export class Upstream {
  readonly settings: UpstreamSettings
  readonly cache: ListCache
  readonly #deps: UpstreamDeps
  readonly #time: Time
  readonly #open: OpenLink
  readonly #listener: UpstreamListener
  #client: Client = NOBODY
  #connection: Connection | undefined
  #starting: Promise<Connection> | undefined
  /** The one that is being greeted. */
  #opening: Connection | undefined
  #lastTrouble: Troubled | undefined
  #readyAt = 0
  #deaths = 0
  #mayStartAt = 0
  /** The last thing it sent that was not a message. */
  #noise: { what: string; at: number } | undefined
  #noises = 0
  #isFlowing = true
  readonly #closing = new AbortController()

  constructor(settings: UpstreamSettings, listener: UpstreamListener, deps: UpstreamDeps) {
    const { target } = settings
    this.settings = settings
    this.cache = deps.cache
    this.#deps = deps
    this.#time = deps.time ?? realTime
    this.#listener = listener
    this.#open =
      target.by === 'stdio' ? stdioLink(target, deps.onStderr, this.#time) : httpLink(target, this.#time)
  }

  /** The open connection; undefined if there is none. */
  get ready(): Connection | undefined {
    return this.#connection
  }

  /**
   * What is known of it, for messages.
   * @param since when a request began: what the server printed before has nothing to do with it
   */
  troubled(since = 0): Troubled {
    return this.#troubledBy(this.#connection, since)
  }

  /** The failure of a call that could not wait until it was up. */
  stillStarting(context: ClassifyContext): Failure {
    return startFailure(this.troubled(), new StillStarting(), context)
  }

  /** The client that the server is started for. */
  serve(client: Client): void {
    const wasForNobody = this.#client === NOBODY
    this.#client = client
    const connection = this.#connection
    if (!wasForNobody || !connection || connection.isBusy) return
    // It was greeted as if by a client that can do nothing, and must not take this one for that.
    this.#connection = undefined
    void connection.close()
  }

  /**
   * The server, started if it is not up. Rejects with a {@link KnownFailure} of effect `none`: nothing was sent.
   * @param signal ends the wait, not the start
   */
  async connection(signal?: AbortSignal): Promise<Connection> {
    if (this.#connection) return this.#connection
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined
    })
    return signal ? orAborted(this.#starting, signal) : this.#starting
  }

  /** Whether to read what the server says: false while the client does not keep up. */
  flow(isOpen: boolean): void {
    this.#isFlowing = isOpen
    this.#connection?.flow(isOpen)
  }

  /** Ends it. It is not started again. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('it was closed'))
    const starting = this.#starting
    await this.#connection?.close()
    await this.#opening?.close()
    await starting?.catch(() => {})
  }

  async #start(): Promise<Connection> {
    const { name } = this.settings
    const { signal } = this.#closing
    const waitMs = this.#mayStartAt - this.#time.monotonic()
    // Closing ends the wait; the greeting below then fails.
    if (waitMs > 0) await sleep(this.#time, waitMs, signal).catch(() => {})
    const client = this.#client
    const first = this.cache.eraFor(client.era)
    try {
      return await this.#greeted(client, first, true)
    } catch (error) {
      const failure = this.#failureOfStart(error)
      if (!signal.aborted && !NEEDS_LOGIN.includes(failure.kind) && this.#mayKnowOtherWay(error, first))
        try {
          const connection = await this.#greeted(client, otherEra(first), false)
          this.cache.refused(first)
          return connection
        } catch {
          // What happened first says more.
        }
      this.#died()
      if (!signal.aborted) this.#deps.note(`${name}: ${failure.message}`)
      throw new KnownFailure(failure, error)
    } finally {
      this.#opening = undefined
    }
  }

  /** @param isFresh nothing else was tried yet, so the other way may be tried with the same process */
  async #greeted({ identity, revision }: Client, era: Era, isFresh: boolean): Promise<Connection> {
    this.#closing.signal.throwIfAborted()
    this.#noise = undefined
    this.#noises = 0
    const connection: Connection = new Connection(this.#open, {
      onNotification: (line, message) => this.#listener.onNotification(line, message),
      onRequest: (line, message) => this.#listener.onRequest(line, message),
      onNoise: (problem, excerpt) => this.#onNoise(problem, excerpt),
      onEnd: () => this.#onEnd(connection),
    })
    this.#opening = connection
    const { startTimeoutMs } = this.settings
    try {
      const greet = (way: Era) =>
        within(this.#time, startTimeoutMs, connection.greet(way, identity, revision))
      const isEitherWay = isFresh && this.settings.target.by === 'stdio'
      const greeting = await (isEitherWay ? this.#greetedEitherWay(greet, era) : greet(era))
      await connection.begin(greeting)
      this.cache.greeted(greeting)
    } catch (error) {
      this.#lastTrouble = this.#troubledBy(connection)
      await quietly(() => connection.close())
      throw error
    }
    if (connection.end) throw new GreetingFailed({ how: 'lost', end: connection.end })
    this.#connection = connection
    connection.flow(this.#isFlowing)
    this.#readyAt = this.#time.monotonic()
    this.#listener.onReady(connection)
    return connection
  }

  /**
   * Greets a program in one era and, if it does not know that, in the other: to start it again may take longer than its
   * client waits. One that says nothing to `server/discover` may be slow, or ignore what it does not know: it is greeted in the
   * other way too, and that counts, as it was the last that the server heard.
   */
  async #greetedEitherWay(greet: (era: Era) => Promise<Greeting>, era: Era): Promise<Greeting> {
    const first = greet(era)
    const told = first.then(
      () => 'greeted' as const,
      error => {
        if (error instanceof OtherEra) return 'refused' as const
        throw error
      },
    )
    const silence = new AbortController()
    const isSilent =
      era === 'stateless' && !this.cache.knows(era)
        ? [sleep(this.#time, SILENT_MS, silence.signal).then(() => 'silent' as const)]
        : []
    let how: 'greeted' | 'refused' | 'silent' | undefined
    try {
      how = await Promise.race([told, ...isSilent])
      if (how === 'greeted') return await first
      const greeting = await greet(otherEra(era))
      this.#knowsOneWay(first, era)
      return greeting
    } catch (error) {
      if (how === 'refused' && error instanceof OtherEra) throw new NoEra(error.message)
      // It may have broken at a greeting that it does not know: what was wrong with the first says more.
      return first
    } finally {
      silence.abort()
      for (const promise of [told, ...isSilent]) promise.catch(() => {})
    }
  }

  /** Remembers what came of the first greeting, once the answer to the second is there. */
  #knowsOneWay(first: Promise<Greeting>, era: Era): void {
    const unanswered = Symbol()
    void Promise.race([first, Promise.resolve(unanswered)]).then(
      said => (said === unanswered ? this.cache.refused(era) : this.cache.greeted(said as Greeting)),
      () => this.cache.refused(era),
    )
  }

  /** A server that rejects, ignores or dies of a greeting that it does not know may still know the other one. */
  #mayKnowOtherWay(error: unknown, era: Era): boolean {
    if (error instanceof OtherEra) return true
    if (this.cache.knows(era)) return false
    // What servers of 2025 do not know, some of them leave without an answer; `initialize` all know.
    if (error instanceof StartTimeout) return era === 'stateless'
    return error instanceof GreetingFailed && error.reply.how === 'lost' && error.reply.end?.how === 'exited'
  }

  #failureOfStart(error: unknown): Failure {
    return startFailure(this.#lastTrouble ?? this.#troubledBy(undefined), error, this.#deps.classify())
  }

  #troubledBy(connection: Connection | undefined, since = 0): Troubled {
    return {
      name: this.settings.name,
      lastWords: connection?.lastWords ?? this.#lastTrouble?.lastWords ?? '',
      noise: this.#noise && this.#noise.at >= since ? this.#noise.what : undefined,
    }
  }

  #onNoise(problem: string, excerpt: string): void {
    const what = excerpt === '' ? problem : `${problem}: ${excerpt}`
    this.#noise = { what, at: this.#time.monotonic() }
    // A server that logs to stdout does so all the time: one note is enough.
    if (++this.#noises === 1) this.#deps.note(`${this.settings.name}: ${what}`)
  }

  #onEnd(connection: Connection): void {
    if (this.#connection !== connection) return
    this.#lastTrouble = this.#troubledBy(connection)
    this.#connection = undefined
    const lived = this.#time.monotonic() - this.#readyAt
    if (lived >= LIVED_MS || connection.hasAnswered) this.#deaths = 0
    this.#died()
  }

  #died(): void {
    const waitMs = RESTART_MS[Math.min(this.#deaths, RESTART_MS.length - 1)] as number
    this.#deaths++
    this.#mayStartAt = this.#time.monotonic() + waitMs
  }

  /** The name and version that the server states, for messages. */
  get server(): string | undefined {
    const greeting = this.#connection?.greeting ?? this.cache.greeting(this.#client.era)
    if (!greeting) return undefined
    const { name, version } = serverInfoOf(greeting)
    return [name, version].filter(part => typeof part === 'string').join(' ') || undefined
  }
}

async function within<T>(time: Time, ms: number, promise: Promise<T>): Promise<T> {
  let cancel = () => {}
  const late = new Promise<never>((_, reject) => {
    cancel = time.after(ms, () => reject(new StartTimeout(ms)))
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    cancel()
    promise.catch(() => {})
  }
}
