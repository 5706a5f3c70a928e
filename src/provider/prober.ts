import type { Failure } from '../failure/failure.ts'
import type { Time } from '../time/time.ts'
import type { HealthMark } from '../verdict/policy.ts'
import { endOf } from './block.ts'
import { BreakerCell } from './breaker-cell.ts'
import { FLUSH_MS } from './flush-timer.ts'
import type { ProbeResult } from './probe.ts'
import type { ProviderHealth, Standing } from './provider-health.ts'
import type { Providers } from './providers.ts'
import { type RunCommand, runProbe } from './run-probe.ts'
import type { StoreSync } from './store-sync.ts'
import type { WaitingLine } from './waiting-line.ts'
import { markWithoutCall } from './without-call.ts'

/** Failures of our own setup: such a probe did not reach the provider. */
const OF_ENVIRONMENT = new Set(['binary_not_found', 'config', 'version_mismatch', 'invalid_version'])

/** Probes providers, records the result, and wakes the calls that wait for it. */
export class Prober {
  readonly #time: Time
  readonly #newId: () => string
  readonly #providers: Providers
  readonly #sync: StoreSync | undefined
  readonly #line: WaitingLine
  readonly #onProblem: (error: unknown) => void
  readonly #runCommand: RunCommand | undefined
  readonly #running = new Map<ProviderHealth, Promise<ProbeResult>>()

  /**
   * @param newId must be unique among the probes of all processes
   * @param runCommand undefined if no program can be started
   */
  constructor(
    time: Time,
    newId: () => string,
    providers: Providers,
    sync: StoreSync | undefined,
    line: WaitingLine,
    onProblem: (error: unknown) => void,
    runCommand: RunCommand | undefined,
  ) {
    this.#time = time
    this.#newId = newId
    this.#providers = providers
    this.#sync = sync
    this.#line = line
    this.#onProblem = onProblem
    this.#runCommand = runCommand
  }

  /** @param isForLine true if calls wait for it, even while the breaker is open */
  async probe(id: string, signal?: AbortSignal, isForLine = false): Promise<ProbeResult> {
    await this.#sync?.ready()
    const provider = this.#providers.get(id)
    const result = await this.#probeOnce(provider, signal, isForLine)
    if (result.outcome !== 'skipped') this.#line.wake()
    return result
  }

  async probeAll(signal?: AbortSignal): Promise<ProbeResult[]> {
    const ids = [...this.#providers.all()].flatMap(({ id, settings }) => (settings.probe ? [id] : []))
    return Promise.all(ids.map(id => this.probe(id, signal)))
  }

  /** Probes for the calls in the waiting line; they ask again soon if the probe could not be made. */
  async probeForLine(id: string): Promise<void> {
    const result = await this.probe(id, undefined, true).catch(this.#onProblem)
    if (!result || result.outcome === 'skipped') this.#time.after(FLUSH_MS, () => this.#line.wake())
  }

  /** Runs one probe per provider at a time: later callers get the result of the running one. */
  #probeOnce(
    provider: ProviderHealth,
    signal: AbortSignal | undefined,
    isForLine: boolean,
  ): Promise<ProbeResult> {
    const running = this.#running.get(provider)
    if (running) return running
    const result = this.#probe(provider, signal, isForLine).finally(() => this.#running.delete(provider))
    this.#running.set(provider, result)
    return result
  }

  async #probe(
    provider: ProviderHealth,
    signal: AbortSignal | undefined,
    isForLine: boolean,
  ): Promise<ProbeResult> {
    const { probe } = provider.settings
    const startedMs = this.#time.monotonic()
    const startedAt = this.#time.now()
    const result = (rest: Omit<ProbeResult, 'provider' | 'durationMs'>): ProbeResult => ({
      provider: provider.id,
      ...rest,
      durationMs: this.#time.monotonic() - startedMs,
    })
    if (!probe) return result({ outcome: 'skipped', reason: 'it has no probe' })
    const obstacle = obstacleTo(provider, startedAt, isForLine)
    if (obstacle !== undefined) return result({ outcome: 'skipped', reason: obstacle })
    const isHalfOpen = provider.breaker.at(startedAt).state === 'half_open'
    const id = this.#newId()
    if (isHalfOpen && !(await provider.breaker.probeLease.take(id)))
      return result({ outcome: 'skipped', reason: 'another probe is in flight' })
    const lease = isHalfOpen ? { id, of: provider.breaker } : undefined
    const failure = await runProbe(provider.id, probe, this.#time, this.#runCommand, signal)
    const now = this.#time.now()
    if (!failure) {
      provider.isProbeBroken = false
      provider.answered(now, lease)
      return result({ outcome: 'answered', reason: 'it answered' })
    }
    const isEnvironment = OF_ENVIRONMENT.has(failure.kind)
    const isOurs = failure.class === 'aborted' || isEnvironment
    provider.isProbeBroken = isEnvironment
    if (isOurs) provider.released(lease)
    else {
      const tried = { startedAt, probe: lease }
      provider.failed(failure, markOf(failure, now, provider.standing(failure, tried, now)), now, tried)
    }
    return result({ outcome: isOurs ? 'environment' : 'failed', reason: failure.message, failure })
  }
}

/** A probe is a call, so what stops calls stops it too, except what only a probe can clear. */
function obstacleTo(provider: ProviderHealth, now: number, isForLine: boolean): string | undefined {
  const refusal = provider.refusal({}, now)
  if (refusal === undefined || refusal instanceof BreakerCell) return undefined
  if (isForLine && refusal.cause === 'breaker') return undefined
  // Time does not tell whether a login works again; only a probe can.
  const isLoggedOut = [...provider.logins.blocks()].some(block => block.at(now) !== undefined)
  const isHeldByQuota = provider.quota.refusal(provider.id, {}, now) !== undefined
  if (isLoggedOut && provider.pause.value === undefined && !isHeldByQuota) return undefined
  const blocks = [...provider.quota.blocks.values()].flatMap(cell => cell.at(now) ?? [])
  const isOpenEnded = blocks.length > 0 && blocks.every(block => endOf(block) === Infinity)
  return isOpenEnded && provider.pause.value === undefined ? undefined : refusal.reason
}

/** Every failed probe counts: one without a trace would be repeated at once, forever. */
function markOf(failure: Failure, now: number, standing: Standing): HealthMark {
  const mark = markWithoutCall(failure, now, standing)
  const isBlocked = mark.blockUntil === 'cleared' || (mark.blockUntil ?? 0) > now
  return mark.breaker === 'none' && !isBlocked ? { ...mark, breaker: 'failure' } : mark
}
