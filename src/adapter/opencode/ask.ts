import type { CallContext } from '../../call/context.ts'
import { SdkError } from '../../call/sdk-error.ts'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import { KnownFailure } from '../../failure/own-error.ts'
import { realTime, sleep, type Time } from '../../time/time.ts'
import { textOf } from './answer.ts'
import { callClient, type OpencodeClient, type OpencodeModel, type OpencodeResult } from './client.ts'
import { OpencodeEvents, type SessionNews } from './events.ts'

/** A prompt for a child session, and its settings. */
export interface OpencodeRequest {
  /** The prompt. */
  prompt: string
  /** Default the agent's model. */
  model?: OpencodeModel
  /** The agent that answers. Default opencode's default agent. */
  agent?: string
  /** Parent session of the child. Default none. */
  parentID?: string
  /** Title of the child. Default `mulligan`. */
  title?: string
  /** Working directory of the child. Default the server's. */
  directory?: string
  /** Permission rules of the child, which cannot ask a person. Default opencode's rules. */
  permission?: unknown
  /** Tools to switch on or off, by name. Default the agent's tools. */
  tools?: Readonly<Record<string, boolean>>
  /** Source of opencode's events. Default a new event stream for each prompt. */
  events?: OpencodeEvents
  /** Default the system clock. */
  time?: Time
}

/** How long to wait for the event with the real error, if an answer only refers to it; in milliseconds. */
const EVENT_DELAY_MS = 1_000

/**
 * Prompts a model in a new child session and returns the text of its answer. Always aborts the session at the end.
 * Rejects with opencode's error object, which `classify` reads, not just a message about it.
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
  /** Ends the event stream and the prompt when the answer is there. */
  readonly #over = new AbortController()
  /** The last error that opencode reported for the session. */
  #error: unknown
  /** Retries made by opencode itself. */
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
      // An abort while the session was created came before the listener.
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
    const result = await callClient(options => this.#client.session.create(options), {
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
    const result = await callClient(options => this.#client.session.prompt(options), {
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

  /** Fails at once if opencode waits longer than the budget: the cause of that wait is the failure. */
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

  /** Waits for the error event, because events and answers use different connections and may come in any order. */
  async #untilError(): Promise<void> {
    if (this.#error !== undefined) return
    const heard = new Promise<void>(resolve => {
      this.#onNews = resolve
    })
    const late = sleep(this.#time, EVENT_DELAY_MS, this.#over.signal).catch(() => {})
    await Promise.race([heard, late])
  }

  #failed(what: string, { error, response }: OpencodeResult): SdkError {
    const { status, headers } = response ?? {}
    const given = this.#error ?? error
    const again = this.#retries > 0 ? ` after ${this.#retries} retries of its own` : ''
    const own = ownMessage(given)
    // Without the status of the answer: it only refers to the real error.
    const sdkError = this.#error === undefined ? { error, response: { status, headers } } : { error: given }
    return new SdkError(`${what}${again}${own === undefined ? '' : `: ${own}`}`, sdkError)
  }

  /** Aborts the session. Ignores errors, because the session may already be gone. */
  #abort(session: string): void {
    callClient(options => this.#client.session.abort(options), { path: { id: session } }).catch(() => {})
  }
}

/** What opencode says about an error, in the places where it says so. */
function ownMessage(error: unknown): string | undefined {
  if (typeof error === 'string') return error.trim() || undefined
  const { data, message, name, _tag } = (error ?? {}) as Record<string, unknown>
  const said = [(data as { message?: unknown } | undefined)?.message, message, name, _tag]
  return said.find((text): text is string => typeof text === 'string' && text.trim() !== '')
}

/** Whether an answer only refers to an error. Opencode reports any server error, even an unknown model, as a 500 with a reference, and the cause in an event. */
function isReference({ error, response }: OpencodeResult): boolean {
  const { ref } = ((error ?? {}) as { data?: { ref?: unknown } }).data ?? {}
  return typeof ref === 'string' || response?.status === 500
}
