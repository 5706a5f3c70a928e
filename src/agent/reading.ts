import { isSessionId } from '../failure/session-id.ts'
import type { Usage } from './outcome.ts'
import type { Price } from './settings.ts'

/** A CLI repeats a request by itself. */
export interface SelfRetry {
  /** How long it says that it waits, in milliseconds. */
  delayMs?: number
  /** What went wrong, in a shape that can be classified. */
  cause: unknown
  /** It will go another way by itself when this one fails: only the time that it takes counts. */
  hasAnotherWay?: boolean
}

/** Who follows a run while it goes on. */
export interface Follower {
  /** The model or a tool did something: what came before was got over. */
  worked?(): void
  /** The model said something, of which it is not known yet whether it counts. */
  said?(): void
  selfRetried?(retry: SelfRetry): void
  /** Turns, cost or tokens have changed. */
  spent?(reading: Reading): void
}

/** What was read so far of a run's output. */
export class Reading {
  #sessionId: string | undefined
  model: string | undefined
  /** What the model said since the last tool; at the end, the answer. */
  text = ''
  structured: unknown
  deniedTools: string[] = []
  /** What the last event that ends a run said. */
  ended: 'succeeded' | 'failed' | undefined
  /** The failure came as a result of the CLI, not as a crash of it. */
  hasResult = false
  /** Lines that should have been JSON. */
  brokenLines = 0
  turns: number | null = null
  usage: Usage | null = null
  /** As the CLI tells it. */
  toldUsd: number | null = null
  /** The message whose parts are coming in. */
  messageId: unknown
  /** A step has begun and is not over. */
  isInStep = false
  /** Lines of stdout that are no JSON. */
  plainLines = 0
  /** Events of a type that its driver does not know: they may have been work. */
  unknownEvents = 0
  /** A tool was used: what was asked for may be done, also where nothing is said about it. */
  hasUsedTool = false
  /** Lines of a notice of which more is to come. */
  notice: string | undefined
  #hasWorked = false
  readonly #price: Price | undefined
  readonly #follower: Follower
  readonly #before: Totals

  /** @param before what the totals of the CLI begin with: what the session had used before this run */
  constructor(price: Price | undefined, follower: Follower, before: Totals = {}) {
    this.#price = price
    this.#follower = follower
    this.#before = before
  }

  /** As the CLI tells it; what cannot be the id of a session is none. */
  get sessionId(): string | undefined {
    return this.#sessionId
  }

  set sessionId(told: string | undefined) {
    if (told === undefined || isSessionId(told)) this.#sessionId = told
  }

  /** What the CLI tells, else what its tokens cost. */
  get costUsd(): number | null {
    if (this.toldUsd !== null) return this.toldUsd
    if (!this.#price || !this.usage) return null
    const { inputUsd, outputUsd, cachedUsd = inputUsd } = this.#price
    const { inputTokens, cachedTokens, outputTokens } = this.usage
    return (
      ((inputTokens - cachedTokens) * inputUsd + cachedTokens * cachedUsd + outputTokens * outputUsd) / 1e6
    )
  }

  /** The model or a tool did something, or something was paid for. From then on the run may have had an effect. */
  get hasWorked(): boolean {
    return this.#hasWorked
  }

  /** The model said something, or a tool was used. */
  worked(): void {
    this.#hasWorked = true
    this.#follower.worked?.()
  }

  /** A tool was asked for, or has answered. */
  usedTool(): void {
    this.hasUsedTool = true
    this.worked()
  }

  /** The model said something that proves no progress: the step may fail all the same, and then it says it again. */
  said(): void {
    this.#hasWorked = true
    this.#follower.said?.()
  }

  /** The model has begun to answer, and what it does is told only when it is done. It may yet fail as before. */
  began(): void {
    this.#hasWorked = true
  }

  /** An event of which nothing is known. */
  unknown(): void {
    this.unknownEvents++
  }

  selfRetried(retry: SelfRetry): void {
    this.#follower.selfRetried?.(retry)
  }

  /** The model took its turn. */
  turn(): void {
    this.turns = (this.turns ?? 0) + 1
    this.#follower.spent?.(this)
  }

  addUsage(usage: Usage): void {
    const before = this.usage ?? { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
    this.usage = {
      inputTokens: before.inputTokens + usage.inputTokens,
      outputTokens: before.outputTokens + usage.outputTokens,
      cachedTokens: before.cachedTokens + usage.cachedTokens,
    }
    this.#paid()
  }

  addCost(usd: number): void {
    this.toldUsd = (this.toldUsd ?? 0) + usd
    this.#paid()
  }

  /** The totals that an event at the end tells; they replace what was counted. */
  total({ usd, turns, usage }: Totals & { turns?: number | undefined }): void {
    if (usd !== undefined) this.toldUsd = since(usd, this.#before.usd)
    if (turns !== undefined) this.turns = turns
    if (usage !== undefined) this.usage = usageSince(usage, this.#before.usage)
    // The first turn is counted before its request is answered.
    if ((turns ?? 0) > 1) this.#hasWorked = true
    this.#paid()
  }

  /** What was paid for was answered, also where nobody saw the answer. */
  #paid(): void {
    const { inputTokens = 0, outputTokens = 0 } = this.usage ?? {}
    if ((this.toldUsd ?? 0) > 0 || inputTokens > 0 || outputTokens > 0) this.#hasWorked = true
    this.#follower.spent?.(this)
  }
}

/** What a session has used up. */
export interface Totals {
  usd?: number | undefined
  usage?: Usage | undefined
}

/** What came on top of what was there before; a smaller total than that cannot have begun with it. */
function since(total: number, before = 0): number {
  return total >= before ? total - before : total
}

function usageSince(usage: Usage, before: Usage | undefined): Usage {
  if (!before || usage.inputTokens < before.inputTokens) return usage
  return {
    inputTokens: usage.inputTokens - before.inputTokens,
    outputTokens: since(usage.outputTokens, before.outputTokens),
    cachedTokens: since(usage.cachedTokens, before.cachedTokens),
  }
}
