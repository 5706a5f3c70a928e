import { EndByEvents } from '../failure/cli/meaning.ts'
import type { Spending, Usage } from '../failure/cli/spending.ts'
import { RunTally, type Totals } from '../failure/cli/tally.ts'
import type { Work } from '../failure/cli/work.ts'
import type { Deed } from '../failure/failure.ts'
import { isSessionId } from '../failure/session-id.ts'
import type { Price } from './settings.ts'

/** A CLI repeats a request on its own. */
export interface SelfRetry {
  /** How long it says it waits, in milliseconds. */
  delayMs?: number | undefined
  /** What went wrong, in a shape that can be classified. */
  cause: unknown
  /** True if it switches to another transport when this one fails: then only the elapsed time counts. */
  hasAnotherWay?: boolean | undefined
  /** Whether its log tells of one request, or it gives notice, perhaps of several requests. Default `notice`. */
  by?: 'request' | 'notice'
}

/** Listens to a running agent. */
export interface Follower {
  /** The model or a tool made progress: earlier failures were overcome. */
  worked?(): void
  /** The model said something; whether it counts is not known yet. */
  said?(): void
  selfRetried?(retry: SelfRetry): void
  /** Turns, cost or tokens have changed. */
  spent?(progress: RunProgress): void
}

/** How far a run has got, according to its output. */
export class RunProgress {
  /** What the events say about the end of the run. */
  readonly end = new EndByEvents()
  readonly #tally: RunTally
  readonly #price: Price | undefined
  readonly #follower: Follower
  #sessionId: string | undefined
  /** True once the model or a tool did something, or something was paid for: the run may have had an effect. */
  hasWorked = false
  readonly #readingTools: readonly string[]
  /** What it did so far; undefined if nothing. */
  did: Deed | undefined
  /** The model that answers, if the CLI names it. */
  model: string | undefined
  /** What the model said since the last tool; at the end, the answer. */
  text = ''
  /** The answer as data, if the CLI provides it. */
  structured: unknown
  deniedTools: readonly string[] = []
  /** True once the CLI itself reported the end: a failure reported there is a result, not a crash. */
  hasResult = false
  /** Lines that should have been JSON. */
  brokenLines = 0
  /** Non-JSON lines of stdout. */
  plainLines = 0
  /** Events of a type that its profile does not know: they may have been work. */
  unknownEvents = 0
  /** True if a tool was used: the task may be done, even if nothing is said about it. */
  hasUsedTool = false
  /** The longest time without any output since the last progress, in milliseconds. */
  silentMs = 0
  /** Where it sends its questions, if its log says so. */
  endpoint: string | undefined
  /** Lines of a notice that continues. */
  notice: string | undefined

  /**
   * @param before what the session had used before this run, if the CLI's totals include it
   * @param readingTools names of the CLI's tools that only read
   */
  constructor(
    price: Price | undefined,
    follower: Follower,
    before: Totals = {},
    readingTools: readonly string[] = [],
  ) {
    this.#readingTools = readingTools
    this.#price = price
    this.#follower = follower
    this.#tally = new RunTally(before)
  }

  /** True if the run is over and ended well. A run that only finished a step may continue. */
  get hasAnswered(): boolean {
    return this.end.ended === 'succeeded' && !this.end.isPaused
  }

  /** As the CLI reports it; an invalid session id counts as none. */
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

  /** The cost that the CLI reports, else the price of its tokens. */
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

  /** Adds what an event says about the work. */
  work({ did, tools, text, moreText, model, structured, deniedTools }: Work): void {
    if (did !== undefined) this.#worked(did, tools)
    if (text !== undefined) this.text = text
    if (moreText !== undefined) this.text += moreText
    if (model !== undefined) this.model = model
    if (structured !== undefined) this.structured = structured
    if (deniedTools !== undefined) this.deniedTools = deniedTools
  }

  #worked(did: NonNullable<Work['did']>, tools: Work['tools']): void {
    this.hasWorked = true
    this.did = moreDone(this.did, did === 'tool' ? this.#deedOf(tools) : 'said')
    this.silentMs = 0
    if (did === 'tool') this.hasUsedTool = true
    if (did === 'tool' || did === 'progress') this.#follower.worked?.()
    if (did === 'words') this.#follower.said?.()
  }

  /** The result of a tool is no further deed, if its beginning was told. */
  #deedOf(tools: Work['tools']): Deed {
    if (tools === undefined) return this.did === 'read' ? 'read' : 'acted'
    return tools.every(name => name !== undefined && this.#readingTools.includes(name)) ? 'read' : 'acted'
  }

  /** Adds what an event says about turns, cost and tokens. */
  spend(spending: Spending): void {
    this.#tally.add(spending)
    // A cost means an answer, even if none was seen.
    const { inputTokens = 0, outputTokens = 0 } = this.#tally.usage ?? {}
    const isPaid = (this.#tally.usd ?? 0) > 0 || inputTokens > 0 || outputTokens > 0
    // The first turn is counted before its request is answered.
    const hasMoreTurns = (spending.total?.turns ?? 0) > 1
    if (isPaid || hasMoreTurns) this.hasWorked = true
    // What was paid for was said, although not all CLIs print half an answer. A second turn shows a tool that was not told.
    if (isPaid) this.did ??= 'said'
    if (hasMoreTurns && (this.did === undefined || this.did === 'said')) this.did = 'acted'
    this.#follower.spent?.(this)
  }

  selfRetried(retry: SelfRetry): void {
    this.#follower.selfRetried?.(retry)
  }
}

export const DEEDS: readonly (Deed | undefined)[] = [undefined, 'said', 'read', 'acted']

/** The deed that did more. */
export function moreDone(a: Deed | undefined, b: Deed | undefined): Deed | undefined {
  return DEEDS.indexOf(a) >= DEEDS.indexOf(b) ? a : b
}
