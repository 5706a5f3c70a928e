import type { CallEvent } from '../../call/event.ts'
import { realTime, type Time } from '../../time/time.ts'
import { durationInWords } from '../../verdict/duration-words.ts'
import type { Terminal } from '../terminal.ts'

/** How often the live line is redrawn, in milliseconds. */
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
  /** Providers whose failure or skip has been reported. */
  readonly #reported = new Set<string>()
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
      flag = '--retry replay',
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
        if (event.provider !== undefined) this.#reported.add(event.provider)
        const who = event.provider ?? `try ${event.attempt}`
        this.#say(
          `${who} failed after ${durationInWords(durationMs)}: ${failure.class}/${failure.kind}: ${failure.message}`,
        )
        if (verdict.action !== 'retry' && verdict.action !== 'failover')
          this.#say(
            refusedRepeat
              ? `${refusedRepeat.why} (if running it twice is safe: ${this.#flag})`
              : verdict.reason,
          )
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

  /** Sets the cost of the running try so far, in US dollars. */
  spent(usd: number | null): void {
    if (usd !== null) this.#cost = usd
  }

  stop(): void {
    if (this.#cancel) this.#terminal.clearLine?.()
    this.#cancel?.()
    this.#cancel = undefined
  }

  /** Reports a skipped provider once, and not if its failure was already reported. */
  #passedOver(provider: string, reason: string): void {
    if (this.#reported.has(provider)) return
    this.#reported.add(provider)
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
  /** Time limit, in milliseconds. Default none. */
  budgetMs?: number
  /** Whether to draw the live line. Default false. */
  isLive?: boolean
  /** Prefix of each sentence, to tell it from other output. Default none. */
  prefix?: string
  /** The flag that declares repeatable work. Default `--retry replay`. */
  flag?: string
  time?: Time
}
