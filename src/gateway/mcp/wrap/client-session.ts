import type { Readable, Writable } from 'node:stream'
import { isKnownFailure } from '../../../failure/own-error.ts'
import { present } from '../../../failure/present.ts'
import { redact } from '../../../failure/redact.ts'
import { idOfDropped } from '../dropped-line.ts'
import { identityIn, identityOfHello, META, metaOf, REVISION } from '../era.ts'
import {
  isObject,
  lineOf,
  type NoMessage,
  type RequestId,
  type RpcMessage,
  readMessage,
  resultLine,
} from '../json-rpc.ts'
import { LineReader } from '../lines.ts'
import { mayHaveHappened } from './answers.ts'
import { Cancelled, type Notification, type ServerSide } from './server-side.ts'
import type { Request } from './translate.ts'
import type { Client } from './upstream.ts'

/** One client over stdin and stdout: every request of it gets an answer, unless it gives it up. */
export class ClientSession {
  readonly #input: Readable
  readonly #output: Writable
  readonly #server: ServerSide
  readonly #requests = new Map<RequestId, AbortController>()
  readonly #onClient: (client: Client) => void
  readonly #met = Promise.withResolvers<void>()
  #isKnown = false

  /** @param onClient told who the client is, as soon as it says so */
  constructor(
    { input, output }: { input: Readable; output: Writable },
    server: ServerSide,
    onClient: (client: Client) => void = () => {},
  ) {
    this.#onClient = onClient
    this.#input = input
    this.#output = output
    this.#server = server
  }

  /** Resolves when the client has said who it is, or asks for something without that. */
  get met(): Promise<void> {
    return this.#met.promise
  }

  /** Serves until the client is gone. */
  run(): Promise<void> {
    const lines = new LineReader(
      line => this.#read(line),
      undefined,
      undefined,
      dropped => {
        const id = idOfDropped(dropped)
        const problem = 'the message is too long'
        this.#refuse({ type: 'invalid', problem, isGarbage: false, ...present({ id }) })
      },
    )
    return new Promise(resolve => {
      const gone = () => {
        for (const request of this.#requests.values()) request.abort(new Cancelled('the client is gone'))
        resolve()
      }
      this.#input.on('data', (chunk: Buffer) => lines.push(chunk))
      this.#input.once('end', gone)
      this.#input.once('close', gone)
      this.#input.once('error', gone)
    })
  }

  /** Sends the client a line. If it does not keep up, servers are not read until it does. */
  readonly send = (line: Buffer): void => {
    if (this.#output.write(line) || this.#output.listenerCount('drain') > 0) return
    this.#server.flow(false)
    this.#output.once('drain', () => this.#server.flow(true))
  }

  #read(line: Buffer): void {
    const message = readMessage(line)
    switch (message.type) {
      case 'invalid':
        if (line.length > 1) this.#refuse(message)
        return
      case 'request':
        void this.#answer(line, message)
        return
      case 'notification':
        this.#told(line, message)
        return
      case 'response':
        this.#server.tell(line, message)
    }
  }

  #refuse({ problem, isGarbage, id = null as unknown as RequestId }: NoMessage): void {
    const code = isGarbage ? -32700 : -32600
    this.send(lineOf({ id, error: { code, message: `no message of JSON-RPC: ${problem}` } }))
  }

  async #answer(line: Buffer, message: Request): Promise<void> {
    const { id } = message
    const abort = new AbortController()
    this.#requests.set(id, abort)
    try {
      const answer = await this.#handled(line, message, abort.signal)
      if (answer && !abort.signal.aborted) this.send(answer)
    } catch (error) {
      if (!abort.signal.aborted) this.send(lineOf({ id, error: errorOf(error, message) }))
    } finally {
      // A client may use an id twice at once, although it must not.
      if (this.#requests.get(id) === abort) this.#requests.delete(id)
    }
  }

  async #handled(line: Buffer, message: Request, signal: AbortSignal): Promise<Buffer | undefined> {
    const { id, method, params } = message
    const client = clientIn(method, params)
    if (client && !this.#isKnown) this.#onClient(client)
    if (client && isHello(method, params)) {
      this.#isKnown = true
      const greeting = this.#server.greet(client)
      this.#met.resolve()
      return resultLine(id, await greeting)
    }
    // Who speaks the newer way need not say hello.
    if (client && !this.#isKnown) {
      this.#isKnown = true
      this.#server.meet(client)
    }
    this.#met.resolve()
    return this.#server.request(line, message, signal)
  }

  #told(line: Buffer, message: Notification): void {
    const { method, params } = message
    // The server was told when it was started.
    if (method === 'notifications/initialized') return
    const request =
      method === 'notifications/cancelled' ? this.#requests.get(params?.requestId as RequestId) : undefined
    if (!request) {
      this.#server.tell(line, message)
      return
    }
    const reason = typeof params?.reason === 'string' ? params.reason : 'the client does not need it any more'
    request.abort(new Cancelled(reason))
  }
}

/** A hello that is not whole, or of a revision that is not spoken here, is the server's to answer. */
function isHello(method: string, params: RpcMessageParams): boolean {
  const { [META.version]: version, [META.clientCapabilities]: capabilities } = metaOf(params)
  if (method === 'initialize') return version === undefined
  return method === 'server/discover' && version === REVISION.stateless && isObject(capabilities)
}

function clientIn(method: string, params: RpcMessageParams): Client | undefined {
  if (method === 'initialize' && isHello(method, params)) {
    const revision = params?.protocolVersion
    return {
      identity: identityOfHello(params),
      era: 'session',
      ...(typeof revision === 'string' ? { revision } : {}),
    }
  }
  const identity = identityIn(params)
  return identity && { identity, era: 'stateless' }
}

type RpcMessageParams = Extract<RpcMessage, { type: 'request' }>['params']

function errorOf(error: unknown, { method, params }: Request): { code: number; message: string } {
  if (isKnownFailure(error)) return { code: -32000, message: error.failure.message }
  const problem = redact(error instanceof Error ? error.message : String(error))
  // A defect of Mulligan itself: nobody knows how far a call got.
  const more = method === 'tools/call' ? ` ${mayHaveHappened(String(params?.name))}` : ''
  return { code: -32603, message: `Mulligan could not pass this on: ${problem}.${more}` }
}
