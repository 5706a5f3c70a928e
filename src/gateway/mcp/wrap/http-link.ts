import { MEANING, type MeaningfulError, type OwnMeaning } from '../../../failure/own-error.ts'
import { present } from '../../../failure/present.ts'
import { realTime, sleep, type Time } from '../../../time/time.ts'
import { META, metaOf } from '../era.ts'
import { isObject, type RequestId, type RpcMessage, readBatch, readMessage } from '../json-rpc.ts'
import { firstText, Valve, wholeText } from './http-body.ts'
import type { HttpRefusal, Link, LinkListener, OpenLink } from './link.ts'
import { NoAnswer } from './no-answer.ts'
import { headerValue } from './param-headers.ts'
import { patientFetch } from './patient-fetch.ts'
import { sseEvents } from './sse.ts'

/** A server that is spoken to over streamable HTTP. */
export interface HttpTarget {
  url: string
  /** Sent with every request. */
  headers: Readonly<Record<string, string>>
}

type Request = Extract<RpcMessage, { type: 'request' }>
type MoreHeaders = Readonly<Record<string, string>>

/** Bytes of a refusal that are read. */
const REFUSAL_BYTES = 65_536
/** Time to say goodbye, in milliseconds. */
const GOODBYE_MS = 1_000
/** Waits before a stream that was cut is opened again, in milliseconds. */
const REOPEN_MS = [1_000, 2_000, 5_000, 15_000, 30_000] as const
/** How often a cut answer is asked for again, where the server numbers its events. */
const RESUMES = 2

/** Speaks to a server over streamable HTTP. */
export function httpLink(target: HttpTarget, time: Time = realTime): OpenLink {
  return listener => new HttpLink(target, listener, time)
}

class HttpLink implements Link {
  readonly lastWords = ''
  readonly #target: HttpTarget
  readonly #listener: LinkListener
  readonly #time: Time
  readonly #closing = new AbortController()
  readonly #requests = new Map<RequestId, AbortController>()
  readonly #valve = new Valve()
  #session: string | undefined
  #revision: string | undefined
  #isListening = false

  constructor(target: HttpTarget, listener: LinkListener, time: Time) {
    this.#target = target
    this.#listener = listener
    this.#time = time
  }

  async send(line: Buffer, message: RpcMessage, more: MoreHeaders = {}): Promise<void> {
    if (this.#closing.signal.aborted) throw new Error('Not connected')
    if (message.type !== 'request') {
      await this.#tell(line, message)
      return
    }
    const abort = new AbortController()
    this.#requests.set(message.id, abort)
    void this.#ask(line, message, more, abort.signal)
      .catch(error => {
        if (!abort.signal.aborted) this.#listener.onLost(message.id, error)
      })
      .finally(() => this.#requests.delete(message.id))
  }

  abandon(id: RequestId): void {
    this.#requests.get(id)?.abort(new Error('the request was given up'))
  }

  agreed(revision: string): void {
    this.#revision = revision
  }

  flow(isOpen: boolean): void {
    this.#valve.turn(isOpen)
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return
    this.#closing.abort(new Error('the link was closed'))
    for (const abort of this.#requests.values()) abort.abort(new Error('the link was closed'))
    this.#valve.turn(true)
    if (this.#session !== undefined)
      await patientFetch(this.#target.url, {
        method: 'DELETE',
        headers: this.#headers(),
        redirect: 'manual',
        signal: AbortSignal.timeout(GOODBYE_MS),
      }).catch(() => {})
    this.#listener.onEnd({ how: 'closed' })
  }

  async #ask(line: Buffer, message: Request, more: MoreHeaders, abort: AbortSignal): Promise<void> {
    const { id, method } = message
    const signal = AbortSignal.any([abort, this.#closing.signal])
    const isHello = method === 'initialize'
    const response = await patientFetch(this.#target.url, {
      method: 'POST',
      headers: this.#headers(message, more),
      body: line as Uint8Array<ArrayBuffer>,
      redirect: 'manual',
      signal,
    })
    if (isHello && response.ok) this.#session = response.headers.get('mcp-session-id') ?? undefined
    const type = (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase()
    if (!response.ok) {
      const refusal = await refusalOf(response, this.#valve)
      const isAnswer = isAnswerTo(id, refusal.body)
      if (this.#session !== undefined && isSessionGone(refusal, isAnswer)) this.#forgotten(id)
      // An error of the protocol is the server's answer to this request, whatever the status.
      else if (isAnswer) this.#deliver(refusal.body)
      else this.#listener.onRefused(id, refusal)
      return
    }
    if (type === 'text/event-stream') await this.#follow(response, id, signal)
    else if (type === 'application/json') {
      if (!this.#deliver(await wholeText(this.#valve.through(response)), id))
        throw new NoAnswer('sent a response without the answer')
    } else {
      await response.body?.cancel()
      throw new NoAnswer(`answered with ${type || 'no content type'} instead of JSON`)
    }
  }

  /** The server took nothing in: the same request goes over the next session. */
  #forgotten(id: RequestId): void {
    const error = new SessionGone()
    this.#listener.onLost(id, error)
    this.#session = undefined
    if (this.#closing.signal.aborted) return
    this.#closing.abort(error)
    this.#listener.onEnd({ how: 'failed', error })
  }

  /** Reads a stream until it has the answer; one that was cut is resumed where the server can do that. */
  async #follow(response: Response, id: RequestId, signal: AbortSignal): Promise<void> {
    let stream = response
    let lastId: string | undefined
    let retryMs: number | undefined
    for (let resumes = 0; ; resumes++) {
      try {
        for await (const event of sseEvents(this.#valve.through(stream))) {
          lastId = event.id ?? lastId
          retryMs = event.retryMs ?? retryMs
          if (event.data === '' || (event.event !== undefined && event.event !== 'message')) continue
          if (this.#deliver(event.data, id)) return
        }
      } catch (error) {
        const isResumable = lastId !== undefined && resumes < RESUMES && !(error instanceof NoAnswer)
        if (signal.aborted || !isResumable) throw error
      }
      if (lastId === undefined || resumes >= RESUMES || this.#session === undefined)
        throw new NoAnswer('ended its stream before the answer came', 'stream_cut')
      await sleep(this.#time, retryMs ?? (REOPEN_MS[resumes] as number), signal)
      stream = await patientFetch(this.#target.url, {
        headers: { ...this.#headers(), accept: 'text/event-stream', 'last-event-id': lastId },
        redirect: 'manual',
        signal,
      })
      if (!stream.ok) {
        await stream.body?.cancel()
        throw new NoAnswer('ended its stream before the answer came, and did not resume it', 'stream_cut')
      }
    }
  }

  async #tell(line: Buffer, message: RpcMessage): Promise<void> {
    const response = await patientFetch(this.#target.url, {
      method: 'POST',
      headers: this.#headers(message),
      body: line as Uint8Array<ArrayBuffer>,
      redirect: 'manual',
      signal: this.#closing.signal,
    })
    await response.body?.cancel()
    if (message.type === 'notification' && message.method === 'notifications/initialized' && response.ok)
      this.#listen()
  }

  /** What a session server says unasked comes over a stream of its own. */
  #listen(): void {
    if (this.#isListening) return
    this.#isListening = true
    void this.#listenOn().catch(() => {})
  }

  async #listenOn(): Promise<void> {
    const { signal } = this.#closing
    let lastId: string | undefined
    let retryMs: number | undefined
    for (let times = 0; !signal.aborted; times++) {
      try {
        const response = await patientFetch(this.#target.url, {
          headers: {
            ...this.#headers(),
            accept: 'text/event-stream',
            ...present({ 'last-event-id': lastId }),
          },
          redirect: 'manual',
          signal,
        })
        // It has none, or the session is gone: then the next request finds out.
        if (!response.ok) return await response.body?.cancel()
        times = 0
        for await (const { id, data, event, retryMs: wanted } of sseEvents(this.#valve.through(response))) {
          lastId = id ?? lastId
          retryMs = wanted ?? retryMs
          if (data !== '' && (event === undefined || event === 'message')) this.#deliver(data)
        }
      } catch {
        // Opened again below.
      }
      const ownMs = REOPEN_MS[Math.min(times, REOPEN_MS.length - 1)] as number
      await sleep(this.#time, Math.max(ownMs, retryMs ?? 0), signal)
    }
  }

  /** Gives messages on; true if one of them answers this request. */
  #deliver(text: string, id?: RequestId): boolean {
    const message = readMessage(text)
    if (message.type !== 'invalid') {
      this.#listener.onMessage(Buffer.from(`${oneLine(text)}\n`), message)
      return message.type === 'response' && message.id === id
    }
    const batch = readBatch(message, text)
    if (!batch) {
      this.#listener.onNoise(`it sent something that is no message (${message.problem})`, text.slice(0, 200))
      return false
    }
    for (const each of batch) this.#listener.onMessage(each.line, each.message)
    return batch.some(each => each.message.type === 'response' && each.message.id === id)
  }

  #headers(message?: RpcMessage, more: MoreHeaders = {}): Record<string, string> {
    const isHello = message?.type === 'request' && message.method === 'initialize'
    return {
      ...this.#target.headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(this.#session === undefined || isHello ? {} : { 'mcp-session-id': this.#session }),
      ...(this.#revision === undefined || isHello ? {} : { 'mcp-protocol-version': this.#revision }),
      ...(message?.type === 'request' ? headersOf(message, more) : {}),
    }
  }
}

/** The server has forgotten the session, with all that it knew of it; the request was not taken. */
class SessionGone extends Error implements MeaningfulError {
  override name = 'SessionGone'

  constructor() {
    super('the server has forgotten the session')
  }

  get [MEANING](): OwnMeaning {
    return { kind: 'conflict', class: 'transient', effect: 'none' }
  }
}

/**
 * 404 by the protocol; many servers answer 400 and mention the session. An answer to the request itself comes from the
 * tool, which may have acted, unless the status is 404 and it is about the session.
 */
function isSessionGone({ status, body }: HttpRefusal, isAnswer: boolean): boolean {
  const mentionsSession = /\bsession\b/i.test(body)
  if (isAnswer) return status === 404 && mentionsSession
  return status === 404 || (status === 400 && mentionsSession)
}

/** What a request of the stateless era says in its headers too, so that those on the way can route it. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

function headersOf({ method, params }: Request, more: MoreHeaders): Record<string, string> {
  const version = metaOf(params)[META.version]
  if (typeof version !== 'string') return {}
  const field = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined
  const name = field === undefined ? undefined : params?.[field]
  return {
    ...more,
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': headerValue(name) } : {}),
  }
}

async function refusalOf(response: Response, valve: Valve): Promise<HttpRefusal> {
  const { status } = response
  const headers = Object.fromEntries(response.headers)
  const location = headers.location
  if (status >= 300 && status < 400) {
    await response.body?.cancel()
    return { status, headers, body: `redirected to ${location}; give that address if it is right` }
  }
  return { status, headers, body: await firstText(valve.through(response), REFUSAL_BYTES) }
}

function isAnswerTo(id: RequestId, body: string): boolean {
  const message = readMessage(body)
  return message.type === 'response' && message.id === id
}

/** JSON may be written over several lines; on stdio a message is one. Line ends within texts are escaped anyway. */
function oneLine(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]+/g, ' ') : text
}

/** Whether this is the address of a server, and not a program. */
export function isHttpAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && isObject(URL.parse(text) ?? undefined)
}
