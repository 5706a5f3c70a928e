import type { ServerResponse } from 'node:http'
import { HEAD_MS } from '../../sdk/fetch/patience.ts'
import type { Time } from '../../time/time.ts'
import { headersToGiveBack } from './headers.ts'
import { type Hold, HoldEnded, type Holds } from './holds.ts'
import { heartbeatOf, type StreamKind } from './in-vendor-words.ts'
import type { LongestHold } from './longest-hold.ts'
import type { Answer } from './patient-send.ts'

/** Clients give up after five minutes of silence at the earliest, and read a beat as a sign of life. */
const BEAT_MS = 15_000

/** What a {@link Waiting} needs. */
export interface WaitingDeps {
  holds: Holds
  time: Time
  longest: LongestHold
  /** How long the client bears to hear nothing, in milliseconds. Default: longer than the time between signs of life. */
  patienceMs?: number
}

/** The wait of one question: it is listed, its client hears that it goes on, and it ends after the longest wait. */
export class Waiting {
  readonly #deps: WaitingDeps
  readonly #hold: Pick<Hold, 'id' | 'api' | 'client' | 'model'>
  readonly #to: ServerResponse
  readonly #heartbeat: string | undefined
  readonly #end: (why: HoldEnded) => void
  /** What it waited for last, in words. */
  reason: string | undefined
  /** When it began to wait, on both clocks: only the one for people can be set. */
  #since: number | undefined
  #sinceMs = 0
  #limitMs = 0
  /** The provider that refused last. */
  #provider: string | undefined
  #isAsking = false
  /** Its provider has begun a stream: a client alone would have that by now, and its signs of life. */
  #hasHead = false
  #cancelHead = () => {}
  #cancelBeat = () => {}
  #cancelLimit = () => {}

  /** @param end ends the question */
  constructor(
    deps: WaitingDeps,
    hold: Pick<Hold, 'id' | 'api' | 'client' | 'model'>,
    to: ServerResponse,
    stream: StreamKind | undefined,
    end: (why: HoldEnded) => void,
  ) {
    this.#deps = deps
    this.#hold = hold
    this.#to = to
    this.#heartbeat = stream && heartbeatOf(stream)
    this.#end = end
    this.#beatLater()
  }

  /** A provider is being asked. */
  asks(): void {
    this.#isAsking = true
    this.#deps.holds.drop(this.#hold.id)
  }

  /** The provider that is being asked has begun a stream. Its head is not kept back for long: many clients end what has none in time. */
  hasHead(answer: Answer): void {
    this.#hasHead = true
    this.#cancelHead()
    this.#cancelHead = this.#deps.time.after(HEAD_MS, () => {
      if (!this.#hasHead || this.#to.headersSent) return
      // If this answer fails, another follows, as long as it likes.
      const { 'content-length': _, ...headers } = headersToGiveBack(answer)
      this.#to.writeHead(answer.status, headers)
      this.#to.flushHeaders()
    })
  }

  /** A provider could not answer. */
  failedAt(provider: string | undefined): void {
    this.#isAsking = false
    this.#hasHead = false
    this.#provider = provider
  }

  /**
   * Lists the wait, or what is new about it. @param until when it should end, epoch milliseconds, if that is known
   * @param isStated whether a limit says so
   */
  waits(until: number | undefined, reason: string, isStated = false): void {
    const { time, holds } = this.#deps
    const now = time.now()
    this.reason = reason
    const isFirst = this.#since === undefined
    const since = this.#since ?? now
    this.#since = since
    if (isFirst) this.#sinceMs = time.monotonic()
    const waitedMs = time.monotonic() - this.#sinceMs
    if (!isFirst && waitedMs >= this.#limitMs) this.#tooLong()
    const limitMs = this.#limitOf(isStated && until !== undefined ? until - now + waitedMs : undefined)
    if (isFirst || limitMs !== this.#limitMs) {
      this.#limitMs = limitMs
      this.#cancelLimit()
      this.#cancelLimit = time.after(limitMs - waitedMs, () => this.#isAsking || this.#tooLong())
    }
    holds.note({ ...this.#hold, provider: this.#provider, since, until, reason }, this.#end)
  }

  /** How long it may wait in all: as long as the limit states, and then a while. */
  #limitOf(untilStatedMs: number | undefined): number {
    const { anyMs, statedMs } = this.#deps.longest
    const untilStated = untilStatedMs === undefined ? 0 : untilStatedMs + anyMs
    return Math.max(this.#limitMs, anyMs, Math.min(statedMs, untilStated))
  }

  #tooLong(): void {
    const { isOfClient } = this.#deps.longest
    this.#end(
      new HoldEnded(`it waited as long as ${isOfClient ? 'its client does' : 'max_hold allows'}`, isOfClient),
    )
  }

  /** It waits no more. May be called twice. */
  over(): void {
    this.#cancelHead()
    this.#cancelBeat()
    this.#cancelLimit()
    this.#deps.holds.drop(this.#hold.id)
  }

  /** While no provider is silent, a client that waits for a stream is told that it goes on. */
  #beatLater(): void {
    const { time, patienceMs = BEAT_MS } = this.#deps
    // Once it has the head, its client bears the usual silence; one that bears none is not told more often than every second.
    const ms = this.#to.headersSent ? BEAT_MS : Math.min(BEAT_MS, Math.max(HEAD_MS, patienceMs))
    this.#cancelBeat = time.after(ms, () => {
      if (!this.#isAsking && this.#since === undefined)
        this.waits(undefined, 'waits in line for its provider')
      const { headersSent } = this.#to
      if (this.#heartbeat !== undefined && (!this.#isAsking || this.#hasHead || headersSent)) {
        if (!headersSent)
          this.#to.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
        this.#to.write(this.#heartbeat)
      }
      this.#beatLater()
    })
  }
}
