import { classify } from '../../../failure/classify.ts'
import type { ClassifyContext } from '../../../failure/context.ts'
import type { Failure } from '../../../failure/failure.ts'
import { KnownFailure } from '../../../failure/own-error.ts'
import { present } from '../../../failure/present.ts'
import { realTime, type Time } from '../../../time/time.ts'
import { durationInWords } from '../../../verdict/duration-words.ts'
import type { Era } from '../era.ts'
import type { RpcError } from '../json-rpc.ts'
import type { Connection, Reply } from './connection.ts'
import type { HttpRefusal } from './link.ts'
import { withoutOurKeys } from './our-keys.ts'
import { believed, TOOL_ERROR } from './server-health.ts'
import { lostFailure, remarks, type Troubled } from './server-trouble.ts'
import type { Written } from './translate.ts'
import type { Upstream } from './upstream.ts'

/** A server's answer, and its era. */
export interface Answered extends Pick<Extract<Reply, { how: 'answered' }>, 'line' | 'response'> {
  era: Era
}

/** A request on its way to a server. */
export interface Exchange {
  /** Writes the line for this connection, whose era may differ from the last one's. */
  write(connection: Connection): Written
  /** Its name in messages: the tool, or the method. */
  what: string
  /** Longest time until the answer, in milliseconds. */
  timeoutMs: number
  /** Longest silence, in milliseconds; Infinity if the server has no way to show progress. */
  idleTimeoutMs: number
  /** A refusal of the tool itself proves that nothing happened. */
  atomic: boolean
  /** Receives the function to call whenever the server shows progress. */
  onWatch?: (isAlive: () => void) => void
}

/** What a request fails with: the failure, and the server's own answer if it gave one. */
export class ExchangeFailed extends KnownFailure {
  readonly answered: Answered | undefined

  constructor(failure: Failure, answered?: Answered, cause?: unknown) {
    super(failure, cause)
    this.answered = answered
  }
}

/** How many lives of a server an unsent request is tried with. */
const MOST_LIVES = 3

/**
 * Sends a request once, and waits for its answer. Rejects with an {@link ExchangeFailed} whose effect says whether the
 * request may have been carried out.
 * @param context for the classifier; asked when the request has failed, because times that a server states count from then
 * @param signal aborts if the client gives it up; the server is then told
 */
export async function exchange(
  upstream: Upstream,
  request: Exchange,
  context: () => ClassifyContext,
  signal: AbortSignal,
  time: Time = realTime,
): Promise<Answered> {
  const { connection, id, reply, sentAt } = await sent(upstream, request, signal, time)
  if (reply.how === 'over') {
    connection.giveUp(id, reply.reason)
    if (signal.aborted) throw signal.reason
    throw new ExchangeFailed(overdue(upstream, request, reply.reason, sentAt, context()))
  }
  if (reply.how === 'answered') {
    const answered = withoutOurKeys({ ...reply, era: connection.greeting.era })
    const failure = failureOfAnswer(answered, request, context(), time.now())
    if (failure) throw new ExchangeFailed(failure, answered)
    return answered
  }
  throw new ExchangeFailed(
    failureOfReply(upstream.troubled(sentAt), request, reply, context()),
    undefined,
    causeOf(reply),
  )
}

/** Sends nothing twice: only a request that could not be sent goes to the next life of a dying server. */
async function sent(upstream: Upstream, request: Exchange, signal: AbortSignal, time: Time) {
  for (let lives = 1; ; lives++) {
    const connection = await upstream.connection(signal)
    signal.throwIfAborted()
    const written = request.write(connection)
    // Only now: a server that takes long to start has not taken long to answer.
    const watch = new Watch(request, time, signal)
    request.onWatch?.(() => watch.isAlive())
    const sentAt = time.monotonic()
    const reply = await Promise.race([connection.request(written), watch.over]).finally(() => watch.stop())
    const isNext = reply.how === 'unsent' && lives < MOST_LIVES && (await connection.over()) !== undefined
    if (!isNext) return { connection, id: written.message.id, reply, sentAt }
  }
}

/** Both limits of an exchange: the whole time, and the time without a sign of life. */
class Watch {
  readonly over: Promise<{ how: 'over'; reason: string }>
  readonly #time: Time
  readonly #idleMs: number
  #end!: (reason: string) => void
  readonly #cancelTotal: () => void
  #cancelIdle: () => void
  #isStopped = false
  readonly #stopListening: () => void

  constructor({ timeoutMs, idleTimeoutMs }: Exchange, time: Time, signal: AbortSignal) {
    this.#time = time
    this.#idleMs = idleTimeoutMs
    this.over = new Promise(resolve => {
      this.#end = reason => resolve({ how: 'over', reason })
    })
    this.#cancelTotal = time.after(timeoutMs, () =>
      this.#end(`did not answer within ${durationInWords(timeoutMs)}`),
    )
    this.#cancelIdle = () => {}
    this.isAlive()
    const onAbort = () => this.#end(reasonOf(signal))
    signal.addEventListener('abort', onAbort, { once: true })
    this.#stopListening = () => signal.removeEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
  }

  isAlive(): void {
    if (this.#isStopped) return
    this.#cancelIdle()
    this.#cancelIdle = this.#time.after(this.#idleMs, () =>
      this.#end(`showed no sign of life for ${durationInWords(this.#idleMs)}`),
    )
  }

  stop(): void {
    this.#isStopped = true
    this.#cancelTotal()
    this.#cancelIdle()
    this.#stopListening()
  }
}

function reasonOf({ reason }: AbortSignal): string {
  return reason instanceof Error ? reason.message : 'was not needed any more'
}

function overdue(
  upstream: Upstream,
  { what }: Exchange,
  reason: string,
  sentAt: number,
  context: ClassifyContext,
): Failure {
  const failure = classify(new Error('MCP error -32001: Request timed out'), {
    ...context,
    own: { timedOut: true },
  }) as Failure
  const troubled = upstream.troubled(sentAt)
  const message = `MCP server ${JSON.stringify(troubled.name)} ${reason} to ${what}${remarks(troubled)}`
  return { ...failure, effect: 'maybe', message }
}

/** Codes that mean that the server did not accept a request at all. */
const NOT_TAKEN: readonly number[] = [-32700, -32600, -32601, -32602, -32022, -32021, -32020]

/** What is wrong with an answer; undefined if nothing. */
function failureOfAnswer(
  { response }: Answered,
  { atomic }: Exchange,
  context: ClassifyContext,
  now: number,
): Failure | undefined {
  const { error, result } = response
  if (!error && result?.isError !== true) return undefined
  const said = classify(error ? asError(error) : result, { ...context, returned: !error }) as Failure
  const code = error ? `${error.code}` : TOOL_ERROR
  const read = believed({ ...said, code }, now, error?.data !== undefined)
  // Only the tool knows what it did before it failed, unless the config declares that its errors prove that it did nothing.
  const isProven = error !== undefined && NOT_TAKEN.includes(error.code)
  return { ...read, effect: isProven || (atomic && read.class !== 'timeout') ? 'none' : 'maybe' }
}

/** As the official client throws it, which the catalogue knows. */
function asError({ code, message, data }: RpcError): Error {
  return Object.assign(new Error(`MCP error ${code}: ${message}`), {
    name: 'McpError',
    code,
    ...present({ data }),
  })
}

function failureOfReply(
  server: Troubled,
  { what, atomic }: Exchange,
  reply: Exclude<Reply, { how: 'answered' }>,
  context: ClassifyContext,
): Failure {
  switch (reply.how) {
    case 'refused': {
      const { refusal } = reply
      const failure = (classify(refusal, context) ?? classify(new Error(refusal.body), context)) as Failure
      const isProven = atomic || failure.class === 'permanent' || isRefusedUnread(refusal)
      return isProven || failure.effect !== 'none' ? failure : { ...failure, effect: 'maybe' }
    }
    case 'unsent': {
      const failure = classify(reply.error, context) as Failure
      return { ...failure, effect: 'none' }
    }
    case 'lost':
      return lostFailure(server, what, reply, context)
  }
}

/** Whether the transport turned a request away before a tool could see it. Other statuses may come from the tool. */
function isRefusedUnread({ status, headers }: HttpRefusal): boolean {
  return [401, 403, 429].includes(status) || (status === 503 && headers['retry-after'] !== undefined)
}

function causeOf(reply: Exclude<Reply, { how: 'answered' }>): unknown {
  if (reply.how === 'refused') return reply.refusal
  return reply.error
}
