import { WrongArgument } from '../failure/own-error.ts'
import { realTime } from '../time/time.ts'
import { emitWarning } from '../time/warning.ts'
import { tell } from '../verdict/tell.ts'
import { Admission } from './admission.ts'
import { checkSettings } from './check-settings.ts'
import { Chooser } from './chooser.ts'
import type { HealthEvent } from './event.ts'
import type { Choice, Gate, GateRequest, Outlook, Permit } from './gate.ts'
import type { HealthOptions } from './health-options.ts'
import { Permits } from './permits.ts'
import { Pool } from './pool.ts'
import type { ProbeResult } from './probe.ts'
import { Probing } from './probing.ts'
import type { ProviderHealth } from './provider-health.ts'
import type { Reading } from './reading.ts'
import { Registry } from './registry.ts'
import { SharedState } from './shared-state.ts'
import { type ProviderStatus, statusOf } from './status.ts'
import type { RunCommand, Surroundings } from './surroundings.ts'
import { Waiting } from './waiting.ts'

/** A try that was made without asking a health. */
export interface ElsewhereTry {
  model?: string | undefined
  credential?: string | undefined
  /** Epoch milliseconds. Default now. */
  startedAt?: number
}

/**
 * Which provider can serve right now, and why the others cannot. Shared by all calls of a process, and through a
 * store by several processes. A call on a healthy provider is answered at once, from memory.
 */
export class Health implements Gate {
  readonly #surroundings: Surroundings
  readonly #pools: ReadonlyMap<string, Pool>
  readonly #registry: Registry
  readonly #shared: SharedState
  readonly #waiting: Waiting
  readonly #admission: Admission
  readonly #permits: Permits
  readonly #probing: Probing
  readonly #chooser: Chooser

  /** @param runCommand runs the commands of probes. Default: they cannot be run here. */
  constructor(options: HealthOptions = {}, runCommand?: RunCommand) {
    checkSettings(options)
    const { providers = [], pools = [], fleet = {}, instance = crypto.randomUUID() } = options
    const surroundings = this.#surroundingsOf(options, runCommand)
    const registry = new Registry(providers, fleet, surroundings)
    const waiting = new Waiting(surroundings, (request, since) => this.#chooser.answer(request, since))
    const shared = new SharedState(surroundings, registry, () => waiting.wake())
    const admission = new Admission(registry, shared)
    const probing = new Probing(surroundings, registry, shared, waiting, instance)
    const permits = new Permits(surroundings, registry, shared, waiting, instance)
    const parts = { registry, shared, admission, permits, probing, waiting }
    this.#surroundings = surroundings
    this.#registry = registry
    this.#shared = shared
    this.#waiting = waiting
    this.#admission = admission
    this.#permits = permits
    this.#probing = probing
    this.#chooser = new Chooser(surroundings, parts)
    this.#pools = new Map(pools.map(settings => [settings.id, new Pool(this, settings)]))
  }

  /** The pool of this name. Throws if there is none. */
  pool(id: string): Pool {
    const pool = this.#pools.get(id)
    if (pool) return pool
    const known = [...this.#pools.keys()].join(', ')
    throw new WrongArgument(`health: no pool is called "${id}"; known are: ${known || 'none'}`)
  }

  choose(request: GateRequest): Choice | Promise<Choice> {
    return this.#chooser.choose(request, request.since)
  }

  outlook(request: GateRequest): Outlook | Promise<Outlook> {
    const unread = this.#shared.unread(request.pool)
    if (unread) return unread.then(() => this.outlook(request))
    return this.#admission.outlook(request, this.#surroundings.time.now())
  }

  /**
   * A permit for a try that was made elsewhere, without asking here: settle it as it ended, so that its provider is known
   * for what it did.
   * @param provider who was called
   */
  async madeElsewhere(
    provider: string,
    { model, credential, startedAt = this.#surroundings.time.now() }: ElsewhereTry = {},
  ): Promise<Permit> {
    await this.ready()
    return this.#permits.given(this.provider(provider), { model, credential }, startedAt)
  }

  mayRetry(provider: string): boolean {
    return this.provider(provider).bucket.take()
  }

  /** Settles when what is stored is known. Asking before that waits for it by itself. */
  async ready(): Promise<void> {
    await this.#shared.ready()
  }

  /** The state of every provider that is configured or was called, for a reader. */
  async status(): Promise<ProviderStatus[]> {
    await this.ready()
    const now = this.#surroundings.time.now()
    return [...this.#registry.providers()].map(provider =>
      statusOf(provider, this.#admission.refusal(provider, {}, now, undefined), now),
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

  /**
   * Somebody has looked and found the login of a provider in order: what stood because it was refused ends. Other blocks
   * stay. Settles when that is written.
   * @returns whether there was something to end
   */
  async loggedIn(id: string): Promise<boolean> {
    await this.ready()
    const wasRefused = this.provider(id).logins.isRefused
    if (wasRefused) await this.#changed(id, ({ logins }) => logins.answered('doctor'))
    return wasRefused
  }

  /** Takes a provider out until it is resumed. Settles when that is written. */
  async pause(id: string, reason?: string): Promise<void> {
    const at = this.#surroundings.time.now()
    await this.#changed(id, ({ pause }) =>
      pause.update(present => present ?? { at, ...(reason === undefined ? {} : { reason }) }),
    )
  }

  /** Ends a pause. Settles when that is written. */
  async resume(id: string): Promise<void> {
    await this.#changed(id, ({ pause }) => pause.update(() => undefined))
  }

  /**
   * Runs the provider's probe, unless its breaker or a block with an end says to leave it alone. An answer closes
   * the breaker and ends blocks that wait to be cleared.
   */
  probe(id: string, signal?: AbortSignal): Promise<ProbeResult> {
    return this.#probing.probe(id, signal)
  }

  /** Probes all providers that have a probe, at once. */
  probeAll(signal?: AbortSignal): Promise<ProbeResult[]> {
    return this.#probing.probeAll(signal)
  }

  /** Writes what is not written. */
  async flush(): Promise<void> {
    await this.#shared.flush()
  }

  /** Writes everything and listens no more. Call it before the process ends, or up to a second of spends is lost. */
  async dispose(): Promise<void> {
    for (const provider of this.#registry.providers())
      for (const { probeRight } of provider.breakers()) probeRight.dispose()
    await this.#shared.dispose()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose()
  }

  /** The health of one provider; one that nobody configured has the defaults. */
  provider(id: string): ProviderHealth {
    return this.#registry.provider(id)
  }

  async #changed(id: string, change: (provider: ProviderHealth) => void): Promise<void> {
    await this.ready()
    const provider = this.provider(id)
    change(provider)
    await Promise.all([...provider.cells(), ...provider.quota.cells()].map(cell => cell.written()))
    this.#waiting.wake()
  }

  #surroundingsOf(options: HealthOptions, runCommand: RunCommand | undefined): Surroundings {
    const { store, signatures, time = realTime, random = Math.random } = options
    return {
      time,
      random,
      store,
      signatures,
      runCommand,
      emit: event => tell(options.onEvent, { at: time.now(), ...event } as HealthEvent),
      problem: error => {
        tell(options.onStoreProblem ?? warnOfStore, error)
        // The store may fail while this is still being made.
        this.#shared?.touch()
      },
    }
  }
}

function warnOfStore(error: unknown): void {
  const what = error instanceof Error ? error.message : String(error)
  emitWarning(`the store of provider health failed: ${what}`, 'MULLIGAN_STORE')
}
