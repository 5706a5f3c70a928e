import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { KEPT_BY_ACCOUNT } from '../../sdk/fetch/model-request.ts'
import { Patience } from '../../sdk/fetch/patience.ts'
import { settleWithin } from '../../time/settle-within.ts'
import { realTime } from '../../time/time.ts'
import { Hosts } from '../http/hosts.ts'
import { type Listener, listen } from '../http/listener.ts'
import { BillUnread } from './allowance.ts'
import { type Asked, askedOf, urlOf } from './asked.ts'
import { type Caller, callerOf, KEY_PARAMETER } from './caller.ts'
import { answerControl, CONTROL_PATH } from './control.ts'
import { deliver } from './deliver.ts'
import { PROXY_TOKEN_FILE } from './files.ts'
import { headersToSend } from './headers.ts'
import type { StreamKind } from './in-vendor-words.ts'
import { Question, type QuestionDeps } from './question.ts'
import { SAY_KEPT } from './question-kinds.ts'
import { type ClientRequest, requestTo } from './request-to.ts'
import { NAME_SESSION, sessionOf } from './session.ts'
import { tell, tellExceeded } from './tell.ts'
import { topFieldsOf } from './top-fields.ts'
import { NoUpstream } from './upstream.ts'

/** The proxy is reached only from this machine: it speaks for whoever asks. */
const ADDRESS = '127.0.0.1'
const HOSTS = new Hosts(ADDRESS, [])
/** Clients on this machine send at once; a question with pictures may take a moment. */
const REQUEST_TIMEOUT_MS = 120_000
/** Time for streams to end when the proxy stops, in milliseconds. */
const CLOSE_GRACE_MS = 10_000

/** Time for answers that were cut then to be put on the bill, in milliseconds. */
const BILL_GRACE_MS = 5_000

/** The fields of a question by which anything is decided. */
const DECIDING = new Set(['model', 'stream', ...SAY_KEPT, ...KEPT_BY_ACCOUNT, ...NAME_SESSION])

/** Settings and collaborators of a {@link ModelProxy}. */
export interface ProxyOptions extends Omit<QuestionDeps, 'patience'> {
  port: number
  maxBodyBytes: number
  maxConnections: number
  /** Time for a whole question to arrive, in milliseconds. Default two minutes. */
  requestTimeoutMs?: number
  /** Time for streams to end when the proxy stops, in milliseconds. Default ten seconds. */
  closeGraceMs?: number
  /** Whether a text is the proxy's token. */
  isToken: (text: string) => boolean
  /** Called with errors that are no one's failure. */
  onError: (error: unknown) => void
}

/** A base URL for every agent: questions to models are retried, waited out and failed over, everything else passes. */
export class ModelProxy {
  readonly #options: ProxyOptions & QuestionDeps
  readonly #answering = new Set<Promise<void>>()
  #listener: Listener | undefined

  constructor(options: ProxyOptions) {
    this.#options = { ...options, patience: new Patience(options.time) }
  }

  /** Where it listens; undefined before it does. */
  get url(): string | undefined {
    return this.#listener?.url
  }

  /** Throws a `PortTaken` if another program has the port. */
  async start(): Promise<void> {
    const { port, maxConnections, requestTimeoutMs = REQUEST_TIMEOUT_MS } = this.#options
    const settings = {
      address: ADDRESS,
      port,
      anyPort: false,
      requestTimeoutMs,
      slowHint: `the proxy waits ${requestTimeoutMs / 1_000} s for a question`,
      maxConnections,
    }
    this.#listener = await listen(settings, (request, response) => {
      // Nothing about one request may end the process that serves all others.
      const giveUp = () => void response.destroy()
      response.on('error', giveUp)
      const answering = this.#answer(request, response).catch(giveUp)
      this.#answering.add(answering)
      void answering.then(() => this.#answering.delete(answering))
    })
  }

  /** Refuses what waits, and lets streams end. What they used is then on the bill. */
  async stop(): Promise<void> {
    const { holds, closeGraceMs = CLOSE_GRACE_MS } = this.#options
    holds.close('the proxy stops')
    await this.#listener?.close(closeGraceMs)
    await settleWithin(Promise.all(this.#answering), realTime, BILL_GRACE_MS)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: target = '/', headers } = request
    const asked = askedOf(method, target, headers)
    try {
      const refused = refusedPlace(request)
      if (refused !== undefined) throw new NoUpstream(403, refused)
      if (!target.startsWith('/'))
        throw new NoUpstream(400, 'this is a base URL, not a proxy for other hosts')
      const url = urlOf(asked)
      const key = url.search === '' ? null : url.searchParams.get(KEY_PARAMETER)
      const caller = callerOf(headers, key, this.#options.isToken)
      if (caller.hasWrongToken)
        throw new NoUpstream(
          401,
          `this is a token of Mulligan, but not the proxy's: send the one in ${PROXY_TOKEN_FILE}`,
        )
      if (target.startsWith(CONTROL_PATH))
        return await answerControl(this.#options, target, caller, request, response)
      const given = givenBy(request, url)
      if (asked.isQuestion) await this.#question(request, given, asked, caller, response)
      else await this.#pass(request, given, asked, caller, response)
    } catch (error) {
      this.#failed(error, asked, response)
    }
  }

  async #question(
    request: IncomingMessage,
    given: ClientRequest,
    asked: Asked,
    caller: Caller,
    to: ServerResponse,
  ): Promise<void> {
    const body = await bodyOf(request, this.#options.maxBodyBytes)
    const question = { ...given, body, json: decidingFieldsOf(body) }
    const session = sessionOf(request.headers, question.json)
    const exceeded = await this.#options.allowance?.exceededBy({ client: caller.client, session })
    if (exceeded !== undefined) return tellExceeded(to, asked.api, exceeded)
    const asking = new Question(this.#options, asked, caller, question, to, session)
    await asking.answer().catch(error => this.#failed(error, asked, to, asking.openStream))
  }

  /** Anything but a question goes to the first upstream once, as it is. */
  async #pass(
    request: IncomingMessage,
    given: ClientRequest,
    asked: Asked,
    caller: Caller,
    to: ServerResponse,
  ): Promise<void> {
    const { upstreams, send } = this.#options
    const [first] = upstreams.for(asked.api, caller, undefined)
    if (!first) return
    const ending = new AbortController()
    to.once('close', () => ending.abort(new Error('the client left')))
    const { url, init } = requestTo(given, first, ending.signal)
    const body = bodyToPass(request)
    const length = request.headers['content-length']
    // Some refuse uploads that do not say their length.
    const headers =
      body.body && length !== undefined ? { ...init.headers, 'content-length': length } : init.headers
    await deliver(await send(url, { ...init, ...body, headers: headers as Record<string, string> }), to)
  }

  #failed(error: unknown, { api }: Asked, to: ServerResponse, stream?: StreamKind): void {
    if (to.destroyed) return
    if (error instanceof NoUpstream || error instanceof TooLarge || error instanceof BillUnread)
      tell(to, api, say(error.status, error.message), stream)
    else {
      const { message, cause } = error instanceof Error ? error : new Error(String(error))
      const why = cause instanceof Error ? cause.message : message
      tell(to, api, say(502, `Mulligan cannot reach the provider: ${why}`), stream)
    }
    // Last: whoever asks is answered, even if the error cannot be logged.
    if (!(error instanceof NoUpstream || error instanceof TooLarge)) this.#options.onError(error)
  }
}

function say(status: number, message: string) {
  return { class: status < 500 ? 'permanent' : 'transient', status, message } as const
}

/** Why a request from this place is refused: a stranger's page must not spend the keys of this machine. */
function refusedPlace({ headers }: IncomingMessage): string | undefined {
  if (!HOSTS.allows(headers.host)) return 'this host name is not allowed; use http://127.0.0.1'
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined)
    return 'browsers are refused: their pages must not use the keys of this machine'
  return undefined
}

/** What a client sends, but for its body. */
function givenBy({ headers, method = 'GET' }: IncomingMessage, url: URL): ClientRequest {
  const { pathname: path } = url
  return {
    url,
    path,
    method,
    headers: headersToSend(headers),
    signal: undefined,
    body: undefined,
    json: undefined,
  }
}

/** The body of a request that passes. `fetch` sends none with a GET. */
function bodyToPass(request: IncomingMessage): RequestInit & { duplex?: 'half' } {
  const { method, headers } = request
  const isEmpty = (headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined
  if (isEmpty || method === 'GET' || method === 'HEAD') return {}
  return { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' }
}

/** The question has more bytes than the config allows. */
class TooLarge extends Error {
  override name = 'TooLarge'
  readonly status = 413
}

function bodyOf(request: IncomingMessage, most: number): Promise<Buffer<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let bytes = 0
    const take = (piece: Buffer) => {
      bytes += piece.byteLength
      pieces.push(piece)
      if (bytes <= most) return
      // The rest comes to nothing.
      request.off('data', take).resume()
      reject(new TooLarge(`the question is larger than ${most} bytes; see max_body_bytes in [proxy]`))
    }
    const end = () =>
      resolve((pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)) as Buffer<ArrayBuffer>)
    request.on('data', take).on('end', end).on('error', reject)
  })
}

/** Longer bodies are parsed as a whole: what that leaves behind makes the collector free the bytes, of which it knows too late. */
const MOST_READ = 32_768

function decidingFieldsOf(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  if (body.length <= MOST_READ) return topFieldsOf(body, DECIDING)?.values
  try {
    const json: unknown = JSON.parse(body.toString('utf8'))
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
