import { RunEnd } from '../failure/cli/run-end.ts'
import type { Spending, Usage } from '../failure/cli/spending.ts'
import { RunTally, type Totals } from '../failure/cli/tally.ts'
import type { Work } from '../failure/cli/work.ts'
import { isSessionId } from '../failure/session-id.ts'
import type { Price } from './settings.ts'

/** A CLI repeats a request by itself. */
export interface SelfRetry {
  /** How long it says that it waits, in milliseconds. */
  delayMs?: number | undefined
  /** What went wrong, in a shape that can be classified. */
  cause: unknown
  /** It will go another way by itself when this one fails: only the time that it takes counts. */
  hasAnotherWay?: boolean | undefined
}

/** Who follows a run while it goes on. */
export interface Follower {
  /** The model or a tool got on: what came before was got over. */
  worked?(): void
  /** The model said something, of which it is not known yet whether it counts. */
  said?(): void
  selfRetried?(retry: SelfRetry): void
  /** Turns, cost or tokens have changed. */
  spent?(progress: RunProgress): void
}

/** How far a run has got, as far as its output shows. */
export class RunProgress {
  readonly #end = new RunEnd()
  readonly #tally: RunTally
  readonly #price: Price | undefined
  readonly #follower: Follower
  #sessionId: string | undefined
  #hasWorked = false
  /** The model that answers, if the CLI names it. */
  model: string | undefined
  /** What the model said since the last tool; at the end, the answer. */
  text = ''
  /** The answer as data, where the CLI gives it. */
  structured: unknown
  deniedTools: readonly string[] = []
  /** The CLI itself has reported the end: a failure told there is a result of it, no crash. */
  hasResult = false
  /** Lines that should have been JSON. */
  brokenLines = 0
  /** Lines of stdout that are no JSON. */
  plainLines = 0
  /** Events of a type that its profile does not know: they may have been work. */
  unknownEvents = 0
  /** A tool was used: what was asked for may be done, also where nothing is said about it. */
  hasUsedTool = false
  /** The longest time without any output since the model or a tool last got on, in milliseconds. */
  silentMs = 0
  /** Lines of a notice of which more is to come. */
  notice: string | undefined

  /** @param before what the totals of the CLI begin with: what the session had used before this run */
  constructor(price: Price | undefined, follower: Follower, before: Totals = {}) {
    this.#price = price
    this.#follower = follower
    this.#tally = new RunTally(before)
  }

  /** What the events say of how the run ends. */
  get end(): RunEnd {
    return this.#end
  }

  /** The run is over and ended well. One that only finished a step may yet go on. */
  get hasAnswered(): boolean {
    return this.#end.ended === 'succeeded' && !this.#end.isPaused
  }

  /** As the CLI tells it; what cannot be the id of a session is none. */
  get sessionId(): string | undefined {
    return this.#sessionId
  }

  set sessionId(told: string | undefined) {
    if (told === undefined || isSessionId(told)) this.#sessionId = told
  }

  get turns(): number | null {
    return this.#tally.turns ?? null
  }

  get usage(): Usage | null {
    return this.#tally.usage ?? null
  }

  /** What the CLI tells, else what its tokens cost. */
  get costUsd(): number | null {
    const { usd, usage } = this.#tally
    if (usd !== undefined) return usd
    if (!this.#price || !usage) return null
    const { inputUsd, outputUsd, cachedUsd = inputUsd } = this.#price
    const { inputTokens, cachedTokens, outputTokens } = usage
    return (
      ((inputTokens - cachedTokens) * inputUsd + cachedTokens * cachedUsd + outputTokens * outputUsd) / 1e6
    )
  }

  /** The model or a tool did something, or something was paid for. From then on the run may have had an effect. */
  get hasWorked(): boolean {
    return this.#hasWorked
  }

  /** Takes in what an event tells of the work. */
  work({ did, text, moreText, model, structured, deniedTools }: Work): void {
    if (did !== undefined) this.#worked(did)
    if (text !== undefined) this.text = text
    if (moreText !== undefined) this.text += moreText
    if (model !== undefined) this.model = model
    if (structured !== undefined) this.structured = structured
    if (deniedTools !== undefined) this.deniedTools = deniedTools
  }

  #worked(did: NonNullable<Work['did']>): void {
    this.#hasWorked = true
    this.silentMs = 0
    if (did === 'tool') this.hasUsedTool = true
    if (did === 'tool' || did === 'progress') this.#follower.worked?.()
    if (did === 'words') this.#follower.said?.()
  }

  /** Takes in what an event tells of turns, cost and tokens. */
  spend(spending: Spending): void {
    this.#tally.add(spending)
    // A cost means an answer, even if none was seen.
    const { inputTokens = 0, outputTokens = 0 } = this.#tally.usage ?? {}
    if ((this.#tally.usd ?? 0) > 0 || inputTokens > 0 || outputTokens > 0) this.#hasWorked = true
    // The first turn is counted before its request is answered.
    if ((spending.total?.turns ?? 0) > 1) this.#hasWorked = true
    this.#follower.spent?.(this)
  }

  selfRetried(retry: SelfRetry): void {
    this.#follower.selfRetried?.(retry)
  }
}
