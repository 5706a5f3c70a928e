import { randomUUID } from 'node:crypto'
import type { Failure } from '../failure/index.ts'
import { realTime, type Time } from '../time/index.ts'
import { tell } from '../verdict/index.ts'
import { checkSettings } from './check-settings.ts'
import { Contest } from './contest.ts'
import type { HealthEvent } from './event.ts'
import type { Choice, Gate, GateRequest, Outlook, PassedOver } from './gate.ts'
import { Outcomes } from './outcomes.ts'
import { HealthPermit } from './permit.ts'
import { Pool } from './pool.ts'
import type { ProbeResult } from './probe.ts'
import { Prober } from './prober.ts'
import type { ProviderHealth } from './provider-health.ts'
import type { Reading } from './reading.ts'
import { NOBODY_LEFT, type Refusal } from './refusal.ts'
import { Registry } from './registry.ts'
import type { FleetCeiling, PoolSettings, ProviderSettings } from './settings.ts'
import { type ProviderStatus, statusOf } from './status.ts'
import type { ProviderStore } from './store.ts'
import type { Surroundings } from './surroundings.ts'
import { FLUSH_MS, Sync } from './sync.ts'
import { type Answer, Waiting } from './waiting.ts'

/** Settings of a health. Everything is optional: providers that nobody configured have the defaults. */
export interface HealthOptions {
  providers?: readonly ProviderSettings[]
  pools?: readonly PoolSettings[]
  fleet?: FleetCeiling
  /** Where state is shared with other processes, and kept over restarts. Default none: this process, in memory. */
  store?: ProviderStore
  /** Told of every transition that this process made. What it throws is ignored. */
  onEvent?: (event: HealthEvent) => void
  /** Told when the store fails. Calls go on with what is known. Default a warning of the process. */
  onStoreProblem?: (error: unknown) => void
  /** Names this process among those that share the store. Default something random. */
  instance?: string
  /** Default the time of this machine. */
  time?: Time
  /** In [0, 1). Default Math.random. */
  random?: () => number
}

const NOBODY: readonly PassedOver[] = []

/**
 * Which provider can serve right now, and why the others cannot. Shared by all calls of a process, and through a
 * store by several processes. A call on a healthy provider is answered at once, from memory.
 */
export class Health implements Gate {
  readonly #surroundings: Surroundings
  readonly #pools: Map<string, Pool>
  readonly #registry: Registry
  readonly #waiting: Waiting
  readonly #contest: Contest
  readonly #prober: Prober
  readonly #outcomes: Outcomes
  readonly #sync: Sync | undefined
  readonly #instance: string
  #probes = 0
  #isLoaded = false
  #loading: Promise<void> | undefined

  constructor(options: HealthOptions = {}) {
    checkSettings(options)
    const { providers = [], pools = [], fleet = {}, store, time = realTime, random = Math.random } = options
    this.#surroundings = {
      time,
      random,
      store,
      emit: event => tell(options.onEvent, { at: time.now(), ...event } as HealthEvent),
      problem: error => {
        tell(options.onStoreProblem ?? warnOfStore, error)
        this.#sync?.touch()
      },
    }
    this.#instance = options.instance ?? randomUUID()
    this.#registry = new Registry(providers, fleet, this.#surroundings)
    this.#pools = new Map(pools.map(settings => [settings.id, new Pool(this, settings)]))
    this.#waiting = new Waiting(this.#surroundings, (request, since) => this.#answer(request, since))
    this.#contest = new Contest(this.#surroundings, (request, since) => this.#chosen(request, since))
    this.#prober = new Prober(this.#surroundings)
    this.#outcomes = new Outcomes(
      this.#surroundings,
      (provider, usd, tokens) => this.#charge(provider, usd, tokens, 0),
      permit => this.#ended(permit),
    )
    if (store) {
      this.#sync = new Sync(store, this.#surroundings, this.#registry, () => this.#waiting.wake())
      // Whoever asks next is told; nobody may have asked yet.
      this.#load(this.#sync).catch(() => {})
    }
  }

  /** The pool of this name. Throws if there is none. */
  pool(id: string): Pool {
    const pool = this.#pools.get(id)
    if (pool) return pool
    const known = [...this.#pools.keys()].join(', ')
    throw new TypeError(`health: no pool is called "${id}"; known are: ${known || 'none'}`)
  }

  choose(request: GateRequest): Choice | Promise<Choice> {
    return this.#chosen(request, request.since)
  }

  /** @param since monotonic milliseconds; undefined for one that did not wait yet */
  #chosen(request: GateRequest, since: number | undefined): Choice | Promise<Choice> {
    const answer = this.#answer(request, since)
    if (!('waitMs' in answer)) return answer
    return this.#waiting.add(request, since ?? this.#surroundings.time.monotonic(), answer)
  }

  #answer(request: GateRequest, since: number | undefined): Answer {
    const unread = this.#unread(request)
    if (unread) return this.#answerAfter(unread, request, since)
    const now = this.#surroundings.time.now()
    const { pool, model, tried, again, after } = request
    let passedOver: PassedOver[] | undefined
    let first: Refusal | undefined
    let isShort = false
    for (const id of again === undefined ? pool : [again]) {
      const provider = this.provider(id)
      const unfit = again === undefined ? this.#registry.unfit(provider, request) : undefined
      const refusal = unfit === undefined ? this.#refusal(provider, model, now, again && after) : undefined
      if (unfit === undefined && refusal === undefined) {
        this.#noteReturn(pool, id, passedOver, tried)
        return { permit: this.#permit(provider, model, now, undefined), passedOver: passedOver ?? NOBODY }
      }
      if (refusal === 'probe') {
        const probe = this.#probe(provider, request, since, passedOver ?? NOBODY, now)
        if (probe) return probe
      }
      passedOver ??= []
      if (unfit !== undefined) passedOver.push({ provider: id, reason: unfit })
      else if (refusal === 'probe') {
        isShort = true
        passedOver.push({ provider: id, reason: 'a probe will tell whether it is back' })
      } else if (refusal) {
        isShort ||= refusal.isShort === true
        passedOver.push(passed(id, refusal))
        if (!refusal.isShort && (!first || refusal.until < first.until)) first = refusal
      }
    }
    if (isShort) {
      this.#watchProbes(pool)
      return { waitMs: (first?.until ?? Infinity) - now }
    }
    return {
      failure: first?.failure ?? after ?? NOBODY_LEFT,
      ...this.#firstFree(request, now),
      passedOver: passedOver ?? NOBODY,
    }
  }

  /** Apart from {@link #answer}, because a closure in there would be paid for by every call that waits for nothing. */
  async #answerAfter(
    unread: Promise<void>,
    request: GateRequest,
    since: number | undefined,
  ): Promise<Choice> {
    await unread
    return this.#chosen(request, since)
  }

  outlook(request: GateRequest): Outlook | Promise<Outlook> {
    const unread = this.#unread(request)
    if (unread) return unread.then(() => this.outlook(request))
    const now = this.#surroundings.time.now()
    const { pool, model } = request
    const otherProviderAvailable = pool.some(id => {
      const provider = this.provider(id)
      if (this.#registry.unfit(provider, request) !== undefined) return false
      const refusal = this.#refusal(provider, model, now, undefined)
      return refusal === undefined || (refusal === 'probe' && !provider.hasProbe)
    })
    return { otherProviderAvailable, ...this.#firstFree(request, now) }
  }

  mayRetry(provider: string): boolean {
    return this.provider(provider).bucket.take()
  }

  /** Settles when what is stored is known. Asking before that waits for it by itself. */
  async ready(): Promise<void> {
    if (this.#sync && !this.#isLoaded) await this.#load(this.#sync)
  }

  /** The state of every provider that is configured or was called, for a reader. */
  async status(): Promise<ProviderStatus[]> {
    await this.ready()
    const now = this.#surroundings.time.now()
    return [...this.#registry.providers()].map(provider =>
      statusOf(provider, this.#refusal(provider, undefined, now, undefined), now),
    )
  }

  /** What all providers cost together, as readings of the fleet's ceilings. */
  fleet(): Reading[] {
    return this.#registry.fleet.meter.readings(this.#surroundings.time.now())
  }

  /** Closes its breaker and ends every block of it and of its quota, by hand. Settles when that is written. */
  async reset(id: string): Promise<void> {
    await this.#changed(id, provider => provider.reset())
  }

  /** Takes a provider out until it is resumed. Settles when that is written. */
  async pause(id: string, reason?: string): Promise<void> {
    const at = this.#surroundings.time.now()
    await this.#changed(id, ({ pause }) =>
      pause.update(present => present ?? { at, ...(reason === undefined ? {} : { reason }) }),
    )
  }

  async resume(id: string): Promise<void> {
    await this.#changed(id, ({ pause }) => pause.update(() => undefined))
  }

  /**
   * Runs the provider's probe, unless its breaker or a block with an end says to leave it alone. An answer closes
   * the breaker and ends blocks that wait to be cleared.
   */
  async probe(id: string, signal?: AbortSignal): Promise<ProbeResult> {
    await this.ready()
    const provider = this.provider(id)
    const result = await this.#prober.probe(provider, this.#newProbeId(), signal)
    if (result.outcome !== 'skipped') this.#wakeAfterProbe(provider)
    return result
  }

  /** Probes all providers that have a probe, at once. */
  async probeAll(signal?: AbortSignal): Promise<ProbeResult[]> {
    const ids = [...this.#registry.providers()].flatMap(({ id, settings }) => (settings.probe ? [id] : []))
    return Promise.all(ids.map(id => this.probe(id, signal)))
  }

  /** Writes what is not written. */
  async flush(): Promise<void> {
    await this.#sync?.flush()
  }

  /** Writes everything and listens no more. Call it before the process ends, or up to a second of spends is lost. */
  async dispose(): Promise<void> {
    for (const { probeRight } of this.#registry.providers()) probeRight.dispose()
    await this.#sync?.dispose()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose()
  }

  /** The health of one provider; one that nobody configured has the defaults. */
  provider(id: string): ProviderHealth {
    return this.#registry.provider(id)
  }

  /** What is stored; asked for again by the next call where the store failed. */
  #load(sync: Sync): Promise<void> {
    this.#loading ??= sync
      .load()
      .then(() => {
        this.#isLoaded = true
      })
      .finally(() => {
        this.#loading = undefined
      })
    return this.#loading
  }

  /** What has to be read before anybody can be chosen: everything at first, and after a pause what others spent. */
  #unread({ pool }: GateRequest): Promise<void> | undefined {
    if (!this.#sync) return undefined
    if (!this.#isLoaded) return this.#load(this.#sync)
    if (!this.#sync.isStale) return undefined
    const isCapped =
      this.#registry.fleet.meter.isCapped || pool.some(id => this.provider(id).quota.meter.isCapped)
    return isCapped ? this.#sync.flush() : undefined
  }

  #refusal(
    provider: ProviderHealth,
    model: string | undefined,
    now: number,
    own: Failure | '' | undefined,
  ): Refusal | 'probe' | undefined {
    this.#sync?.glance()
    return this.#registry.fleet.refusal(provider.id, now) ?? provider.refusal(model, now, own || undefined)
  }

  #permit(
    provider: ProviderHealth,
    model: string | undefined,
    now: number,
    probeId: string | undefined,
  ): HealthPermit {
    provider.running++
    this.#charge(provider, 0, 0, 1, now)
    return new HealthPermit(provider, model, now, probeId, this.#outcomes)
  }

  /** The one call that may find out whether a provider is back; undefined where its own probe finds out. */
  #probe(
    provider: ProviderHealth,
    request: GateRequest,
    since = this.#surroundings.time.monotonic(),
    passedOver: readonly PassedOver[],
    now: number,
  ): Promise<Choice> | undefined {
    if (provider.hasProbe) {
      void this.#probeBehind(provider.id)
      return undefined
    }
    const id = this.#newProbeId()
    return this.#contest.enter(provider, request, since, id, () => {
      this.#noteReturn(request.pool, provider.id, passedOver, request.tried)
      return { permit: this.#permit(provider, request.model, now, id), passedOver }
    })
  }

  /** A probe that nobody waits for by name; those behind it ask again when it could not be made. */
  async #probeBehind(id: string): Promise<void> {
    const { time, problem } = this.#surroundings
    const result = await this.probe(id).catch(problem)
    if (!result || result.outcome === 'skipped') time.after(FLUSH_MS, () => this.#waiting.wake())
  }

  #newProbeId(): string {
    return `${this.#instance}.${++this.#probes}`
  }

  /** Tells when the preferred provider of a pool serves again after somebody else had to. */
  #noteReturn(
    pool: readonly string[],
    chosen: string,
    passedOver: readonly PassedOver[] | undefined,
    tried: ReadonlySet<string>,
  ): void {
    if (pool.length < 2) return
    const primary = this.provider(pool[0] as string)
    if (primary.id !== chosen) {
      if (passedOver?.[0]?.provider === primary.id || tried.has(primary.id)) primary.servedBy = chosen
    } else if (primary.servedBy !== undefined && !tried.has(chosen)) {
      const from = primary.servedBy
      primary.servedBy = undefined
      this.#surroundings.emit({ type: 'returned', provider: chosen, from })
    }
  }

  #charge(
    { quota }: ProviderHealth,
    usd: number,
    tokens: number,
    requests: number,
    now = this.#surroundings.time.now(),
  ): void {
    quota.charge(now, usd, tokens, requests)
    this.#registry.fleet.charge(now, usd, tokens, requests)
    this.#sync?.touch()
  }

  /** Earliest time at which anybody of the pool admits, those that failed in this call included. */
  #firstFree({ pool, model }: GateRequest, now: number): { availableAt?: number } {
    let first = Infinity
    for (const id of pool) {
      const refusal = this.#refusal(this.provider(id), model, now, undefined)
      first = Math.min(first, refusal === undefined || refusal === 'probe' ? now : refusal.until)
    }
    return Number.isFinite(first) ? { availableAt: first } : {}
  }

  #ended({ of, probeId }: HealthPermit): void {
    if (this.#waiting.size === 0) return
    if (probeId === undefined) this.#waiting.wake()
    else this.#wakeAfterProbe(of)
  }

  #wakeAfterProbe(provider: ProviderHealth): void {
    const isBack = provider.breakerAt(this.#surroundings.time.now()).state === 'closed'
    if (isBack) this.#waiting.wakeSpread()
    else this.#waiting.wake()
  }

  /** Somebody waits behind a probe of another process, which may have died. */
  #watchProbes(pool: readonly string[]): void {
    for (const id of pool) this.provider(id).probeRight.watch(() => this.#waiting.wake())
  }

  async #changed(id: string, change: (provider: ProviderHealth) => void): Promise<void> {
    await this.ready()
    const provider = this.provider(id)
    change(provider)
    await Promise.all([...provider.cells(), ...provider.quota.cells()].map(cell => cell.written()))
    this.#waiting.wake()
  }
}

function warnOfStore(error: unknown): void {
  const what = error instanceof Error ? error.message : String(error)
  process.emitWarning(`the store of provider health failed: ${what}`, 'MulliganWarning')
}

function passed(provider: string, { reason, until }: Refusal): PassedOver {
  return Number.isFinite(until) ? { provider, reason, until } : { provider, reason }
}
