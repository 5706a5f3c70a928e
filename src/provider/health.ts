import type { Failure } from '../failure/index.ts'
import { throttleHint } from '../failure/index.ts'
import { realTime, type Time } from '../time/index.ts'
import { defaultPolicy, type HealthMark } from '../verdict/index.ts'
import type { Cell } from './cell.ts'
import { checkSettings } from './check-settings.ts'
import { Contest } from './contest.ts'
import type { HealthEvent } from './event.ts'
import { Fleet } from './fleet.ts'
import type { Choice, Cost, Gate, GateRequest, Outlook, PassedOver } from './gate.ts'
import { readKey } from './keys.ts'
import type { Meter } from './meter.ts'
import { HealthPermit, type Settling } from './permit.ts'
import { Pool } from './pool.ts'
import type { ProbeResult } from './probe.ts'
import { Prober, withoutCall } from './prober.ts'
import { ProviderHealth } from './provider-health.ts'
import { QuotaHealth } from './quota-health.ts'
import { NOBODY_LEFT, type Refusal } from './refusal.ts'
import { reportedIn } from './reported.ts'
import type { FleetCeiling, PoolSettings, ProviderSettings } from './settings.ts'
import { type ProviderStatus, statusOf } from './status.ts'
import type { ProviderStore } from './store.ts'
import type { Surroundings } from './surroundings.ts'
import { Sync, type Synced } from './sync.ts'
import { Waiting } from './waiting.ts'

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
  /** Default the time of this machine. */
  time?: Time
  /** In [0, 1). Default Math.random. */
  random?: () => number
}

const NOBODY: readonly PassedOver[] = []
/** Distinguishes the probes of all processes. */
const PROCESS = `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 10)}`
let probes = 0

/**
 * Which provider can serve right now, and why the others cannot. Shared by all calls of a process, and through a
 * store by several processes. A call on a healthy provider is answered at once, from memory.
 */
export class Health implements Gate, Settling, Synced {
  readonly #surroundings: Surroundings
  readonly #settings: Map<string, ProviderSettings>
  readonly #pools: Map<string, Pool>
  readonly #providers = new Map<string, ProviderHealth>()
  readonly #quotas = new Map<string, QuotaHealth>()
  readonly #fleet: Fleet
  readonly #waiting: Waiting
  readonly #contest: Contest
  readonly #prober: Prober
  readonly #sync: Sync | undefined
  /** Undefined once what is stored is known. */
  #loading: Promise<void> | undefined

  constructor(options: HealthOptions = {}) {
    checkSettings(options)
    const { providers = [], pools = [], fleet = {}, store, time = realTime, random = Math.random } = options
    this.#surroundings = {
      time,
      random,
      store,
      emit: event => this.#emit({ at: time.now(), ...event } as HealthEvent, options.onEvent),
      problem: options.onStoreProblem ?? warnOfStore,
    }
    this.#settings = new Map(providers.map(settings => [settings.id, settings]))
    this.#pools = new Map(pools.map(settings => [settings.id, new Pool(this, settings)]))
    this.#fleet = new Fleet(fleet, this.#surroundings)
    this.#waiting = new Waiting(this.#surroundings, request => this.choose(request))
    this.#contest = new Contest(this.#surroundings, request => this.choose(request))
    this.#prober = new Prober(this.#surroundings)
    for (const { id } of providers) this.provider(id)
    if (store) {
      this.#sync = new Sync(store, this.#surroundings, this)
      this.#loading = this.#load(this.#sync)
      // Whoever asks next is told; nobody may have asked yet.
      this.#loading.catch(() => {})
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
    const unread = this.#unread(request)
    if (unread) return unread.then(() => this.choose(request))
    const now = this.#surroundings.time.now()
    const { pool, model, tried, again, after } = request
    let passedOver: PassedOver[] | undefined
    let first: Refusal | undefined
    let isShort = false
    for (const id of again === undefined ? pool : [again]) {
      const provider = this.provider(id)
      const unfit = again === undefined ? this.#unfit(provider, request) : undefined
      const refusal = unfit === undefined ? this.#refusal(provider, model, now, again && after) : undefined
      if (unfit === undefined && refusal === undefined) {
        this.#noteReturn(pool, id, passedOver, tried)
        return { permit: this.#permit(provider, model, now, undefined), passedOver: passedOver ?? NOBODY }
      }
      if (refusal === 'probe') {
        const probe = this.#probe(provider, request, passedOver ?? NOBODY, now)
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
        if (!first || refusal.until < first.until) first = refusal
      }
    }
    if (isShort) {
      this.#watchProbes(pool)
      return this.#waiting.add(request)
    }
    return {
      failure: first?.failure ?? after ?? NOBODY_LEFT,
      ...this.#firstFree(request, now),
      passedOver: passedOver ?? NOBODY,
    }
  }

  outlook(request: GateRequest): Outlook | Promise<Outlook> {
    const unread = this.#unread(request)
    if (unread) return unread.then(() => this.outlook(request))
    const now = this.#surroundings.time.now()
    const { pool, model } = request
    const otherProviderAvailable = pool.some(id => {
      const provider = this.provider(id)
      if (this.#unfit(provider, request) !== undefined) return false
      const refusal = this.#refusal(provider, model, now, undefined)
      return refusal === undefined || (refusal === 'probe' && !provider.settings.probe)
    })
    return { otherProviderAvailable, ...this.#firstFree(request, now) }
  }

  mayRetry(provider: string): boolean {
    return this.provider(provider).bucket.take()
  }

  /** Settles when what is stored is known. Asking before that waits for it by itself. */
  async ready(): Promise<void> {
    await this.#loading
  }

  /** The state of every provider that is configured or was called, for a reader. */
  async status(): Promise<ProviderStatus[]> {
    await this.#loading
    const now = this.#surroundings.time.now()
    return [...this.#providers.values()].map(provider => statusOf(provider, now))
  }

  /** What all providers cost together, as readings of the fleet's ceilings. */
  fleet() {
    return this.#fleet.meter.readings(this.#surroundings.time.now())
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
    await this.#loading
    const provider = this.provider(id)
    const result = await this.#prober.probe(provider, `${PROCESS}.${++probes}`, signal)
    if (result.outcome !== 'skipped') this.#wakeAfterProbe(provider)
    return result
  }

  /** Probes all providers that have a probe, at once. */
  async probeAll(signal?: AbortSignal): Promise<ProbeResult[]> {
    const ids = [...this.#settings.values()].filter(({ probe }) => probe).map(({ id }) => id)
    return Promise.all(ids.map(id => this.probe(id, signal)))
  }

  /** Writes what is not written. */
  async flush(): Promise<void> {
    await this.#sync?.flush()
  }

  /** Writes everything and listens no more. Call it before the process ends, or up to a second of spends is lost. */
  async dispose(): Promise<void> {
    for (const { probeRight } of this.#providers.values()) probeRight.dispose()
    await this.#sync?.dispose()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose()
  }

  /** The health of one provider; one that nobody configured has the defaults. */
  provider(id: string): ProviderHealth {
    let provider = this.#providers.get(id)
    if (!provider) {
      const settings = this.#settings.get(id) ?? { id }
      provider = new ProviderHealth(settings, this.#quota(settings.quota ?? id), this.#surroundings)
      this.#providers.set(id, provider)
    }
    return provider
  }

  settled({ of, probeId }: HealthPermit, cost: Cost | undefined): void {
    of.running--
    if (cost && (cost.costUsd !== null || cost.tokens !== null))
      this.#charge(of, cost.costUsd ?? 0, cost.tokens ?? 0, 0)
    if (this.#waiting.size === 0) return
    if (probeId === undefined) this.#waiting.wake()
    else this.#wakeAfterProbe(of)
  }

  failed({ of, probeId }: HealthPermit, failure: Failure, mark: HealthMark): void {
    of.failed(failure, mark, this.#surroundings.time.now(), probeId)
  }

  observed({ of, model }: HealthPermit, seen: unknown): void {
    const reported = reportedIn(seen, this.#surroundings.time.now())
    if (reported.length > 0) of.quota.learn(reported, model)
  }

  /** Reads what a successful call returned: headers of a response, or the output of a program. */
  heard(permit: HealthPermit, value: unknown): void {
    const { headers, response, stdout } = value as { headers?: unknown; response?: unknown; stdout?: unknown }
    if (headers === undefined && response === undefined && typeof stdout !== 'string') return
    this.observed(permit, value)
    if (typeof stdout === 'string') this.#heardOutput(permit, value)
  }

  cellOf(key: string): Cell<never> | undefined {
    const of = readKey(key)
    switch (of?.of) {
      case 'breaker':
      case 'pause':
        return this.provider(of.provider)[of.of] as unknown as Cell<never>
      case 'credentialBlock':
        return this.provider(of.provider).login.cell as unknown as Cell<never>
      case 'quotaBlock':
        return this.#quota(of.quota).blockCell(of.model).cell as unknown as Cell<never>
      case 'fill':
        return this.#quota(of.quota).fillCell(of.model) as unknown as Cell<never>
      case 'fleet':
        return this.#fleet.reached as unknown as Cell<never>
      case undefined:
        return undefined
    }
  }

  *cells(): Iterable<Cell<never>> {
    for (const provider of this.#providers.values()) yield* provider.cells()
    for (const quota of this.#quotas.values()) yield* quota.cells()
    yield this.#fleet.reached as unknown as Cell<never>
  }

  *meters(): Iterable<Meter> {
    for (const { meter } of this.#quotas.values()) yield meter
    yield this.#fleet.meter
  }

  refreshed(): void {
    this.#waiting.wake()
  }

  async #load(sync: Sync): Promise<void> {
    await sync.load()
    this.#loading = undefined
  }

  /** What has to be read before anybody can be chosen: everything at first, and after a pause what others spent. */
  #unread({ pool }: GateRequest): Promise<void> | undefined {
    if (this.#loading || !this.#sync?.isStale) return this.#loading
    const isCapped = this.#fleet.meter.isCapped || pool.some(id => this.provider(id).quota.meter.isCapped)
    return isCapped ? this.#sync.flush() : undefined
  }

  #quota(name: string): QuotaHealth {
    let quota = this.#quotas.get(name)
    if (!quota) {
      const sharing = [...this.#settings.values()].filter(({ id, quota = id }) => quota === name)
      const caps = sharing.flatMap(({ caps = [], timeZone: zone = 'UTC' }) =>
        caps.map(cap => ({ cap, zone })),
      )
      quota = new QuotaHealth(name, caps, this.#surroundings)
      this.#quotas.set(name, quota)
    }
    return quota
  }

  #refusal(
    provider: ProviderHealth,
    model: string | undefined,
    now: number,
    own: Failure | '' | undefined,
  ): Refusal | 'probe' | undefined {
    this.#sync?.glance()
    return this.#fleet.refusal(provider.id, now) ?? provider.refusal(model, now, own || undefined)
  }

  /** Why this provider cannot help with this failure, whatever its health. */
  #unfit(provider: ProviderHealth, { tried, after, model }: GateRequest): string | undefined {
    if (tried.size === 0) return undefined
    if (tried.has(provider.id)) return 'already failed in this call'
    if (after?.provider === undefined) return undefined
    const failed = this.provider(after.provider)
    if (after.class === 'throttle' && failed.quota === provider.quota)
      return `shares the quota of ${failed.id}, which is used up`
    if (after.kind !== 'context_overflow') return undefined
    const [had, has] = [windowOf(failed.settings, model), windowOf(provider.settings, model)]
    return had !== undefined && has !== undefined && has > had
      ? undefined
      : 'declares no larger context window'
  }

  #permit(
    provider: ProviderHealth,
    model: string | undefined,
    now: number,
    probeId: string | undefined,
  ): HealthPermit {
    provider.running++
    this.#charge(provider, 0, 0, 1, now)
    return new HealthPermit(provider, model, now, probeId, this)
  }

  /** The one call that may find out whether a provider is back; undefined where its own probe finds out. */
  #probe(
    provider: ProviderHealth,
    request: GateRequest,
    passedOver: readonly PassedOver[],
    now: number,
  ): Promise<Choice> | undefined {
    if (provider.settings.probe) {
      this.probe(provider.id).catch(this.#surroundings.problem)
      return undefined
    }
    const id = `${PROCESS}.${++probes}`
    return this.#contest.enter(provider, request, id, () => {
      this.#noteReturn(request.pool, provider.id, passedOver, request.tried)
      return { permit: this.#permit(provider, request.model, now, id), passedOver }
    })
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
    this.#fleet.charge(now, usd, tokens, requests)
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

  #wakeAfterProbe(provider: ProviderHealth): void {
    const isBack = provider.breakerAt(this.#surroundings.time.now()).state === 'closed'
    if (isBack) this.#waiting.wakeSpread()
    else this.#waiting.wake()
  }

  /** Somebody waits behind a probe of another process, which may have died. */
  #watchProbes(pool: readonly string[]): void {
    for (const id of pool) this.provider(id).probeRight.watch(() => this.#waiting.wake())
  }

  /** Some programs end well after meeting a limit on the way: the limit holds for the next call all the same. */
  #heardOutput({ of, provider, model }: HealthPermit, value: unknown): void {
    const now = this.#surroundings.time.now()
    const failure = throttleHint(value, { provider, model, now })
    if (!failure) return
    const mark = defaultPolicy.health(failure, withoutCall(now))
    of.failed(failure, { ...mark, breaker: 'none' }, now, undefined)
  }

  async #changed(id: string, change: (provider: ProviderHealth) => void): Promise<void> {
    await this.#loading
    const provider = this.provider(id)
    change(provider)
    await Promise.all([...provider.cells(), ...provider.quota.cells()].map(cell => cell.written()))
    this.#waiting.wake()
  }

  #emit(event: HealthEvent, listener: HealthOptions['onEvent']): void {
    try {
      listener?.(event)
    } catch {
      // Whoever listens must not be able to break a call.
    }
  }
}

function warnOfStore(error: unknown): void {
  const what = error instanceof Error ? error.message : String(error)
  process.emitWarning(`the store of provider health failed: ${what}`, 'MulliganWarning')
}

function passed(provider: string, { reason, until }: Refusal): PassedOver {
  return Number.isFinite(until) ? { provider, reason, until } : { provider, reason }
}

/** The largest window that it declares for the model, or for any of its models where that one is not listed. */
function windowOf({ models = [] }: ProviderSettings, model: string | undefined): number | undefined {
  const named = models.find(({ id }) => id === model)
  const windows = (named ? [named] : models).flatMap(({ contextWindow }) => contextWindow ?? [])
  return windows.length > 0 ? Math.max(...windows) : undefined
}
