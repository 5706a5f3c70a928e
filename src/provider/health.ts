import { WrongArgument } from '../failure/own-error.ts'
import { present } from '../failure/present.ts'
import { realTime, type Time } from '../time/time.ts'
import { emitWarning } from '../time/warning.ts'
import { notify } from '../verdict/listener.ts'
import { Admission } from './admission.ts'
import { CellMaker } from './cell-maker.ts'
import { checkSettings } from './check-settings.ts'
import { Chooser } from './chooser.ts'
import { FlushTimer } from './flush-timer.ts'
import type { Choice, Gate, GateRequest, Outlook, Permit } from './gate.ts'
import type { HealthOptions } from './health-options.ts'
import { Permits } from './permit.ts'
import { Pool } from './pool.ts'
import type { ProbeResult } from './probe.ts'
import { Prober } from './prober.ts'
import type { Pause, ProviderHealth } from './provider-health.ts'
import type { ProviderStatus } from './provider-status.ts'
import { Providers } from './providers.ts'
import type { RunCommand } from './run-probe.ts'
import { statusOf } from './status.ts'
import { StoreSync } from './store-sync.ts'
import { WaitingLine } from './waiting-line.ts'
import type { WindowUse } from './window-use.ts'

/** A try that was made without asking this health. */
export interface ElsewhereTry {
  model?: string | undefined
  credential?: string | undefined
  /** Epoch milliseconds. Default: now. */
  startedAt?: number
}

/**
 * Knows which provider can serve right now, and why the others cannot. Shared by all calls of a process, and through a store
 * by several processes. Calls on a healthy provider are answered at once, from memory.
 */
export class Health implements Gate {
  readonly #time: Time
  readonly #providers: Providers
  readonly #line: WaitingLine
  readonly #sync: StoreSync | undefined
  readonly #admission: Admission
  readonly #permits: Permits
  readonly #prober: Prober
  readonly #chooser: Chooser
  readonly #pools: ReadonlyMap<string, Pool>

  /** @param runCommand runs the commands of probes. Default: none, so commands cannot run here. */
  constructor(options: HealthOptions = {}, runCommand?: RunCommand) {
    checkSettings(options)
    const { providers: settings = [], pools = [], fleet = {} } = options
    const { store, signatures, onEvent, time = realTime, random = Math.random } = options
    let ids = 0
    // Made when the first is needed: loading the source of random ids took a sixth of what importing us takes.
    let { instance } = options
    const newId = () => {
      instance ??= crypto.randomUUID()
      return `${instance}.${++ids}`
    }

    // Each part depends only on parts above it.
    const flushTimer = new FlushTimer(time)
    const onProblem = (error: unknown) => {
      notify(options.onStoreProblem ?? warnOfStore, error)
      flushTimer.touch()
    }
    const cells = new CellMaker(time, store, event => notify(onEvent, event), onProblem, random)
    const providers = new Providers(settings, fleet, cells)
    const line = new WaitingLine(time)
    const sync = store && new StoreSync(store, time, providers, flushTimer, onProblem, () => line.wake())
    const admission = new Admission(providers, sync)
    const permits = new Permits(time, newId, providers.fleet, flushTimer, line, signatures)
    const prober = new Prober(time, newId, providers, sync, line, onProblem, runCommand)
    const chooser = new Chooser(time, newId, providers, admission, permits, prober, line)

    this.#time = time
    this.#providers = providers
    this.#line = line
    this.#sync = sync
    this.#admission = admission
    this.#permits = permits
    this.#prober = prober
    this.#chooser = chooser
    this.#pools = new Map(pools.map(pool => [pool.id, new Pool(this, pool)]))
  }

  /** The pool with this name. Throws if there is none. */
  pool(id: string): Pool {
    const pool = this.#pools.get(id)
    if (pool) return pool
    const known = [...this.#pools.keys()].join(', ')
    throw new WrongArgument(`health: no pool is called "${id}"; known: ${known || 'none'}`)
  }

  choose(request: GateRequest): Choice | Promise<Choice> {
    return this.#chooser.choose(request, request.since)
  }

  async wait(request: GateRequest, ms: number): Promise<void> {
    await this.#admission.unread(request.pool)
    await this.#chooser.wait(request, ms)
  }

  outlook(request: GateRequest): Outlook | Promise<Outlook> {
    const unread = this.#admission.unread(request.pool)
    if (unread) return unread.then(() => this.outlook(request))
    return this.#admission.outlook(request, this.#time.now())
  }

  /**
   * A permit for a try that was made elsewhere, without asking here. Settle it to record how the try ended.
   * @param provider the provider that was called
   */
  async madeElsewhere(
    provider: string,
    { model, credential, startedAt = this.#time.now() }: ElsewhereTry = {},
  ): Promise<Permit> {
    await this.ready()
    return this.#permits.madeElsewhere(this.provider(provider), { model, credential }, startedAt)
  }

  mayRetry(provider: string): boolean {
    return this.provider(provider).bucket.take()
  }

  /** Settles when the stored state is loaded. Questions asked earlier wait for it. */
  async ready(): Promise<void> {
    await this.#sync?.ready()
  }

  /** The state of every provider that is configured or was called. */
  async status(): Promise<ProviderStatus[]> {
    await this.ready()
    const now = this.#time.now()
    return [...this.#providers.all()].map(provider =>
      statusOf(provider, this.#admission.refusal(provider, {}, now, undefined), now),
    )
  }

  /** The providers that money or a login shuts out, where one call may find out now whether that is over. */
  async testable(): Promise<string[]> {
    await this.ready()
    const now = this.#time.now()
    return [...this.#providers.all()].flatMap(provider => {
      const refusal = this.#admission.refusal(provider, {}, now, undefined)
      const isDue = refusal && 'testAt' in refusal && (refusal.testAt ?? Infinity) <= now
      return isDue ? [provider.id] : []
    })
  }

  /** How much of each ceiling for all providers together is used. */
  fleet(): WindowUse[] {
    return this.#providers.fleet.meter.windows(this.#time.now())
  }

  /** Closes the provider's breaker and ends every block of it and of its quota, by hand. Settles when that is written. */
  async reset(id: string): Promise<void> {
    await this.#changed(id, provider => provider.reset())
  }

  /**
   * Reports that a provider's login was checked and works. Ends blocks that were set because it was refused; other blocks
   * stay. Settles when that is written.
   * @returns whether there was such a block
   */
  async loggedIn(id: string): Promise<boolean> {
    await this.ready()
    const wasRefused = this.provider(id).logins.isRefused
    if (wasRefused) await this.#changed(id, ({ logins }) => logins.answered('doctor'))
    return wasRefused
  }

  /**
   * Takes a provider out until it is resumed. Reason and end of a pause in force are replaced. Settles when that is written.
   * @param until when it ends by itself, epoch milliseconds; default never
   */
  async pause(id: string, reason?: string, until?: number): Promise<void> {
    const now = this.#time.now()
    await this.#changed(id, ({ pause }) =>
      pause.commit(before => ({
        at: before?.at ?? now,
        ...present({ reason, until }),
      })),
    )
  }

  /** Ends a pause. Settles when that is written. */
  async resume(id: string): Promise<void> {
    await this.#changed(id, ({ pause }) => pause.commit(() => undefined))
  }

  /**
   * Deletes the pauses whose time is over, so that everybody hears of their end: the providers admit calls since then.
   * @returns the providers
   */
  async endPauses(): Promise<string[]> {
    await this.ready()
    const now = this.#time.now()
    const over = [...this.#providers.all()].filter(each => each.pause.value && !each.pauseAt(now))
    // Another process may have paused it again.
    const isOver = (pause: Pause) => (pause.until ?? Infinity) <= now
    for (const { pause } of over)
      await pause.commit(present => (present && isOver(present) ? undefined : present))
    return over.map(({ id }) => id)
  }

  /**
   * Runs the provider's probe, unless its breaker or a block with an end forbids it. An answer closes the breaker and ends
   * blocks that wait to be cleared.
   */
  probe(id: string, signal?: AbortSignal): Promise<ProbeResult> {
    return this.#prober.probe(id, signal)
  }

  /** Probes all providers that have a probe, in parallel. */
  probeAll(signal?: AbortSignal): Promise<ProbeResult[]> {
    return this.#prober.probeAll(signal)
  }

  /** Writes everything not written yet. */
  async flush(): Promise<void> {
    await this.#sync?.flush()
  }

  /** Writes everything and stops listening. Call it before the process ends, or up to a second of spending is lost. */
  async dispose(): Promise<void> {
    for (const provider of this.#providers.all())
      for (const { probeLease } of provider.breakers()) probeLease.dispose()
    await this.#sync?.dispose()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose()
  }

  /** The health of one provider; without settings, it has the defaults. */
  provider(id: string): ProviderHealth {
    return this.#providers.get(id)
  }

  async #changed(id: string, change: (provider: ProviderHealth) => unknown): Promise<void> {
    await this.ready()
    const provider = this.provider(id)
    await change(provider)
    await Promise.all([...provider.cells(), ...provider.quota.cells()].map(cell => cell.written()))
    this.#line.wake()
  }
}

function warnOfStore(error: unknown): void {
  const what = error instanceof Error ? error.message : String(error)
  emitWarning(`the provider health store failed: ${what}`, 'MULLIGAN_STORE')
}
