import { isCallFailed } from '../../../call/call-failed.ts'
import type { Gate } from '../../../provider/gate.ts'
import { META, metaOf } from '../era.ts'
import { type RpcMessage, resultLine } from '../json-rpc.ts'
import { failedRequest } from './answers.ts'
import { Bridge } from './bridge.ts'
import type { CallNames, CallParams } from './call-capability.ts'
import { ClientInput } from './client-input.ts'
import type { Connection } from './connection.ts'
import type { Deferral } from './deferral.ts'
import { fits, greetingFor } from './greeting.ts'
import { HeldCalls } from './held-calls.ts'
import { CACHED_LISTS } from './list-cache.ts'
import { Lists } from './lists.ts'
import { answeredOf, Requests } from './requests.ts'
import { ServerNews } from './server-news.ts'
import type { ServerSide } from './server-side.ts'
import { refusalOfStateless } from './stateless-rules.ts'
import { ToldAgain } from './told-again.ts'
import { ToolCalls } from './tool-calls.ts'
import type { ToolPolicy } from './tool-policy.ts'
import type { Request, Written } from './translate.ts'
import { type Client, Upstream, type UpstreamDeps } from './upstream.ts'
import type { UpstreamSettings } from './upstream-settings.ts'

/** Dependencies of a wrapped server. */
export interface WrappedServerDeps extends UpstreamDeps {
  names: CallNames
  /** Health of servers, shared with all processes on this machine. */
  gate: Gate
  /** Stores calls for later; undefined if they cannot be stored. */
  deferral: Deferral | undefined
  /** Receives what the server sends unasked. */
  toClient: (line: Buffer) => void
  /** Time a call may wait here before it is stored for later, in milliseconds. */
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
])

/** What only session servers are told by a request of its own. */
const SESSION_ONLY = new Set(['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'])

/** One server behind Mulligan: passes everything on unchanged, and steps in only when something fails. */
export class WrappedServer implements ServerSide {
  readonly upstream: Upstream
  readonly settings: UpstreamSettings
  readonly #bridge: Bridge
  readonly #input: ClientInput
  readonly #held: HeldCalls
  readonly #requests: Requests
  readonly #lists: Lists
  readonly #calls: ToolCalls
  readonly #news: ServerNews
  readonly #toldAgain = new ToldAgain()

  constructor(settings: UpstreamSettings, deps: WrappedServerDeps) {
    const { toClient, names } = deps
    this.settings = settings
    this.upstream = new Upstream(
      settings,
      {
        onNotification: (line, message) => {
          this.#requests.heard(message)
          this.#news.tell(line, message)
        },
        onRequest: (line, message) => {
          if (this.#bridge.isTo('session')) this.#held.ask(message)
          else toClient(line)
        },
        onReady: connection => void this.#renew(connection),
      },
      deps,
    )
    const bridge = new Bridge(this.upstream)
    this.#bridge = bridge
    this.#input = new ClientInput(toClient)
    this.#held = new HeldCalls((line, id) => this.tell(line, { type: 'response', id }))
    const requests = new Requests({ ...deps, bridge, input: this.#input, provider: names.provider })
    this.#requests = requests
    this.#lists = new Lists({ ...deps, bridge, requests })
    this.#calls = new ToolCalls({ ...deps, bridge, requests, lists: this.#lists })
    this.#news = new ServerNews({ ...deps, bridge, context: () => requests.context })
  }

  meet(client: Client): void {
    this.#bridge.meet(client)
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
      // It is down; its last greeting is better than none.
      if (last) return greetingFor(last, client)
      throw error
    }
  }

  async request(line: Buffer, message: Request, signal: AbortSignal): Promise<Buffer | undefined> {
    try {
      return await this.#answered({ line, message }, signal)
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
    this.upstream.flow(isOpen)
  }

  close(): Promise<void> {
    return this.upstream.close()
  }

  /** Names of all its tools, as it lists them now. Rejects with a `KnownFailure` if it cannot be asked. */
  tools(signal: AbortSignal): Promise<string[]> {
    return this.#lists.tools(signal)
  }

  /** When a call of this tool may be sent again. */
  policyOf(tool: string): ToolPolicy {
    return this.#lists.policyOf(tool)
  }

  /** Makes a queued call: no client waits for its answer here. */
  perform(params: CallParams, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    return this.#calls.perform(params, signal)
  }

  async #answered(given: Written, signal: AbortSignal): Promise<Buffer | undefined> {
    const { message } = given
    const { method } = message
    const { era } = this.#bridge
    if (era === 'stateless') {
      const refusal = refusalOfStateless(message)
      if (refusal) await this.upstream.connection(signal)
      if (refusal && this.#bridge.isTo('session')) return refusal
      this.#news.logFrom(metaOf(message.params)[META.logLevel])
    }
    if (CACHED_LISTS.includes(method)) return this.#lists.list(given, signal)
    if (method === 'subscriptions/listen') return this.#news.listen(given, signal)
    if (method === 'ping' && (!this.upstream.ready || this.#bridge.isTo('stateless')))
      return resultLine(message.id, '{}')
    if (era === 'session' && SESSION_ONLY.has(method)) {
      await this.upstream.connection(signal)
      if (this.#bridge.isTo('stateless')) return this.#news.keep(message)
    }
    const begin = (until: AbortSignal) =>
      method === 'tools/call' ? this.#calls.call(given, until) : this.#forward(given, until)
    return era === 'stateless' ? this.#held.answered(message, signal, begin) : begin(signal)
  }

  async #forward(given: Written, signal: AbortSignal): Promise<Buffer | undefined> {
    const { message } = given
    const isRepeatable = REPEATABLE.has(message.method)
    try {
      const asking = { limits: this.#requests.limits(), isRepeatable, isGated: false }
      const answered = await this.#requests.ask(given, asking, signal)
      this.#toldAgain.taken(message)
      return this.#bridge.answer(answered, message)
    } catch (error) {
      if (signal.aborted) return undefined
      if (!isCallFailed(error)) throw error
      const answered = answeredOf(error)
      return answered ? this.#bridge.answer(answered, message) : failedRequest(message.id, error)
    }
  }

  /** The server is up, perhaps again. */
  async #renew(connection: Connection): Promise<void> {
    await this.#toldAgain.renew(connection)
    await this.#news.renew(connection)
    await this.#lists.refresh(connection)
  }
}
