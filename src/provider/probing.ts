import type { ProbeResult } from './probe.ts'
import { Prober } from './prober.ts'
import type { Registry } from './registry.ts'
import type { SharedState } from './shared-state.ts'
import type { Surroundings } from './surroundings.ts'
import { FLUSH_MS } from './sync.ts'
import type { Waiting } from './waiting.ts'

/** Probes that somebody asks for, or that calls wait behind; whoever waits is woken by what comes of them. */
export class Probing {
  readonly #surroundings: Surroundings
  readonly #registry: Registry
  readonly #shared: SharedState
  readonly #waiting: Waiting
  readonly #prober: Prober
  readonly #instance: string
  #probes = 0

  /** @param instance names this process among those that share the store */
  constructor(
    surroundings: Surroundings,
    registry: Registry,
    shared: SharedState,
    waiting: Waiting,
    instance: string,
  ) {
    this.#surroundings = surroundings
    this.#registry = registry
    this.#shared = shared
    this.#waiting = waiting
    this.#instance = instance
    this.#prober = new Prober(surroundings)
  }

  async probe(id: string, signal?: AbortSignal): Promise<ProbeResult> {
    await this.#shared.ready()
    const provider = this.#registry.provider(id)
    const result = await this.#prober.probe(provider, this.newId(), signal)
    if (result.outcome !== 'skipped') this.#waiting.wakeAfterProbe(provider.breaker)
    return result
  }

  async probeAll(signal?: AbortSignal): Promise<ProbeResult[]> {
    const ids = [...this.#registry.providers()].flatMap(({ id, settings }) => (settings.probe ? [id] : []))
    return Promise.all(ids.map(id => this.probe(id, signal)))
  }

  /** A probe that nobody waits for by name; those behind it ask again when it could not be made. */
  async probeBehind(id: string): Promise<void> {
    const { time, problem } = this.#surroundings
    const result = await this.probe(id).catch(problem)
    if (!result || result.outcome === 'skipped') time.after(FLUSH_MS, () => this.#waiting.wake())
  }

  /** Names a probe among those of all processes. */
  newId(): string {
    return `${this.#instance}.${++this.#probes}`
  }
}
