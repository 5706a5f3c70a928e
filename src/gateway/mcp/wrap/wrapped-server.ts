import { call } from '../../../call/call.ts'
import { type CallFailed, isCallFailed } from '../../../call/call-failed.ts'
import type { CallOptions } from '../../../call/options.ts'
import type { ClassifyContext } from '../../../failure/context.ts'
import { isKnownFailure } from '../../../failure/known-failure.ts'
import type { Gate } from '../../../provider/gate.ts'
import { orAborted } from '../../../time/or-aborted.ts'
import { realTime, type Time } from '../../../time/time.ts'
import type { Verdict } from '../../../verdict/verdict.ts'
import { type Era, META, metaOf } from '../era.ts'
import { isObject, lineOf, type RequestId, type RpcMessage, resultLine } from '../json-rpc.ts'
import { spanOf } from '../json-text.ts'
import { type Decided, failedAnswer, failedRequest, sentenceFor, withVerdict } from './answers.ts'
import type { CallNames, CallParams } from './call-capability.ts'
import { CallProgress } from './call-progress.ts'
import { ClientInput, wantsInput } from './client-input.ts'
import type { Connection } from './connection.ts'
import { type Deferral, mayBeDeferred } from './deferral.ts'
import { type Answered, type Exchange, ExchangeFailed, exchange } from './exchange.ts'
import { fits, greetingFor } from './greeting.ts'
import { HeldCalls } from './held-calls.ts'
import { CACHED_LISTS } from './list-cache.ts'
import { SERVER_HEALTH } from './server-health.ts'
import type { Notification, Request, ServerSide } from './server-side.ts'
import { ALL_CHANGES, Subscriptions } from './subscriptions.ts'
import { type KnownTool, type ToolPolicy, toolPolicyOf, toolsIn } from './tool-policy.ts'
import { answerFor, listFor, requestFor, type Written, withoutSubscription } from './translate.ts'
import { type Client, Upstream, type UpstreamDeps } from './upstream.ts'
import type { UpstreamSettings } from './upstream-settings.ts'

/** What a wrapped server works with. */
export interface WrappedServerDeps extends UpstreamDeps {
  names: CallNames
  /** Health of servers, shared with all processes on this machine. */
  gate: Gate
  /** Keeps calls for later; undefined if they cannot be kept. */
  deferral: Deferral | undefined
  /** Given what the server says unasked. */
  toClient: (line: Buffer) => void
  /** Time that a call may wait here before it is kept for later, in milliseconds. */
  waitHereMs: number
}

/** Requests that change nothing, or nothing more the second time. */
const REPEATABLE = new Set([
  'ping',
  'prompts/get',
  'resources/read',
  'completion/complete',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'server/discover',
  'tasks/get',
  'tasks/result',
  'tasks/list',
  ...CACHED_LISTS,
])

/** What only servers of the era of sessions are told by a request of its own. */
const SESSION_ONLY = new Set(['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'])

/** What a server of the era of sessions has to be told again when it is started again. */
const REMEMBERED = new Set(['logging/setLevel', 'resources/subscribe'])

/** Limits of one request. */
interface Limits extends Pick<Exchange, 'timeoutMs' | 'idleTimeoutMs' | 'atomic'> {
  /** How long it has waited already, in milliseconds. Default 0. */
  waitedMs?: number
}

/** Retries of a call while its client waits. */
const RETRIES_HERE = 2

/** One server behind Mulligan: passes on everything as it comes, and steps in only where something fails. */
export class WrappedServer implements ServerSide {
  readonly upstream: Upstream
  readonly settings: UpstreamSettings
  readonly #deps: WrappedServerDeps
  readonly #time: Time
  readonly #tools = new Map<string, KnownTool>()
  /** By progress token: the server shows that it is at a call. */
  readonly #watched = new Map<unknown, () => void>()
  /** What a server that is started again has to be told first. */
  readonly #remembered = new Map<string, Written>()
  readonly #subscriptions = new Map<RequestId, { given: Written; isAcknowledged: boolean }>()
  /** Where client and server are of different eras. */
  readonly #input: ClientInput
  readonly #held: HeldCalls
  readonly #bridged: Subscriptions
  readonly #resources = new Set<string>()
  #client: Client | undefined
  /** Ends when the list of tools has been asked for. */
  #learning: Promise<void> | undefined
  #logLevel: unknown
  /** Our own subscription at a server of the stateless era. */
  #listening: RequestId | undefined
  /** Lists that were given from last time, and may be out of date. */
  readonly #givenFromCache = new Set<string>()

  constructor(settings: UpstreamSettings, deps: WrappedServerDeps) {
    this.settings = settings
    this.#deps = deps
    this.#time = deps.time ?? realTime
    this.#input = new ClientInput(deps.toClient)
    this.#held = new HeldCalls((line, id) => this.tell(line, { type: 'response', id }))
    this.#bridged = new Subscriptions(deps.toClient)
    this.upstream = new Upstream(
      settings,
      {
        onNotification: (line, message) => this.#onNotification(line, message),
        onRequest: (line, message) => {
          if (this.#isBridged('session')) this.#held.ask(message)
          else deps.toClient(line)
        },
        onReady: connection => void this.#onReady(connection),
      },
      deps,
    )
    const last = deps.cache.list('session', 'tools/list')
    for (const tool of toolsIn(parsed(last?.result))) this.#tools.set(tool.name, tool)
  }

  meet(client: Client): void {
    this.#client = client
    this.upstream.serve(client)
  }

  async greet(client: Client): Promise<string> {
    this.meet(client)
    const last = this.upstream.cache.greeting(client.era)
    const starting = this.upstream.connection()
    if (last && fits(last, client)) {
      starting.catch(() => {})
      return greetingFor(last, client)
    }
    try {
      return greetingFor((await starting).greeting, client)
    } catch (error) {
      // It is down; what it said last time is better than nothing.
      if (last) return greetingFor(last, client)
      throw error
    }
  }

  async request(line: Buffer, message: Request, signal: AbortSignal): Promise<Buffer | undefined> {
    const given = { line, message }
    const { method } = message
    try {
      if (CACHED_LISTS.includes(method)) return await this.#list(given, signal)
      if (method === 'subscriptions/listen') return await this.#listen(given, signal)
      if (method === 'ping' && (!this.upstream.ready || this.#isBridged('stateless')))
        return resultLine(message.id, '{}')
      if (this.#era === 'session' && SESSION_ONLY.has(method)) {
        await this.upstream.connection(signal)
        if (this.#isBridged('stateless')) return await this.#remember(message)
      }
      const begin = () =>
        method === 'tools/call' ? this.#callTool(given, signal) : this.#forward(given, signal)
      return this.#era === 'stateless' ? await this.#held.answered(message, begin) : await begin()
    } catch (error) {
      if (signal.aborted) return undefined
      throw error
    }
  }

  tell(line: Buffer, message: RpcMessage): void {
    if (this.#input.take(message)) return
    void this.upstream.ready?.tell(line, message)
  }

  flow(isOpen: boolean): void {
    this.upstream.ready?.flow(isOpen)
  }

  close(): Promise<void> {
    return this.upstream.close()
  }

  /** Names of all its tools, as it lists them now. Rejects with a `KnownFailure` if it cannot be asked. */
  async tools(signal: AbortSignal): Promise<string[]> {
    const connection = await this.upstream.connection(signal)
    await this.#fetchList('tools/list', connection)
    return [...this.#tools.keys()]
  }

  /** When a call of this tool may be sent again. */
  policyOf(tool: string): ToolPolicy {
    const settings = this.settings.tools[tool]
    return toolPolicyOf(this.#tools.get(tool), settings)
  }

  /** Makes a call that waited: nobody waits for its answer here. */
  async perform(params: CallParams, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    const { tool, arguments: args = {}, meta } = params
    const asked = { name: tool, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) }
    const answered = await exchange(
      this.upstream,
      {
        ...this.#limits(tool),
        what: tool,
        idleTimeoutMs: Infinity,
        write: connection => {
          const message = {
            type: 'request' as const,
            id: connection.ownId(),
            method: 'tools/call',
            params: asked,
          }
          const { type: _, ...said } = message
          return this.#written({ line: lineOf(said), message }, connection, 'session')
        },
      },
      this.#context(),
      signal,
      this.#time,
    )
    return answered.response.result ?? {}
  }

  async #callTool(given: Written, signal: AbortSignal): Promise<Buffer | undefined> {
    const { message } = given
    const { id, params } = message
    const tool = typeof params?.name === 'string' ? params.name : ''
    const askedAt = this.#time.monotonic()
    await this.#knowTools(signal)
    const waitedMs = this.#time.monotonic() - askedAt
    const policy = this.policyOf(tool)
    const progress = new CallProgress(params, this.#deps.toClient, this.#time)
    try {
      const limits = { ...this.#limits(tool), waitedMs }
      const answered = await this.#asked(given, limits, policy.retry === 'replay', progress, signal)
      return this.#answer(answered, message)
    } catch (error) {
      if (signal.aborted) return undefined
      if (!isCallFailed(error)) throw error
      const decided: Decided = { failure: error.failure, verdict: withRemedy(error.verdict) }
      const deferred = await this.#defer(message, tool, policy, error)
      if (deferred) return deferred
      const answered = answeredOf(error)
      if (answered) {
        const isUnsure = error.failure.class !== 'permanent' && error.failure.class !== 'unknown'
        const sentence = isUnsure ? sentenceFor(tool, decided, true) : undefined
        return this.#answer({ ...answered, line: withVerdict(answered, decided, sentence) }, message)
      }
      return failedAnswer(id, this.#era, sentenceFor(tool, decided, false), decided)
    } finally {
      progress.stop()
    }
  }

  /**
   * A client may call a tool that it knows from elsewhere; what may be repeated, only the list says. All calls wait for the
   * same list, so that none overtakes another.
   */
  async #knowTools(signal: AbortSignal): Promise<void> {
    if (this.#tools.size > 0) return
    this.#learning ??= this.#learnTools().then(isKnown => {
      // A server without tools is not asked before every call; one that died meanwhile is.
      if (!isKnown) this.#learning = undefined
    })
    await orAborted(this.#learning, signal)
  }

  /** Returns whether the server has answered. If not, nothing is known of it, and the call itself finds out why. */
  async #learnTools(): Promise<boolean> {
    const late = new AbortController()
    const cancel = this.#time.after(this.#deps.waitHereMs, () => late.abort())
    try {
      const connection = await this.upstream.connection(late.signal)
      const listed = this.#fetchList('tools/list', connection)
      return (await orAborted(listed, late.signal)) !== undefined
    } catch {
      return false
    } finally {
      cancel()
    }
  }

  /** Asks for a list on our own account. Returns whether it differs from what was known; undefined without an answer. */
  async #fetchList(method: string, connection: Connection): Promise<boolean | undefined> {
    const id = connection.ownId()
    const given = { line: lineOf({ id, method }), message: { type: 'request' as const, id, method } }
    const { line, message } = this.#written(given, connection, 'session')
    const reply = await connection.request(line, message)
    if (reply.how !== 'answered') return undefined
    return this.#learn(method, undefined, { ...reply, era: connection.greeting.era }) === true
  }

  /** Keeps a call for later, where it may be sent again and there is a point in waiting. */
  async #defer(
    message: Request,
    tool: string,
    policy: ToolPolicy,
    failed: CallFailed,
  ): Promise<Buffer | undefined> {
    const { deferral, names } = this.#deps
    if (!deferral || !mayBeDeferred(failed.failure, policy)) return undefined
    const { arguments: args } = message.params ?? {}
    const { traceparent, tracestate } = metaOf(message.params)
    const meta = { ...(traceparent ? { traceparent } : {}), ...(tracestate ? { tracestate } : {}) }
    const call: CallParams = {
      tool,
      ...(isObject(args) ? { arguments: args } : {}),
      ...(Object.keys(meta).length === 0 ? {} : { meta }),
    }
    const capability = names.capability[policy.retry]
    return deferral.defer({ message, era: this.#era, capability, provider: names.provider, call, failed })
  }

  async #list(given: Written, signal: AbortSignal): Promise<Buffer | undefined> {
    const { message } = given
    const { cache, ready } = this.upstream
    const cursor = typeof message.params?.cursor === 'string' ? message.params.cursor : undefined
    const last = cache.list(this.#era, message.method, cursor)
    const fromLast = ({ era, result }: NonNullable<typeof last>) => {
      this.#givenFromCache.add(message.method)
      return resultLine(message.id, listFor(result, message.method, era, this.#era))
    }
    if (!ready && last) {
      this.upstream.connection().catch(() => {})
      return fromLast(last)
    }
    try {
      const answered = await this.#tried(given, this.#limits(), true, undefined, signal, false)
      this.#learn(message.method, cursor, answered)
      return this.#answer(answered, message)
    } catch (error) {
      if (signal.aborted || !isCallFailed(error)) throw error
      // A server that is down has not lost its tools.
      const answered = answeredOf(error)
      if (last && !answered) return fromLast(last)
      if (answered) return this.#answer(answered, message)
      return failedRequest(message.id, error)
    }
  }

  /** A subscription has no answer until it ends; a server that is started again is asked again. */
  async #listen(given: Written, signal: AbortSignal): Promise<Buffer | undefined> {
    const { id } = given.message
    const started = await this.upstream.connection(signal)
    if (this.#isBridged('session')) {
      for (const uri of this.#bridged.begin(given.message, signal))
        await started.ask('resources/subscribe', { uri })
      return new Promise(resolve =>
        signal.addEventListener('abort', () => resolve(undefined), { once: true }),
      )
    }
    this.#subscriptions.set(id, { given, isAcknowledged: false })
    try {
      const connection = await this.upstream.connection(signal)
      const cancelled = new Promise<undefined>(resolve => {
        signal.addEventListener('abort', () => resolve(undefined), { once: true })
      })
      const reply = await Promise.race([connection.request(given.line, given.message), cancelled])
      if (reply === undefined) {
        connection.forget(id)
        void connection.tell(lineOf({ method: 'notifications/cancelled', params: { requestId: id } }), {
          type: 'notification',
          method: 'notifications/cancelled',
        })
        return undefined
      }
      if (reply.how === 'answered') return reply.line
      // It goes on with the next life of the server.
      return await cancelled
    } catch (error) {
      if (signal.aborted) return undefined
      if (isKnownFailure(error)) return failedRequest(id, { failure: error.failure, verdict: STOP })
      throw error
    } finally {
      this.#subscriptions.delete(id)
    }
  }

  async #forward(given: Written, signal: AbortSignal): Promise<Buffer | undefined> {
    const { message } = given
    const isRepeatable = REPEATABLE.has(message.method)
    try {
      const answered = await this.#asked(given, this.#limits(), isRepeatable, undefined, signal, false)
      if (REMEMBERED.has(message.method))
        this.#remembered.set(`${message.method} ${String(message.params?.uri)}`, given)
      if (message.method === 'resources/unsubscribe')
        this.#remembered.delete(`resources/subscribe ${String(message.params?.uri)}`)
      return this.#answer(answered, message)
    } catch (error) {
      if (signal.aborted) return undefined
      if (!isCallFailed(error)) throw error
      const answered = answeredOf(error)
      return answered ? this.#answer(answered, message) : failedRequest(message.id, error)
    }
  }

  /** Like {@link #tried}; asks a client of the era of sessions what a server of the other wants to know. */
  async #asked(
    given: Written,
    limits: Limits,
    repeatable: boolean,
    progress: CallProgress | undefined,
    signal: AbortSignal,
    isGated = true,
  ): Promise<Answered> {
    let answered = await this.#tried(given, limits, repeatable, progress, signal, isGated)
    for (let rounds = 0; this.#era === 'session'; rounds++) {
      const { result } = answered.response
      if (answered.era !== 'stateless' || !wantsInput(result, rounds)) break
      const params = { ...given.message.params, ...(await this.#input.answersTo(result, signal)) }
      const { id, method } = given.message
      const again = { line: lineOf({ id, method, params }), message: { ...given.message, params } }
      answered = await this.#tried(again, limits, repeatable, progress, signal, isGated)
    }
    return answered
  }

  /** What a server of the stateless era is told with every request, or by a subscription. */
  async #remember({ id, method, params }: Request): Promise<Buffer> {
    const uri = String(params?.uri)
    if (method === 'resources/subscribe') this.#resources.add(uri)
    else if (method === 'resources/unsubscribe') this.#resources.delete(uri)
    else this.#logLevel = params?.level
    const { ready } = this.upstream
    if (method !== 'logging/setLevel' && ready) this.#listenForClient(ready)
    return resultLine(id, '{}')
  }

  /** Asks a server of the stateless era to tell what clients of the other are told unasked. */
  #listenForClient(connection: Connection): void {
    if (this.#listening !== undefined) connection.forget(this.#listening)
    const id = connection.ownId()
    this.#listening = id
    const notifications = {
      ...ALL_CHANGES,
      ...(this.#resources.size === 0 ? {} : { resourceSubscriptions: [...this.#resources] }),
    }
    const message = {
      type: 'request' as const,
      id,
      method: 'subscriptions/listen',
      params: { notifications },
    }
    const { type: _, ...said } = message
    const written = this.#written({ line: lineOf(said), message }, connection, 'session')
    void connection.request(written.line, written.message)
  }

  /** Whether the client is of the other era than a server of this one, which is up. */
  #isBridged(server: Era): boolean {
    const { ready } = this.upstream
    return ready !== undefined && ready.greeting.era === server && this.#era !== server
  }

  /** Tries until there is an answer, or one try too many; rejects with `CallFailed`. */
  async #tried(
    given: Written,
    limits: Limits,
    repeatable: boolean,
    progress: CallProgress | undefined,
    signal: AbortSignal,
    isGated = true,
  ): Promise<Answered> {
    const { names, gate, waitHereMs } = this.#deps
    const { message } = given
    const token = metaOf(message.params).progressToken
    const beganAt = this.#time.monotonic()
    let workedMs = 0
    let tries = 0
    const { waitedMs = 0 } = limits
    const leftMs = () => Math.max(1, waitHereMs - waitedMs - (this.#time.monotonic() - beganAt - workedMs))
    const what = message.method === 'tools/call' ? String(message.params?.name) : message.method
    const options: CallOptions = {
      name: 'mcp',
      ...(isGated ? { provider: names.provider, gate } : {}),
      repeatable,
      // A try is one request, and the exchange knows what became of it.
      atomic: true,
      softFailures: false,
      policy: SERVER_HEALTH,
      maxRetries: RETRIES_HERE,
      signal,
      time: this.#time,
      // What is left at this moment: waits count, the server's own work does not.
      get longestWaitMs() {
        return leftMs()
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
    try {
      const { value } = await call(async context => {
        if (!this.upstream.ready) progress?.waiting(`MCP server ${this.settings.name} is starting`)
        const connection = await this.#started(leftMs(), context.signal)
        progress?.stop()
        const sentAt = this.#time.monotonic()
        const isFirst = tries++ === 0
        try {
          return await exchange(
            this.upstream,
            {
              ...limits,
              what,
              idleTimeoutMs: token === undefined ? Infinity : limits.idleTimeoutMs,
              onWatch: isAlive => {
                if (token !== undefined) this.#watched.set(token, isAlive)
              },
              // A late answer to the first try must not be taken for one to the second.
              write: used => this.#written(given, used, undefined, isFirst ? undefined : connection.ownId()),
            },
            this.#context(),
            context.signal,
            this.#time,
          )
        } finally {
          workedMs += this.#time.monotonic() - sentAt
        }
      }, options)
      return value
    } finally {
      if (token !== undefined) this.#watched.delete(token)
    }
  }

  /** A server that takes longer to start than the call may wait counts as not there yet. */
  async #started(waitMs: number, signal: AbortSignal): Promise<Connection> {
    const { ready } = this.upstream
    if (ready) return ready
    const late = new AbortController()
    const cancel = this.#time.after(waitMs, () => late.abort(new Error('model is loading')))
    try {
      return await this.upstream.connection(AbortSignal.any([signal, late.signal]))
    } catch (error) {
      if (!late.signal.aborted || signal.aborted) throw error
      throw new ExchangeFailed(this.upstream.stillStarting(this.#context()))
    } finally {
      cancel()
    }
  }

  #written(given: Written, connection: Connection, from = this.#era, id?: RequestId): Written {
    const { era: to } = connection.greeting
    const known = this.#client?.identity ?? { info: undefined, capabilities: {} }
    const identity = this.#logLevel === undefined ? known : { ...known, logLevel: this.#logLevel }
    return requestFor(given, { from, to, identity, ...(id === undefined ? {} : { id }) })
  }

  #answer({ line, response, era }: Answered, { method, id }: Request): Buffer {
    return answerFor(line, response, { method, id, from: era, to: this.#era })
  }

  #limits(tool?: string): Pick<Exchange, 'timeoutMs' | 'idleTimeoutMs' | 'atomic'> {
    const { timeoutMs, idleTimeoutMs, tools } = this.settings
    const own = tool === undefined ? undefined : tools[tool]
    return {
      timeoutMs: own?.timeoutMs ?? timeoutMs,
      idleTimeoutMs: own?.idleTimeoutMs ?? idleTimeoutMs,
      atomic: own?.atomic ?? false,
    }
  }

  #context(): ClassifyContext {
    return { ...this.#deps.classify(), provider: this.#deps.names.provider }
  }

  get #era() {
    return this.#client?.era ?? 'session'
  }

  /** Lists are kept for the next start, and say which tools may be called twice. */
  #learn(method: string, cursor: string | undefined, { line, response, era }: Answered): boolean | undefined {
    const text = line.toString('utf8')
    const span = spanOf(text, ['result'])
    if (!span || response.error) return undefined
    if (method === 'tools/list') for (const tool of toolsIn(response.result)) this.#tools.set(tool.name, tool)
    return this.upstream.cache.keep(era, method, cursor, text.slice(span.start, span.end))
  }

  async #onReady(connection: Connection): Promise<void> {
    this.#listening = undefined
    if (this.#isBridged('stateless')) this.#listenForClient(connection)
    for (const given of this.#remembered.values()) {
      const { method, params } = given.message
      await connection.ask(method, params)
    }
    for (const { given } of this.#subscriptions.values()) void connection.request(given.line, given.message)
    // A client that was given lists of last time hears of it if they have changed.
    for (const method of this.#givenFromCache) {
      this.#givenFromCache.delete(method)
      if (!(await this.#fetchList(method, connection))) continue
      const kind = method.split('/', 1)[0] as string
      this.#deps.toClient(lineOf({ method: `notifications/${kind}/list_changed` }))
    }
  }

  #onNotification(line: Buffer, message: Notification): void {
    const { method, params } = message
    if (method === 'notifications/progress') this.#watched.get(params?.progressToken)?.()
    if (this.#isBridged('session') && this.#bridged.tell(message)) return
    if (this.#isBridged('stateless')) {
      if (method === 'notifications/subscriptions/acknowledged') return
      const told = withoutSubscription(params)
      this.#deps.toClient(lineOf({ method, ...(told === undefined ? {} : { params: told }) }))
      return
    }
    const subscription = this.#subscriptions.get(metaOf(params)[META.subscription] as RequestId)
    if (method === 'notifications/subscriptions/acknowledged' && subscription) {
      // A server that was started again acknowledges what its client has known for long.
      if (subscription.isAcknowledged) return
      subscription.isAcknowledged = true
    }
    this.#deps.toClient(line)
  }
}

const STOP: Verdict = {
  action: 'cancel',
  as: 'exhausted',
  reason: 'the server is not there',
  rule: 'mcp:not_there',
}

/** What would allow a second try, in words of the config. */
function withRemedy(verdict: Verdict): Verdict {
  const reason = verdict.reason.replace(
    / \((?:one request|harmless twice)\?.*\)$/,
    ' (harmless twice? retry = "replay" for this tool)',
  )
  return { ...verdict, reason }
}

/** The server's own answer that a call failed with. */
function answeredOf({ cause }: CallFailed): Answered | undefined {
  return cause instanceof ExchangeFailed ? cause.answered : undefined
}

function parsed(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text)
}
