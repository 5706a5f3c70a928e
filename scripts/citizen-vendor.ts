import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How a limit begins and how long it lasts. */
const LONG_EVERY = 1_000
const LONG_MS = 3_000
/** Five of a hundred jobs meet a limit; most limits are short, or the test would only wait. */
const SHORT_EVERY = 20
const SHORT_MS = 40
const UNKNOWN_EVERY = 100

/** A provider with limits, which counts calls and effects. */
export class CitizenVendor {
  readonly #server: Server
  readonly #effects: Uint8Array
  readonly #tokens: Uint16Array
  readonly #limited = new Set<number>()
  readonly #hasUnknowns: boolean
  #isLabelled = false
  #limitedUntil = 0
  #longSince = 0
  #calls = 0
  #limits = 0
  #longLimits = 0
  #refused = 0
  #refusedLong = 0
  #refusedLate = 0

  constructor({ jobs, hasUnknowns }: { jobs: number; hasUnknowns: boolean }) {
    this.#effects = new Uint8Array(jobs)
    this.#tokens = new Uint16Array(jobs)
    this.#hasUnknowns = hasUnknowns
    this.#server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://vendor')
      const n = Number(searchParams.get('n'))
      // Whoever asks is later than all starts with smaller tokens: those must do nothing any more.
      const token = Number(searchParams.get('token'))
      if (token < (this.#tokens[n] ?? 0)) return void response.writeHead(409).end('a later start has asked')
      this.#tokens[n] = token
      if (pathname === '/effect') return void response.writeHead(this.#effects[n] ? 200 : 404).end()
      const { status, body, headers = {} } = this.#answer(n, Number(searchParams.get('at')))
      response.writeHead(status, headers).end(body)
    })
  }

  async listen(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** From now on, what nobody knew works. */
  labelled(): void {
    this.#isLabelled = true
  }

  report() {
    let effectsTwice = 0
    let effectsMissing = 0
    for (const count of this.#effects) {
      if (count > 1) effectsTwice++
      if (count === 0) effectsMissing++
    }
    return {
      ...{ effectsTwice, effectsMissing },
      calls: this.#calls,
      limits: this.#limits,
      longLimits: this.#longLimits,
      refused: this.#refused,
      refusedLong: this.#refusedLong,
      refusedLate: this.#refusedLate,
    }
  }

  close(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise(resolve => this.#server.close(() => resolve()))
  }

  /** @param begunAt when the worker began the call, epoch milliseconds: on a busy machine it may arrive much later */
  #answer(n: number, begunAt: number): { status: number; body: string; headers?: Record<string, string> } {
    this.#calls++
    const now = Date.now()
    if (now >= this.#limitedUntil && n % SHORT_EVERY === 3 && !this.#limited.has(n)) {
      this.#limited.add(n)
      this.#limits++
      const isLong = n % LONG_EVERY === 3
      this.#limitedUntil = now + (isLong ? LONG_MS : SHORT_MS)
      this.#longSince = isLong ? now : Infinity
      if (isLong) this.#longLimits++
    }
    const leftMs = Math.ceil(this.#limitedUntil - now)
    if (leftMs > 0) {
      this.#refused++
      if (this.#longSince <= now) this.#refusedLong++
      if (begunAt - this.#longSince > 1_000) this.#refusedLate++
      const error = { type: 'error', error: { type: 'rate_limit_error', message: 'rate limit exceeded' } }
      return { status: 429, body: JSON.stringify(error), headers: { 'retry-after-ms': String(leftMs) } }
    }
    if (this.#hasUnknowns && !this.#isLabelled && n % UNKNOWN_EVERY === 7)
      return { status: 418, body: 'the frobnicator wobbled at the wug' }
    this.#effects[n] = (this.#effects[n] ?? 0) + 1
    return { status: 200, body: 'done' }
  }
}
