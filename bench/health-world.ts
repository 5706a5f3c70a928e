import { FakeTime } from '../src/testing/core/fake-time.ts'
import { seeded } from './measure.ts'

/** Five providers on a day of fake time, the same day for every router: outages, quota windows, slow recoveries. */

const MINUTE = 60_000
const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
const START = Date.UTC(2026, 0, 5)

export interface Incident {
  from: number
  until: number
  /** After the outage it fails ever less often, for so long. */
  recoveryMs: number
  /** How an outage shows: at once as an error, or by hanging until the client gives up. */
  hangs: boolean
}

interface Setting {
  name: string
  /** Requests per window, and how long that is; none if it has no limit. */
  quota?: { requests: number; windowMs: number }
  outagesPerDay: number
  latencyMs: number
}

const SETTINGS: readonly Setting[] = [
  { name: 'plan', quota: { requests: 12_000, windowMs: 5 * HOUR }, outagesPerDay: 4, latencyMs: 2_500 },
  { name: 'vendor', quota: { requests: 1_500, windowMs: HOUR }, outagesPerDay: 4, latencyMs: 2_000 },
  { name: 'gateway', quota: { requests: 60, windowMs: MINUTE }, outagesPerDay: 6, latencyMs: 3_000 },
  { name: 'second vendor', outagesPerDay: 5, latencyMs: 4_000 },
  { name: 'own machine', outagesPerDay: 3, latencyMs: 8_000 },
]
export const PROVIDERS: readonly string[] = SETTINGS.map(({ name }) => name)

const BACKGROUND_ERRORS = 0.003
const HANG_MS = 20_000

/** What a router is told about a request that was served: the headers that vendors send with every answer. */
export interface Answer {
  headers: Record<string, string>
}

/** Why a request was in vain. */
type Waste = 'outage' | 'quota' | 'recovery'

export interface Tally {
  wasted: Record<Waste, number>
  sent: number
}

export class World {
  readonly time = new FakeTime(START)
  readonly incidents: Incident[][]
  readonly tally: Tally = { wasted: { outage: 0, quota: 0, recovery: 0 }, sent: 0 }
  /** When the preferred provider was sent a request, and whether it could serve. */
  readonly primarySends: { at: number; served: boolean }[] = []
  /** When a call began, whoever served it. */
  readonly calls: number[] = []
  readonly #used = SETTINGS.map(() => ({ window: -1, requests: 0 }))
  readonly #random: () => number

  constructor(seed: number) {
    const random = seeded(seed)
    this.incidents = SETTINGS.map(({ outagesPerDay }) => incidentsOf(outagesPerDay, random))
    this.#random = seeded(seed + 1)
  }

  /** Sends one request. Rejects as an SDK would. */
  async send(provider: number): Promise<Answer> {
    const { time } = this
    const { latencyMs, quota } = SETTINGS[provider] as Setting
    this.tally.sent++
    const fault = this.#fault(provider)
    if (provider === 0) this.primarySends.push({ at: time.now(), served: fault === undefined })
    if (fault) {
      this.tally.wasted[fault.waste]++
      await this.#pass(fault.ms)
      throw fault.error
    }
    if (this.#random() < BACKGROUND_ERRORS) {
      await this.#pass(300)
      throw httpError(500, 'Internal server error')
    }
    const headers = quota ? this.#use(provider, quota) : {}
    await this.#pass(latencyMs * (0.5 + this.#random()))
    return { headers }
  }

  #fault(provider: number): { waste: Waste; ms: number; error: unknown } | undefined {
    const now = this.time.now()
    const { quota } = SETTINGS[provider] as Setting
    for (const { from, until, recoveryMs, hangs } of this.incidents[provider] as Incident[]) {
      if (now >= from && now < until)
        return hangs
          ? { waste: 'outage', ms: HANG_MS, error: timeoutError() }
          : { waste: 'outage', ms: 200, error: httpError(503, 'Service unavailable') }
      const left = 1 - (now - until) / recoveryMs
      if (now >= until && left > 0 && this.#random() < left * 0.8)
        return { waste: 'recovery', ms: 500, error: httpError(529, 'Overloaded') }
    }
    if (!quota || this.#left(provider, quota) > 0) return undefined
    const seconds = Math.ceil((this.#reset(quota) - now) / 1_000)
    const error = httpError(429, 'Too many requests', { 'retry-after': String(seconds) })
    return { waste: 'quota', ms: 150, error }
  }

  #left(provider: number, { requests, windowMs }: NonNullable<Setting['quota']>): number {
    const used = this.#used[provider] as { window: number; requests: number }
    const window = Math.floor((this.time.now() - START) / windowMs)
    if (used.window !== window) Object.assign(used, { window, requests: 0 })
    return requests - used.requests
  }

  #reset({ windowMs }: NonNullable<Setting['quota']>): number {
    return START + (Math.floor((this.time.now() - START) / windowMs) + 1) * windowMs
  }

  #use(provider: number, quota: NonNullable<Setting['quota']>): Record<string, string> {
    const left = this.#left(provider, quota) - 1
    const used = this.#used[provider] as { requests: number }
    used.requests++
    return {
      'x-ratelimit-limit-requests': String(quota.requests),
      'x-ratelimit-remaining-requests': String(left),
      'x-ratelimit-reset-requests': `${Math.ceil((this.#reset(quota) - this.time.now()) / 1_000)}s`,
    }
  }

  #pass(ms: number): Promise<void> {
    return new Promise(resolve => this.time.after(ms, resolve))
  }
}

function incidentsOf(perDay: number, random: () => number): Incident[] {
  return Array.from({ length: perDay }, (_, index) => {
    const from = START + ((index + random() * 0.8) / perDay) * DAY
    const until = from + (2 + random() * random() * 60) * MINUTE
    return { from, until, recoveryMs: (2 + random() * 8) * MINUTE, hangs: random() < 0.3 }
  })
}

function httpError(status: number, message: string, headers: Record<string, string> = {}): Error {
  return Object.assign(new Error(`${status} ${message}`), { status, headers })
}

function timeoutError(): Error {
  return Object.assign(new Error('Request timed out.'), { name: 'APIConnectionTimeoutError' })
}
