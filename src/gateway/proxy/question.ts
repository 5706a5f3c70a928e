import type { ServerResponse } from 'node:http'
import type { Bill } from '../../call/bill.ts'
import { type CallFailed, isCallFailed } from '../../call/call-failed.ts'
import type { CallEvent } from '../../call/event.ts'
import { readFailed } from '../../call/stream/response.ts'
import { classify } from '../../failure/classify.ts'
import type { Failure, FailureClass, FailureKind } from '../../failure/failure.ts'
import { type Endpoint, requestFor } from '../../sdk/fetch/endpoint.ts'
import { isBoundToAccount, type ModelRequest, modelOf } from '../../sdk/fetch/model-request.ts'
import { refusalOf } from '../../sdk/fetch/refusal.ts'
import { relay, type Send } from '../../sdk/fetch/relay.ts'
import type { ModelCallOptions } from '../../sdk/model-options.ts'
import { sleep, type Time } from '../../time/time.ts'
import type { Allowance } from './allowance.ts'
import type { Asked } from './asked.ts'
import type { Caller } from './caller.ts'
import { deliver, sendJson } from './deliver.ts'
import { HoldEnded, type Holds } from './holds.ts'
import { errorBody, errorEvent, heartbeatOf, type StreamKind, streamKindOf } from './in-vendor-words.ts'
import { tell, tellExceeded } from './tell.ts'
import type { Upstreams } from './upstream.ts'
import { wholeEvents } from './whole-events.ts'

/** Clients give up after five minutes of silence at the earliest, and read a beat as a sign of life. */
const BEAT_MS = 15_000

/** The wait before all are asked again, which doubles up to the longest, in milliseconds. */
const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 30_000

/** Outages cost nothing to wait out; a provider that bills what it does not deliver is asked as often as clients ask. */
const MOST_PAID = 3

type FailedTry = CallEvent & { type: 'attempt.failed' }

/** What answering questions needs. */
export interface QuestionDeps {
  upstreams: Upstreams
  holds: Holds
  /** Health, policies and signatures that all calls share. */
  options: ModelCallOptions
  /** How long a question may wait for a provider, in milliseconds. */
  maxHoldMs: number
  send: Send
  time: Time
  newId: () => string
  /** Ends the blocks of a provider, so that what waits for it goes on. */
  release: (provider: string) => Promise<void>
  /** What clients may spend. Default: any amount. */
  allowance?: Allowance | undefined
  /** Takes down what the questions of a client's session cost. */
  billOf?: ((client: string, session: string | undefined) => Bill) | undefined
  /** Called with every failed try. */
  onFailed?: ((failed: FailedTry, client: string) => void) | undefined
}

/** One question to a model: retried, waited out or sent elsewhere until its first content, then passed on as it comes. */
export class Question {
  readonly #deps: QuestionDeps
  readonly #asked: Asked
  readonly #caller: Caller
  readonly #request: ModelRequest
  readonly #session: string | undefined
  readonly #to: ServerResponse
  readonly #stream: StreamKind | undefined
  readonly #ending = new AbortController()
  readonly #id: string
  #isTrying = false
  /** Whether anything of the upstream's answer was written. */
  #hasBegun = false
  #heldSince: number | undefined
  #rounds = 0
  /** How many tries failed that the provider bills. */
  #paid = 0
  #failed: FailedTry | undefined
  #cancelTimers: (() => void)[] = []

  /** @param session the conversation, if the client names it */
  constructor(
    deps: QuestionDeps,
    asked: Asked,
    caller: Caller,
    request: ModelRequest,
    to: ServerResponse,
    session?: string,
  ) {
    this.#deps = deps
    this.#asked = asked
    this.#caller = caller
    this.#request = request
    this.#session = session
    this.#to = to
    this.#stream = streamKindOf(asked.api, asked.path, request.json)
    this.#id = deps.newId()
  }

  /** Answers the client. Throws a `NoUpstream` if nobody may be asked. */
  async answer(): Promise<void> {
    const { upstreams } = this.#deps
    const all = upstreams.for(this.#asked.api, this.#caller, modelOf(this.#request))
    const isKept = isKeptByVendor(this.#asked, this.#request)
    const left = () => this.#ending.abort(new Error('the client left'))
    this.#to.once('close', left)
    if (this.#to.destroyed) return
    this.#beatLater()
    try {
      // Only the account that keeps what the question builds on, or will keep its answer, can take it.
      const endpoints = isKept || isBoundToAccount(this.#request) ? all.slice(0, 1) : all
      await this.#relayed(endpoints, isKept)
    } finally {
      this.#waitsNoMore()
      this.#to.off('close', left)
    }
  }

  /** @param send default: as all questions are sent */
  async #relayed(endpoints: readonly Endpoint[], isKept: boolean, send = this.#deps.send): Promise<void> {
    const { options, maxHoldMs, billOf } = this.#deps
    const request = { ...this.#request, signal: this.#ending.signal }
    const onEvent = (event: CallEvent) => this.#saw(event)
    const once = isKept ? ({ retry: 'none', atomic: true } as const) : {}
    try {
      const { value } = await relay(
        request,
        endpoints,
        {
          ...roundOf(endpoints),
          ...options,
          name: 'proxy',
          // A refused key counts against that key, and whoever brings another is asked at once.
          credential: this.#caller.credential,
          bill: billOf?.(this.#caller.client, this.#session),
          longestWaitMs: maxHoldMs,
          onEvent,
          ...once,
        },
        send,
      )
      this.#waitsNoMore()
      this.#hasBegun = true
      await deliver(value, this.#to, this.#stream && value.body ? wholeEvents(value.body) : value.body)
      this.#to.end()
    } catch (error) {
      if (this.#to.destroyed) return
      if (isBlockedUntilCleared(error)) await this.#askAnyway(request, endpoints, isKept)
      else if (this.#mayYetWork(error) && (await this.#paused(error)))
        await this.#nextRound(endpoints, isKept, send)
      else await this.#tell(error, isKept)
    }
  }

  /** What was spent since may be all that the user allows. */
  async #nextRound(endpoints: readonly Endpoint[], isKept: boolean, send: Send): Promise<void> {
    const { client } = this.#caller
    const exceeded = await this.#deps.allowance?.exceededBy({ client, session: this.#session })
    if (exceeded === undefined) return this.#relayed(endpoints, isKept, send)
    this.#waitsNoMore()
    if (!this.#to.destroyed) tellExceeded(this.#to, this.#asked.api, exceeded, this.#stream)
  }

  /** True if another round may end better: clients that ask by themselves go on for minutes, and would without us. */
  #mayYetWork(error: unknown): error is CallFailed {
    if (!isCallFailed(error) || this.#hasBegun || this.#ending.signal.aborted) return false
    const { verdict, failure } = error
    const isOver = verdict.action === 'cancel' && verdict.as === 'exhausted'
    return isOver && PASSING.includes(failure.class)
  }

  /** Waits before the next round. Resolves with false if the wait was ended. */
  async #paused({ failure }: CallFailed): Promise<boolean> {
    const { time } = this.#deps
    const ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#rounds++)
    this.#hold(time.now() + ms, `${failure.kind}: it is asked again`)
    return sleep(time, ms, this.#ending.signal).then(
      () => true,
      () => false,
    )
  }

  /**
   * Nobody else can answer, and only a person can end the block: whoever asks by hand may be that person. Without us the question
   * would be sent, so it is, once; an answer ends the block for all.
   */
  async #askAnyway(request: ModelRequest, endpoints: readonly Endpoint[], isKept: boolean): Promise<void> {
    const [first] = endpoints as [Endpoint, ...Endpoint[]]
    const { url, init } = requestFor(request, first, endpoints)
    this.#isTrying = true
    let response: Response
    try {
      response = await this.#deps.send(url, { ...init, signal: this.#ending.signal })
    } catch (error) {
      this.#cannotReach(error)
      return
    }
    const failure = response.ok ? null : await this.#failureIn(response)
    if (failure && FOR_PERSON.includes(failure.kind)) {
      this.#waitsNoMore()
      const { status } = response
      if (this.#stream && this.#to.headersSent)
        this.#to.end(errorEvent(this.#stream, { class: failure.class, status, message: failure.message }))
      else await deliver(response, this.#to)
      this.#to.end()
      return
    }
    await this.#deps.release(first.id as string)
    // It is judged like any other answer, and not asked for twice.
    let answer: Response | undefined = response
    await this.#relayed(endpoints, isKept, (to, again) => {
      if (!answer || to.href !== url.href) return this.#deps.send(to, again)
      const given = answer
      answer = undefined
      return Promise.resolve(given)
    })
    await answer?.body?.cancel()
  }

  async #failureIn(response: Response): Promise<Failure | null> {
    const patience = { time: this.#deps.time, budget: { remainingMs: Infinity }, signal: this.#ending.signal }
    return classify(await readFailed(response, patience))
  }

  /** Nobody was reached, and the block stays: told as the client's vendor would, in its stream if that has begun. */
  #cannotReach(error: unknown): void {
    this.#waitsNoMore()
    if (this.#to.destroyed) return
    const failure = classify(error)
    const message = `Mulligan cannot reach the provider: ${failure?.message ?? 'the connection failed'}`
    const told = { class: failure?.class ?? 'transient', status: 502, message } as const
    tell(this.#to, this.#asked.api, told, this.#stream)
  }

  #saw(event: CallEvent): void {
    if (event.type === 'attempt.started') {
      this.#isTrying = true
      this.#deps.holds.drop(this.#id)
    }
    if (event.type === 'waiting') this.#hold(event.until, event.reason)
    if (event.type !== 'attempt.failed') return
    this.#isTrying = false
    this.#failed = event
    this.#deps.onFailed?.(event, this.#caller.client)
    if (isPaid(event) && ++this.#paid === MOST_PAID)
      this.#ending.abort(new HoldEnded(`${MOST_PAID} tries that failed were billed`))
  }

  #hold(until: number | undefined, reason: string): void {
    const { time, holds, maxHoldMs } = this.#deps
    const end = (why: HoldEnded) => this.#ending.abort(why)
    const waitedTooLong = () => end(new HoldEnded('it waited as long as max_hold allows'))
    if (this.#heldSince === undefined) {
      this.#heldSince = time.now()
      this.#cancelTimers.push(time.after(maxHoldMs, () => this.#isTrying || waitedTooLong()))
    } else if (time.now() - this.#heldSince >= maxHoldMs) waitedTooLong()
    holds.note(
      {
        id: this.#id,
        api: this.#asked.api,
        client: this.#caller.client,
        model: modelOf(this.#request),
        provider: this.#failed?.provider,
        since: this.#heldSince,
        until,
        reason,
      },
      end,
    )
  }

  /** While nobody is being asked, a client that waits for a stream is told that it goes on. */
  #beatLater(): void {
    const heartbeat = this.#stream && heartbeatOf(this.#stream)
    const beat = () => {
      if (!this.#isTrying && this.#heldSince === undefined)
        this.#hold(undefined, 'waits in line for its provider')
      if (heartbeat !== undefined && (!this.#isTrying || this.#to.headersSent)) {
        if (!this.#to.headersSent)
          this.#to.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
        this.#to.write(heartbeat)
      }
      this.#beatLater()
    }
    this.#cancelTimers[0]?.()
    this.#cancelTimers[0] = this.#deps.time.after(BEAT_MS, beat)
  }

  #waitsNoMore(): void {
    for (const cancel of this.#cancelTimers) cancel()
    this.#deps.holds.drop(this.#id)
  }

  /** Says why there is no answer, or no more of it, as the client's vendor would. */
  async #tell(error: unknown, isKept: boolean): Promise<void> {
    if (!isCallFailed(error)) throw error
    const refusal = this.#refusal(error)
    const { failure } = error
    const told = { class: failure.class, status: refusal.status, message: error.message }
    if (this.#to.headersSent) {
      this.#waitsNoMore()
      if (!this.#hasBegun) told.message = messageIn(await refusal.text()) ?? told.message
      // What the upstream said in its own words about its end has been passed on already.
      const isSaid = this.#hasBegun && !(error.cause instanceof Error)
      if (this.#hasBegun && !isSaid && this.#stream === 'messages') cut(this.#to)
      else if (this.#stream && !isSaid) this.#to.end(errorEvent(this.#stream, told))
      else if (this.#stream) this.#to.end()
      else this.#to.destroy()
      return
    }
    // What may have happened is not sent again by us, and the client knows best whether to.
    if (isKept) refusal.headers.delete('x-should-retry')
    if (error.cause instanceof Response) {
      this.#waitsNoMore()
      await deliver(refusal, this.#to)
      this.#to.end()
    } else
      sendJson(
        this.#to,
        refusal.status,
        errorBody(this.#asked.api, told),
        Object.fromEntries(refusal.headers),
      )
  }

  /** A wait that was ended tells what it was for. */
  #refusal(error: CallFailed): Response {
    const { reason } = this.#ending.signal
    if (!(reason instanceof HoldEnded) || !this.#failed) return refusalOf(error)
    const { failure, verdict } = this.#failed
    return refusalOf(
      Object.assign(error, { failure, verdict, message: `${failure.message} (${reason.message})` }),
    )
  }
}

/**
 * Ends a stream without its last piece, after what was written: Claude Code asks again after a connection that was cut, and gives
 * up after an event that says so.
 */
function cut(to: ServerResponse): void {
  to.socket?.end()
}

function isPaid({ usage, costUsd }: FailedTry): boolean {
  return (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0) > 0 || (costUsd ?? 0) > 0
}

/** Failures that pass by themselves. */
const PASSING: readonly FailureClass[] = ['transient', 'timeout', 'throttle']

/** One round asks who is well first, and does not stay with one while another may be back. */
function roundOf({ length }: readonly Endpoint[]): ModelCallOptions {
  return { failover: 'first', maxRetries: length > 1 ? 2 : 8 }
}

/** The reason in an error of any vendor. */
function messageIn(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: { message?: unknown } }
    return typeof error?.message === 'string' ? error.message : undefined
  } catch {
    return undefined
  }
}

/** True if nobody was asked, because of a bill or a login that a person must settle. */
function isBlockedUntilCleared(error: unknown): boolean {
  if (!isCallFailed(error) || error.attempts.length > 0) return false
  const { origin, kind, resetAt } = error.failure
  return origin === 'gate' && resetAt === undefined && FOR_PERSON.includes(kind)
}

/** Kinds of failure that only a person can end. */
const FOR_PERSON: readonly FailureKind[] = ['billing', 'auth', 'forbidden']

/** True if the vendor keeps the answer, so that asking twice leaves two. */
function isKeptByVendor({ api, path }: Asked, { json }: ModelRequest): boolean {
  if (api !== 'openai' || !/\/responses(?:\?|$)/.test(path)) return false
  const { store, background } = (json ?? {}) as { store?: unknown; background?: unknown }
  return store !== false || background === true
}
