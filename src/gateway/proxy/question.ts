import type { ServerResponse } from 'node:http'
import type { Bill } from '../../call/bill.ts'
import { type CallFailed, isCallFailed } from '../../call/call-failed.ts'
import type { CallEvent } from '../../call/event.ts'
import { readFailed } from '../../call/stream/response.ts'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import { present } from '../../failure/present.ts'
import type { Endpoint } from '../../sdk/fetch/endpoint.ts'
import { isBoundToAccount, modelOf } from '../../sdk/fetch/model-request.ts'
import type { Patience } from '../../sdk/fetch/patience.ts'
import { type Plan, planFor, relayBy } from '../../sdk/fetch/relay.ts'
import type { ModelCallOptions } from '../../sdk/model-options.ts'
import { sleep } from '../../time/time.ts'
import type { Allowance } from './allowance.ts'
import type { Asked } from './asked.ts'
import type { Caller } from './caller.ts'
import { deliver } from './deliver.ts'
import { HoldEnded } from './holds.ts'
import { type StreamKind, streamKindOf } from './in-vendor-words.ts'
import { type LongestHold, longestHoldOf } from './longest-hold.ts'
import type { Answer, ProxySend } from './patient-send.ts'
import {
  type FailedTry,
  isBlockedUntilCleared,
  isForPerson,
  isKeptByVendor,
  isPaid,
  mayPass,
  statesItsEnd,
} from './question-kinds.ts'
import { refuseRedirect } from './redirected.ts'
import { type ClientRequest, requestTo } from './request-to.ts'
import { tell, tellExceeded } from './tell.ts'
import { endedWait, tellFailed, unsureAnswer } from './tell-failed.ts'
import type { Upstreams } from './upstream.ts'
import { Waiting, type WaitingDeps } from './waiting.ts'
import { WholeEvents } from './whole-events.ts'

/** The wait before all are asked again, which doubles up to the longest, in milliseconds. */
const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 30_000
/** The shortest wait for a provider that says when it takes the next, in milliseconds. */
const LEAST_PAUSE_MS = 250

/** Outages cost nothing to wait out; a provider that bills what it does not deliver is asked as often as clients ask. */
const MOST_PAID = 3

/** What answering questions needs. */
export interface QuestionDeps extends Omit<WaitingDeps, 'longest' | 'patienceMs'> {
  patience: Patience
  /** The longest wait, in milliseconds. Default: what the client bears. */
  maxHoldMs?: number | undefined
  upstreams: Upstreams
  /** Health, policies and signatures that all calls share. */
  options: ModelCallOptions
  send: ProxySend
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
  readonly #request: ClientRequest
  readonly #session: string | undefined
  /** Who asks, as far as that is known. */
  readonly #asker: string
  readonly #to: ServerResponse
  readonly #stream: StreamKind | undefined
  readonly #endpoints: readonly Endpoint[]
  readonly #plan: Plan
  /** Whether the vendor keeps the answer. */
  readonly #isKept: boolean
  readonly #longest: LongestHold
  readonly #ending = new AbortController()
  readonly #waiting: Waiting
  /** Whether anything of the upstream's answer was written. */
  #hasBegun = false
  #rounds = 0
  /** How many tries failed that the provider bills. */
  #paid = 0
  #failed: FailedTry | undefined

  /** Throws a `NoUpstream` if nobody may be asked. @param session the conversation, if the client names it */
  constructor(
    deps: QuestionDeps,
    asked: Asked,
    caller: Caller,
    request: ClientRequest,
    to: ServerResponse,
    session?: string,
  ) {
    this.#deps = deps
    this.#asked = asked
    this.#caller = caller
    this.#request = { ...request, signal: this.#ending.signal }
    this.#session = session
    this.#asker = `${caller.client} ${session ?? ''}`
    this.#to = to
    this.#stream = streamKindOf(asked.api, asked.path, request.json)
    const { api } = asked
    const model = modelOf(request)
    const all = deps.upstreams.for(api, caller, model)
    this.#isKept = isKeptByVendor(asked, request)
    // Only the account that keeps what the question builds on, or will keep its answer, can take it.
    this.#endpoints = this.#isKept || isBoundToAccount(request) ? all.slice(0, 1) : all
    this.#plan = planFor(request.url, this.#endpoints)
    const hold = { id: deps.newId(), api, client: caller.client, model }
    const { holds, time, maxHoldMs } = deps
    const patienceMs = deps.patience.of(name => request.headers[name], this.#asker)
    this.#longest = longestHoldOf(caller.client, this.#stream, maxHoldMs, patienceMs)
    const waiting = { holds, time, longest: this.#longest, ...present({ patienceMs }) }
    this.#waiting = new Waiting(waiting, hold, to, this.#stream, why => this.#ending.abort(why))
  }

  /** The stream that the client waits in, in which it can be told of an error; undefined once an upstream's answer is in it. */
  get openStream(): StreamKind | undefined {
    return this.#hasBegun ? undefined : this.#stream
  }

  /** Answers the client. */
  async answer(): Promise<void> {
    const { time, patience } = this.#deps
    const since = time.monotonic()
    const left = () => {
      if (!this.#to.headersSent) patience.gaveUp(since, this.#asker)
      this.#ending.abort(new Error('the client left'))
    }
    this.#to.once('close', left)
    try {
      if (!this.#to.destroyed) await this.#relayed(this.#deps.send)
    } finally {
      this.#waiting.over()
      this.#to.off('close', left)
    }
  }

  async #relayed(send: ProxySend): Promise<void> {
    try {
      const ask = async (endpoint: Endpoint, signal: AbortSignal) => {
        const { url, init } = requestTo(this.#request, endpoint, signal)
        const answer = await send(url, init)
        refuseRedirect(answer, url)
        if (this.#stream && isStream(answer)) this.#waiting.hasHead(answer)
        return answer
      }
      const { value } = await relayBy(this.#request, this.#plan, this.#callOptions(), ask)
      this.#waiting.over()
      this.#hasBegun = true
      await deliver(value, this.#to, this.#stream && new WholeEvents())
    } catch (error) {
      if (this.#to.destroyed) return
      if (!isCallFailed(error)) throw error
      if (isBlockedUntilCleared(error)) return await this.#askAnyway()
      const mayGoOn = mayPass(error) && !this.#hasBegun && !this.#ending.signal.aborted
      if (mayGoOn && (await this.#paused(error))) return await this.#nextRound(send)
      this.#waiting.over()
      const { api } = this.#asked
      const { reason } = this.#ending.signal
      // What may have happened is not sent again by us.
      const mayAskAgain =
        this.#isKept ||
        (this.#longest.isOfClient && mayGoOn) ||
        (reason instanceof HoldEnded && reason.mayAskAgain)
      const about = { api, stream: this.#stream, hasBegun: this.#hasBegun, mayAskAgain }
      await tellFailed(
        this.#to,
        endedWait(unsureAnswer(error), reason, this.#failed, this.#waiting.reason),
        about,
      )
    }
  }

  #callOptions(): ModelCallOptions {
    const { options, billOf } = this.#deps
    const { credential, client } = this.#caller
    return {
      // One round asks who is well first, and does not stay with one while another may be back.
      failover: 'first',
      maxRetries: this.#endpoints.length > 1 ? 2 : 8,
      ...options,
      name: 'proxy',
      // A refused key counts against that key, and whoever brings another is asked at once.
      credential,
      bill: billOf?.(client, this.#session),
      longestWaitMs: this.#longest.statedMs,
      onEvent: event => this.#saw(event),
      ...(this.#isKept ? ({ retry: 'none', atomic: true } as const) : {}),
    }
  }

  /** Clients that ask by themselves go on for minutes, and would without us. What was spent since may be all that is allowed. */
  async #nextRound(send: ProxySend): Promise<void> {
    const { client } = this.#caller
    const exceeded = await this.#deps.allowance?.exceededBy({ client, session: this.#session })
    if (exceeded === undefined) return this.#relayed(send)
    this.#waiting.over()
    if (!this.#to.destroyed) tellExceeded(this.#to, this.#asked.api, exceeded, this.#stream)
  }

  /** Waits before the next round. Resolves with false if the wait would be too long, or was ended. */
  async #paused({ failure, verdict }: CallFailed): Promise<boolean> {
    const { time } = this.#deps
    const growing = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#rounds++)
    const ms = verdict.action === 'snooze' ? Math.max(LEAST_PAUSE_MS, verdict.until - time.now()) : growing
    const isStated = statesItsEnd(failure)
    if (ms > (isStated ? this.#longest.statedMs : this.#longest.anyMs)) return false
    this.#waiting.waits(time.now() + ms, `${failure.kind}: it is asked again`, isStated)
    return sleep(time, ms, this.#ending.signal).then(
      () => true,
      () => false,
    )
  }

  /**
   * Nobody else can answer, and only a person can end the block: whoever asks by hand may be that person. Without us the question
   * would be sent, so it is, once; an answer ends the block for all.
   */
  async #askAnyway(): Promise<void> {
    const { send, release } = this.#deps
    const [first] = this.#endpoints as [Endpoint, ...Endpoint[]]
    const { url, init } = requestTo(this.#request, first, this.#ending.signal)
    this.#waiting.asks()
    let response: Answer
    try {
      response = await send(url, init)
    } catch (error) {
      this.#cannotReach(error)
      return
    }
    const failure = response instanceof Response && !response.ok ? await this.#failureIn(response) : null
    if (failure && isForPerson(failure)) {
      this.#waiting.over()
      const { status } = response
      const told = { class: failure.class, status, message: failure.message }
      if (this.#stream && this.#to.headersSent) tell(this.#to, this.#asked.api, told, this.#stream)
      else await deliver(response, this.#to)
      return
    }
    await release(first.id as string)
    // It is judged like any other answer, and not asked for twice.
    let answer: Answer | undefined = response
    await this.#relayed((to, again) => {
      if (!answer || to.href !== url.href) return send(to, again)
      const given = answer
      answer = undefined
      return Promise.resolve(given)
    })
    if (answer instanceof Response) await answer.body?.cancel()
    else answer?.body.cancel(new Error('it was not needed'))
  }

  async #failureIn(response: Response): Promise<Failure | null> {
    const patience = { time: this.#deps.time, budget: { remainingMs: Infinity }, signal: this.#ending.signal }
    return classify(await readFailed(response, patience))
  }

  /** Nobody was reached, and the block stays: told as the client's vendor would, in its stream if that has begun. */
  #cannotReach(error: unknown): void {
    this.#waiting.over()
    if (this.#to.destroyed) return
    const failure = classify(error)
    const message = `Mulligan cannot reach the provider: ${failure?.message ?? 'the connection failed'}`
    const told = { class: failure?.class ?? 'transient', status: 502, message } as const
    tell(this.#to, this.#asked.api, told, this.#stream)
  }

  #saw(event: CallEvent): void {
    if (event.type === 'attempt.started') this.#waiting.asks()
    if (event.type === 'waiting') {
      // If nobody was asked, it waits for a block that ends then.
      const isStated = !this.#failed || statesItsEnd(this.#failed.failure)
      this.#waiting.waits(event.until, event.reason, isStated)
    }
    if (event.type !== 'attempt.failed') return
    this.#waiting.failedAt(event.provider)
    this.#failed = event
    this.#deps.onFailed?.(event, this.#caller.client)
    if (isPaid(event) && ++this.#paid === MOST_PAID)
      this.#ending.abort(new HoldEnded(`${MOST_PAID} tries that failed were billed`))
  }
}

function isStream({ status, headers }: Answer): boolean {
  return status < 300 && (headers.get('content-type') ?? '').includes('event-stream')
}
