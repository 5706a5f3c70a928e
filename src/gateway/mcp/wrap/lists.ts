import { isCallFailed } from '../../../call/call-failed.ts'
import { orAborted } from '../../../time/or-aborted.ts'
import { realTime, type Time } from '../../../time/time.ts'
import { lineOf, readMessage, resultLine } from '../json-rpc.ts'
import { spanOf } from '../json-text.ts'
import { failedRequest } from './answers.ts'
import type { Bridge } from './bridge.ts'
import type { Connection } from './connection.ts'
import type { Answered } from './exchange.ts'
import { paramHeaders, withoutUnsendable } from './param-headers.ts'
import { answeredOf, type Requests } from './requests.ts'
import { type KnownTool, type ToolPolicy, toolPolicyOf, toolsIn } from './tool-policy.ts'
import { listFor, ownRequest, type Written } from './translate.ts'

/** A server whose list has more pages than this goes in circles. */
const MOST_PAGES = 100

/** Dependencies of the lists of one server. */
export interface ListsDeps {
  bridge: Bridge
  requests: Requests
  toClient: (line: Buffer) => void
  /** Reports one line to the operator. */
  note: (line: string) => void
  /** Time a call may wait for the tool list, in milliseconds. */
  waitHereMs: number
  time?: Time
}

/**
 * Lists of what one server has. They are kept for the next start, given from last time while the server is not up, and say
 * which tools may be called twice.
 */
export class Lists {
  readonly #deps: ListsDeps
  readonly #bridge: Bridge
  readonly #time: Time
  readonly #tools = new Map<string, KnownTool>()
  /** Ends when the list of tools has been asked for. */
  #learning: Promise<void> | undefined
  /** Lists that were answered from the cache and may be out of date. */
  readonly #givenFromCache = new Set<string>()

  constructor(deps: ListsDeps) {
    this.#deps = deps
    this.#bridge = deps.bridge
    this.#time = deps.time ?? realTime
    for (const page of this.#bridge.upstream.cache.pages('session', 'tools/list'))
      this.#know(JSON.parse(page))
  }

  /** Answers a request for a list. */
  async list(given: Written, signal: AbortSignal): Promise<Buffer | undefined> {
    const { message } = given
    const { upstream, era } = this.#bridge
    const cursor = typeof message.params?.cursor === 'string' ? message.params.cursor : undefined
    const last = upstream.cache.list(era, message.method, cursor)
    const fromLast = ({ era: from, result }: NonNullable<typeof last>) => {
      this.#givenFromCache.add(message.method)
      return resultLine(message.id, listFor(result, message.method, from, era))
    }
    if (!upstream.ready && last) {
      upstream.connection().catch(() => {})
      return fromLast(last)
    }
    const { requests } = this.#deps
    try {
      const asking = { limits: requests.limits(), isRepeatable: true, isGated: false }
      const answered = this.#usable(message.method, await requests.try(given, asking, signal))
      this.#learn(message.method, cursor, answered)
      return this.#bridge.answer(answered, message)
    } catch (error) {
      if (signal.aborted || !isCallFailed(error)) throw error
      const answered = answeredOf(error)
      if (answered) return this.#bridge.answer(answered, message)
      // A server that is down has not lost its tools.
      return last ? fromLast(last) : failedRequest(message.id, error)
    }
  }

  /** Names of all tools, as the server lists them now. Rejects with a `KnownFailure` if it cannot be asked. */
  async tools(signal: AbortSignal): Promise<string[]> {
    await this.#fetch('tools/list', await this.#bridge.upstream.connection(signal))
    return [...this.#tools.keys()]
  }

  /** When a call of this tool may be sent again. */
  policyOf(tool: string): ToolPolicy {
    return toolPolicyOf(this.#tools.get(tool), this.#bridge.upstream.settings.tools[tool])
  }

  /** The extra HTTP headers that the tool of a call asks for. */
  headersOf(tool: string, args: unknown): Record<string, string> {
    return paramHeaders(this.#tools.get(tool)?.inHeaders ?? [], args)
  }

  /**
   * A client may call a tool that it knows from elsewhere; what may be repeated, only the list says. All calls wait for the
   * same list, so that none overtakes another.
   */
  async knowTools(signal: AbortSignal): Promise<void> {
    if (this.#tools.size > 0) return
    this.#learning ??= this.#learnTools().then(isKnown => {
      // A server without tools is not asked before every call; one that has died since is.
      if (!isKnown) this.#learning = undefined
    })
    await orAborted(this.#learning, signal)
  }

  /** The server is up, so a client that was given cached lists is told if they have changed. */
  async refresh(connection: Connection): Promise<void> {
    for (const method of this.#givenFromCache) {
      this.#givenFromCache.delete(method)
      if (!(await this.#fetch(method, connection))) continue
      const kind = method.split('/', 1)[0] as string
      this.#deps.toClient(lineOf({ method: `notifications/${kind}/list_changed` }))
    }
  }

  /** Returns whether the server has answered. If not, nothing is known of it, and the call itself finds out why. */
  async #learnTools(): Promise<boolean> {
    const late = new AbortController()
    const cancel = this.#time.after(this.#deps.waitHereMs, () => late.abort())
    try {
      const connection = await this.#bridge.upstream.connection(late.signal)
      return (await orAborted(this.#fetch('tools/list', connection), late.signal)) !== undefined
    } catch {
      return false
    } finally {
      cancel()
    }
  }

  /** Asks for a list on our own account, page by page. Returns whether it differs from what was known; undefined without an answer. */
  async #fetch(method: string, connection: Connection): Promise<boolean | undefined> {
    let isOther = false
    let cursor: string | undefined
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const own = ownRequest(connection.ownId(), method, cursor === undefined ? undefined : { cursor })
      const reply = await connection.requestWithin(this.#bridge.written(own, connection, 'session'))
      if (reply.how !== 'answered') return undefined
      const answered = this.#usable(method, { ...reply, era: connection.greeting.era })
      if (this.#learn(method, cursor, answered) === true) isOther = true
      const next = answered.response.result?.nextCursor
      if (typeof next !== 'string' || next === cursor) break
      cursor = next
    }
    return isOther
  }

  /** Over HTTP, the protocol forbids tools whose arguments cannot be said in headers as they want. */
  #usable(method: string, answered: Answered): Answered {
    const { target, name } = this.#bridge.upstream.settings
    if (method !== 'tools/list' || target.by !== 'http' || answered.era !== 'stateless') return answered
    const { line, left } = withoutUnsendable(answered.line)
    if (left.length === 0) return answered
    this.#deps.note(`${name}: left out, because of what they want in headers: ${left.join(', ')}`)
    return { ...answered, line, response: readMessage(line) as Answered['response'] }
  }

  /** Returns whether a list differs from what was known; undefined if nothing was, or it is no list. */
  #learn(method: string, cursor: string | undefined, { line, response, era }: Answered): boolean | undefined {
    const text = line.toString('utf8')
    const span = spanOf(text, ['result'])
    if (!span || response.error) return undefined
    if (method === 'tools/list') this.#know(response.result)
    return this.#bridge.upstream.cache.keep(era, method, cursor, text.slice(span.start, span.end))
  }

  #know(result: unknown): void {
    for (const tool of toolsIn(result)) this.#tools.set(tool.name, tool)
  }
}
