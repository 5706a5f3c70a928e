import type { CallEvent } from '../call/event.ts'
import { realTime, type Time } from '../time/time.ts'
import { durationInWords } from '../verdict/duration-words.ts'
import type { Terminal } from './main.ts'

/** How often the live line is drawn, in milliseconds. */
const EVERY_MS = 1_000

/**
 * Reports the progress of a call on stderr: each failure, failover and wait in a sentence; on a terminal also a live line
 * with provider, attempt, time, remaining budget, and cost.
 */
export class Progress {
  readonly #terminal: Terminal
  readonly #time: Time
  readonly #isLive: boolean
  readonly #prefix: string
  readonly #flag: string
  readonly #budgetMs: number
  readonly #startedAt: number
  readonly #told = new Set<string>()
  #attempt = 0
  #provider: string | undefined
  #waits = false
  #costBefore = 0
  #cost: number | undefined
  #cancel: (() => void) | undefined

  constructor(
    terminal: Terminal,
    {
      budgetMs = Infinity,
      isLive = false,
      prefix = '',
      flag = '--repeatable',
      time = realTime,
    }: ProgressSettings = {},
  ) {
    this.#terminal = terminal
    this.#budgetMs = budgetMs
    this.#isLive = isLive
    this.#prefix = prefix
    this.#flag = flag
    this.#time = time
    this.#startedAt = time.monotonic()
  }

  readonly onEvent = (event: CallEvent): void => {
    switch (event.type) {
      case 'attempt.started':
        this.#attempt = event.attempt
        this.#provider = event.provider
        this.#waits = false
        for (const { provider, reason } of event.passedOver) this.#passedOver(provider, reason)
        if (!this.#isLive && event.provider !== undefined)
          this.#say(`try ${event.attempt}: ${event.provider}`)
        this.#draw()
        break
      case 'attempt.failed': {
        const { failure, verdict, durationMs, costUsd, refusedRepeat } = event
        this.#costBefore += costUsd ?? 0
        this.#cost = undefined
        if (event.provider !== undefined) this.#told.add(event.provider)
        const who = event.provider ?? `try ${event.attempt}`
        this.#say(
          `${who} failed after ${durationInWords(durationMs)}: ${failure.class}/${failure.kind}: ${failure.message}`,
        )
        if (verdict.action !== 'retry' && verdict.action !== 'failover')
          this.#say(refusedRepeat ? `${refusedRepeat.why} (harmless twice? ${this.#flag})` : verdict.reason)
        break
      }
      case 'waiting':
        this.#waits = true
        this.#say(`waiting ${durationInWords(event.delayMs)}: ${event.reason}`)
        this.#draw()
        break
      case 'failed.over':
        this.#say(`switching from ${event.from ?? 'the previous provider'} to ${event.to}: ${event.reason}`)
        break
      case 'settled':
        this.stop()
    }
  }

  /** What the running try has cost so far, in US dollars. */
  spent(usd: number | null): void {
    if (usd !== null) this.#cost = usd
  }

  stop(): void {
    if (this.#cancel) this.#terminal.clearLine?.()
    this.#cancel?.()
    this.#cancel = undefined
  }

  /** Reported once per provider, and not if its failure was already reported. */
  #passedOver(provider: string, reason: string): void {
    if (this.#told.has(provider)) return
    this.#told.add(provider)
    this.#say(`skipping ${provider}: ${reason}`)
  }

  #say(sentence: string): void {
    if (this.#isLive) this.#terminal.clearLine?.()
    this.#terminal.stderr(`${this.#prefix}${sentence}\n`)
  }

  #draw(): void {
    if (!this.#isLive) return
    this.#cancel?.()
    this.#terminal.clearLine?.()
    this.#terminal.stderr(this.#line())
    this.#cancel = this.#time.after(EVERY_MS, () => this.#draw())
  }

  #line(): string {
    const elapsedMs = this.#time.monotonic() - this.#startedAt
    const cost = this.#costBefore + (this.#cost ?? 0)
    return [
      this.#provider ?? 'running',
      `try ${this.#attempt}${this.#waits ? ', waiting' : ''}`,
      durationInWords(Math.max(1_000, elapsedMs)),
      ...(this.#budgetMs === Infinity
        ? []
        : [`${durationInWords(Math.max(0, this.#budgetMs - elapsedMs))} left`]),
      ...(cost > 0 ? [`$${cost.toFixed(2)}`] : []),
    ].join(' · ')
  }
}

interface ProgressSettings {
  /** Default Infinity. */
  budgetMs?: number
  /** Draws the live line. Default false. */
  isLive?: boolean
  /** Prefix of each sentence, if other output is next to it. */
  prefix?: string
  /** The flag for "running it twice is safe". Default `--repeatable`. */
  flag?: string
  time?: Time
}
