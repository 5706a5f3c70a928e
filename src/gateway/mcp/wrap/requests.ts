import { call } from '../../../call/call.ts'
import type { CallFailed } from '../../../call/call-failed.ts'
import type { CallOptions } from '../../../call/options.ts'
import type { ClassifyContext } from '../../../failure/context.ts'
import type { Gate } from '../../../provider/gate.ts'
import { realTime, type Time } from '../../../time/time.ts'
import { metaOf } from '../era.ts'
import { lineOf } from '../json-rpc.ts'
import type { Bridge } from './bridge.ts'
import type { CallProgress } from './call-progress.ts'
import { type ClientInput, wantsInput } from './client-input.ts'
import type { Connection } from './connection.ts'
import { type Answered, type Exchange, ExchangeFailed, exchange } from './exchange.ts'
import { LimitedGate } from './limited-gate.ts'
import { SERVER_POLICY } from './server-health.ts'
import type { Notification } from './server-side.ts'
import type { Written } from './translate.ts'
import { WaitingTime } from './waiting-time.ts'

/** Retries of a request while its client waits. */
const RETRIES_HERE = 2

/** Dependencies of the requests to one server. */
export interface RequestsDeps {
  bridge: Bridge
  /** Asks a session client what a server of the other wants to know. */
  input: ClientInput
  /** The server's provider. */
  provider: string
  /** Health of servers, shared with all processes on this machine. */
  gate: Gate
  classify: () => ClassifyContext
  /** Time a call may wait here before it is stored for later, in milliseconds. */
  waitHereMs: number
  time?: Time
}

/** Limits of one request. */
export type Limits = Pick<Exchange, 'timeoutMs' | 'idleTimeoutMs' | 'atomic'>

/** How a request is made. */
export interface Asking {
  limits: Limits
  /** Sending it twice is safe. */
  isRepeatable: boolean
  /** Whether the health of the server decides if and when it is sent. Default true. */
  isGated?: boolean
  /** How long it has already waited, in milliseconds. Default 0. */
  waitedMs?: number
  /** Tells the client why it waits. Default: tells no one. */
  progress?: CallProgress
}

/** Requests to one server: each is tried until it has an answer, or until another try would be unsafe. */
export class Requests {
  readonly #deps: RequestsDeps
  readonly #bridge: Bridge
  readonly #time: Time
  /** By progress token: what to call when the server shows progress. */
  readonly #watched = new Map<unknown, () => void>()

  constructor(deps: RequestsDeps) {
    this.#deps = deps
    this.#bridge = deps.bridge
    this.#time = deps.time ?? realTime
  }

  /** Limits of a request, or of a call of this tool. */
  limits(tool?: string): Limits {
    const { timeoutMs, idleTimeoutMs, tools } = this.#bridge.upstream.settings
    const own = tool === undefined ? undefined : tools[tool]
    return {
      timeoutMs: own?.timeoutMs ?? timeoutMs,
      idleTimeoutMs: own?.idleTimeoutMs ?? idleTimeoutMs,
      atomic: own?.atomic ?? false,
    }
  }

  /** What the classifier knows about the server. */
  get context(): ClassifyContext {
    return { ...this.#deps.classify(), provider: this.#deps.provider }
  }

  /** Takes progress as a sign of life of its request. */
  heard({ method, params }: Notification): void {
    if (method === 'notifications/progress') this.#watched.get(params?.progressToken)?.()
  }

  /**
   * Gives the answer to a request of the client; rejects with `CallFailed`. A session client is asked what a
   * server of the other wants to know, and the request made again with its answers.
   */
  async ask(given: Written, asking: Asking, signal: AbortSignal): Promise<Answered> {
    let answered = await this.try(given, asking, signal)
    for (let rounds = 0; this.#bridge.era === 'session'; rounds++) {
      const { result } = answered.response
      if (answered.era !== 'stateless' || !wantsInput(result, rounds)) break
      const params = { ...given.message.params, ...(await this.#deps.input.answersTo(result, signal)) }
      const { id, method } = given.message
      const again = { ...given, line: lineOf({ id, method, params }), message: { ...given.message, params } }
      answered = await this.try(again, asking, signal)
    }
    return answered
  }

  /** Tries until there is an answer, or one try too many; rejects with `CallFailed`. */
  async try(given: Written, asking: Asking, signal: AbortSignal): Promise<Answered> {
    const { limits, progress } = asking
    const { upstream } = this.#bridge
    const { method, params } = given.message
    const token = metaOf(params).progressToken
    const waiting = new WaitingTime(this.#deps.waitHereMs - (asking.waitedMs ?? 0), this.#time)
    let tries = 0
    try {
      const { value } = await call(
        async context => {
          if (!upstream.ready) progress?.waiting(`MCP server ${upstream.settings.name} is starting`)
          await this.#started(waiting.leftMs, context.signal)
          progress?.stop()
          const isFirst = tries++ === 0
          const request: Exchange = {
            ...limits,
            what: method === 'tools/call' ? String(params?.name) : method,
            idleTimeoutMs: token === undefined ? Infinity : limits.idleTimeoutMs,
            onWatch: isAlive => {
              if (token !== undefined) this.#watched.set(token, isAlive)
            },
            // An answer to the first try, or to a request of the same id, must not be taken for one to this.
            write: used => {
              const isFree = isFirst && !used.awaits(given.message.id)
              return this.#bridge.written(given, used, undefined, isFree ? undefined : used.ownId())
            },
          }
          return waiting.exceptFor(() =>
            exchange(upstream, request, () => this.context, context.signal, this.#time),
          )
        },
        this.#callOptions(
          asking,
          method === 'tools/call' ? String(params?.name) : undefined,
          waiting,
          signal,
        ),
      )
      return value
    } finally {
      if (token !== undefined) this.#watched.delete(token)
    }
  }

  #callOptions(
    { isRepeatable, isGated = true, progress }: Asking,
    tool: string | undefined,
    waiting: WaitingTime,
    signal: AbortSignal,
  ): CallOptions {
    const { provider } = this.#deps
    const gate = new LimitedGate(this.#deps.gate, { provider, tool }, () => waiting.leftMs, this.#time)
    return {
      name: 'mcp',
      ...(isGated ? { provider, health: gate } : {}),
      retry: isRepeatable ? 'replay' : 'none',
      // A try is one request, and the exchange knows what became of it.
      atomic: true,
      softFailures: false,
      policy: SERVER_POLICY,
      maxRetries: RETRIES_HERE,
      signal,
      time: this.#time,
      // The time left at this moment.
      get longestWaitMs() {
        return waiting.leftMs
      },
      ...(progress
        ? {
            onEvent: event => {
              if (event.type === 'waiting') progress.waiting(event.reason)
              else progress.stop()
            },
          }
        : {}),
    }
  }

  /** A server that takes longer to start than the request may wait counts as not there yet. */
  async #started(waitMs: number, signal: AbortSignal): Promise<Connection> {
    const { upstream } = this.#bridge
    const { ready } = upstream
    if (ready) return ready
    const late = new AbortController()
    const cancel = this.#time.after(waitMs, () => late.abort(new Error('model is loading')))
    try {
      return await upstream.connection(AbortSignal.any([signal, late.signal]))
    } catch (error) {
      if (!late.signal.aborted || signal.aborted) throw error
      throw new ExchangeFailed(upstream.stillStarting(this.context))
    } finally {
      cancel()
    }
  }
}

/** The server's own answer to a failed request; undefined if it gave none. */
export function answeredOf({ cause }: CallFailed): Answered | undefined {
  return cause instanceof ExchangeFailed ? cause.answered : undefined
}
