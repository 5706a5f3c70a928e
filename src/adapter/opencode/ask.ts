import { SdkError } from '../../call/sdk-error.ts'
import type { CallContext } from '../../call/try.ts'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import { KnownFailure } from '../../failure/known-failure.ts'
import { realTime, sleep, type Time } from '../../time/time.ts'
import { textOf } from './answer.ts'
import { asked, type OpencodeClient, type OpencodeModel, type OpencodeResult } from './client.ts'
import { OpencodeEvents, type SessionNews } from './events.ts'

/** What a child session is asked, and how. */
export interface OpencodeRequest {
  /** What the model is asked. */
  prompt: string
  /** Default that of the agent. */
  model?: OpencodeModel
  /** Agent that answers. Default opencode's. */
  agent?: string
  /** Session that the child belongs to. Default none. */
  parentID?: string
  /** What the child is called. Default `mulligan`. */
  title?: string
  /** Folder it works in. Default that of the server. */
  directory?: string
  /** Permission rules of the child, which cannot ask a person. Default opencode's. */
  permission?: unknown
  /** Tools to switch on or off, by name. Default those of the agent. */
  tools?: Readonly<Record<string, boolean>>
  /** Where opencode's events come from. Default an event stream of its own for each question. */
  events?: OpencodeEvents
  /** Default the time of this machine. */
  time?: Time
}

/** How long to wait for the event with the real error behind an answer that only refers to it, in milliseconds. */
const EVENT_DELAY_MS = 1_000

/**
 * Asks a model in its own child session: creates it, prompts it, returns the text of the answer, and always aborts it.
 * Rejects with what `classify` reads: the error object of opencode, not a sentence about it.
 */
export async function askOpencode(
  client: OpencodeClient,
  request: OpencodeRequest,
  context: Pick<CallContext, 'signal' | 'remainingMs'>,
): Promise<string> {
  return new Question(client, request, context).ask()
}

class Question {
  readonly #client: OpencodeClient
  readonly #request: OpencodeRequest
  readonly #time: Time
  readonly #deadline: number
  readonly #signal: AbortSignal
  /** Ends the event stream and the prompt with the question. */
  readonly #over = new AbortController()
  /** The last error that opencode reported for the session. */
  #error: unknown
  /** Retries that opencode made itself. */
  #retries = 0
  #onNews: () => void = () => {}

  constructor(
    client: OpencodeClient,
    request: OpencodeRequest,
    { signal, remainingMs }: Pick<CallContext, 'signal' | 'remainingMs'>,
  ) {
    this.#client = client
    this.#request = request
    this.#time = request.time ?? realTime
    this.#deadline = this.#time.now() + remainingMs
    this.#signal = signal
  }

  async ask(): Promise<string> {
    this.#signal.throwIfAborted()
    const events = this.#request.events ?? (await this.#ownEvents())
    const session = await this.#create()
    let unlisten = () => {}
    const end = () => this.#abort(session)
    this.#signal.addEventListener('abort', end, { once: true })
    try {
      // It may have been aborted while the session was created: then the listener did not know what to end.
      this.#signal.throwIfAborted()
      const tooLong = new Promise<never>((_resolve, reject) => {
        unlisten = events.on(session, news => this.#hear(news, reject))
      })
      return textOf(await Promise.race([this.#prompt(session), tooLong]))
    } finally {
      unlisten()
      this.#signal.removeEventListener('abort', end)
      this.#over.abort()
      end()
    }
  }

  async #ownEvents(): Promise<OpencodeEvents> {
    const events = new OpencodeEvents()
    await events.follow(this.#client, this.#over.signal)
    return events
  }

  async #create(): Promise<string> {
    const { parentID, title = 'mulligan', permission, directory } = this.#request
    const result = await asked(options => this.#client.session.create(options), {
      body: { title, ...(parentID && { parentID }), ...(permission ? { permission } : {}) },
      ...(directory && { query: { directory } }),
      signal: this.#signal,
    })
    const { id } = (result.data ?? {}) as { id?: unknown }
    if (result.error !== undefined || typeof id !== 'string')
      throw this.#failed('opencode created no session', result)
    return id
  }

  async #prompt(session: string): Promise<unknown> {
    const { prompt, model, agent, tools, directory } = this.#request
    const result = await asked(options => this.#client.session.prompt(options), {
      path: { id: session },
      body: {
        parts: [{ type: 'text', text: prompt }],
        ...(model && { model }),
        ...(agent && { agent }),
        ...(tools && { tools }),
      },
      ...(directory && { query: { directory } }),
      signal: AbortSignal.any([this.#signal, this.#over.signal]),
    })
    if (result.error === undefined && result.data !== undefined) return result.data
    if (isReference(result)) await this.#untilError()
    throw this.#failed('opencode did not answer', result)
  }

  /** A wait longer than the budget cannot succeed: what opencode waits out is the failure, known now. */
  #hear(news: SessionNews, reject: (failure: KnownFailure) => void): void {
    if (news.type === 'error') {
      this.#error = news.error
      this.#onNews()
      return
    }
    this.#retries = Math.max(this.#retries, news.attempt)
    if (news.next <= this.#deadline) return
    const now = this.#time.now()
    const failure = classify(new Error(news.message), { now }) as Failure
    const stated = { resetAt: news.next, retryAfterMs: news.next - now }
    reject(new KnownFailure({ ...failure, ...stated }, new SdkError(news.message, news)))
  }

  /** The event and the answer come on different connections, in any order. */
  async #untilError(): Promise<void> {
    if (this.#error !== undefined) return
    const heard = new Promise<void>(resolve => {
      this.#onNews = resolve
    })
    const late = sleep(this.#time, EVENT_DELAY_MS, this.#over.signal).catch(() => {})
    await Promise.race([heard, late])
  }

  #failed(what: string, { error, response }: OpencodeResult): SdkError {
    const { status } = response ?? {}
    const given = this.#error ?? error
    const again = this.#retries > 0 ? ` after ${this.#retries} retries of its own` : ''
    // The real error says more than the status of an answer that only refers to it.
    const sdkError = this.#error === undefined ? { error, response: { status } } : { error: given }
    return new SdkError(`${what}${again}`, sdkError)
  }

  /** Leaves nothing running; a session that is gone already is fine. */
  #abort(session: string): void {
    asked(options => this.#client.session.abort(options), { path: { id: session } }).catch(() => {})
  }
}

/** Every defect of the server, an unknown model included, is a 500 with a reference; an event says what it was. */
function isReference({ error, response }: OpencodeResult): boolean {
  const { ref } = ((error ?? {}) as { data?: { ref?: unknown } }).data ?? {}
  return typeof ref === 'string' || response?.status === 500
}
