import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { WrongArgument } from '../failure/own-error.ts'
import type { ProcessResult } from '../process/run.ts'
import type { Circumstances } from '../verdict/circumstances.ts'
import { defaultPolicy } from '../verdict/default-policy.ts'
import type { HealthMark } from '../verdict/policy.ts'
import { endOf } from './block.ts'
import { BreakerCell } from './breaker-cell.ts'
import { isAnswer, PROBE_TIMEOUT_DEFAULT_MS, type ProbeResult, type ProbeSettings } from './probe.ts'
import type { ProviderHealth, Standing } from './provider-health.ts'
import type { Surroundings } from './surroundings.ts'

/** Failures of our own set-up: whoever has them did not reach the provider. */
const OF_ENVIRONMENT = new Set(['binary_not_found', 'config', 'version_mismatch', 'invalid_version'])

type Answer = { answer: unknown } | { failure: Failure }

/** Runs the checks of providers, and tells their health what came of it. */
export class Prober {
  readonly #surroundings: Surroundings
  readonly #running = new Map<ProviderHealth, Promise<ProbeResult>>()

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings
  }

  /** Probes once at a time: whoever asks while a probe runs gets its result. */
  probe(provider: ProviderHealth, id: string, signal?: AbortSignal): Promise<ProbeResult> {
    const running = this.#running.get(provider)
    if (running) return running
    const result = this.#probe(provider, id, signal).finally(() => this.#running.delete(provider))
    this.#running.set(provider, result)
    return result
  }

  async #probe(provider: ProviderHealth, id: string, signal: AbortSignal | undefined): Promise<ProbeResult> {
    const { time } = this.#surroundings
    const { probe } = provider.settings
    const startedMs = time.monotonic()
    const startedAt = time.now()
    const result = (rest: Omit<ProbeResult, 'provider' | 'durationMs'>): ProbeResult => ({
      provider: provider.id,
      ...rest,
      durationMs: time.monotonic() - startedMs,
    })
    if (!probe) return result({ outcome: 'skipped', reason: 'no probe is configured for it' })
    const obstacle = this.#obstacle(provider)
    if (obstacle !== undefined) return result({ outcome: 'skipped', reason: obstacle })
    const isHalfOpen = provider.breaker.at(time.now()).state === 'half_open'
    if (isHalfOpen && !(await provider.breaker.probeRight.take(id)))
      return result({ outcome: 'skipped', reason: 'another probe is in flight' })
    const probed = isHalfOpen ? { id, of: provider.breaker } : undefined
    const answer = await this.#ask(provider.id, probe, signal)
    const now = time.now()
    if ('answer' in answer) {
      provider.isProbeBroken = false
      provider.answered(now, probed)
      return result({ outcome: 'answered', reason: 'it answered' })
    }
    const { failure } = answer
    const isEnvironment = OF_ENVIRONMENT.has(failure.kind)
    const isOurs = failure.class === 'aborted' || isEnvironment
    provider.isProbeBroken = isEnvironment
    if (isOurs) provider.released(probed)
    else {
      const tried = { startedAt, probe: probed }
      provider.failed(failure, markOf(failure, now, provider.standing(failure, tried, now)), now, tried)
    }
    return result({ outcome: isOurs ? 'environment' : 'failed', reason: failure.message, failure })
  }

  /** A probe is a call: it is held up by what holds up calls, except by what only a probe can clear. */
  #obstacle(provider: ProviderHealth): string | undefined {
    const now = this.#surroundings.time.now()
    const refusal = provider.refusal({}, now)
    if (refusal === undefined || refusal instanceof BreakerCell) return undefined
    // Whether a login works again is not a matter of time: only asking tells.
    const isLoggedOut = [...provider.logins.blocks()].some(block => block.at(now) !== undefined)
    if (isLoggedOut && provider.pause.value === undefined && !isHeldByQuota(provider, now)) return undefined
    const blocks = [...provider.quota.blocks()].flatMap(cell => cell.at(now) ?? [])
    const isOpenEnded = blocks.length > 0 && blocks.every(block => endOf(block) === Infinity)
    return isOpenEnded && provider.pause.value === undefined ? undefined : refusal.reason
  }

  async #ask(provider: string, probe: ProbeSettings, signal: AbortSignal | undefined): Promise<Answer> {
    const { time } = this.#surroundings
    const context = { provider, now: time.now() }
    try {
      const value = probe.command
        ? await this.#runCommand(probe, signal)
        : await this.#runFunction(provider, probe, signal)
      const failure = classify(value, probe.command ? context : { ...context, returned: true })
      if (failure) return { failure }
      const said = probe.command ? (value as ProcessResult).stdout : value
      return isAnswer(said) ? { answer: said } : { failure: noAnswer(provider) }
    } catch (error) {
      const known = knownFailure(error)
      if (known) return { failure: known }
      const own = { timedOut: error instanceof ProbeTimeout, aborted: signal?.aborted === true }
      return { failure: classify(error, { ...context, own }) ?? noAnswer(provider) }
    }
  }

  async #runCommand(
    { command, cwd, env, timeoutMs = PROBE_TIMEOUT_DEFAULT_MS }: ProbeSettings,
    signal: AbortSignal | undefined,
  ): Promise<ProcessResult> {
    const { runCommand } = this.#surroundings
    if (!runCommand)
      throw new WrongArgument(
        'a probe by a command needs the Health of "mulligan/provider", which starts programs',
      )
    const result = await runCommand({
      argv: command as readonly [string, ...string[]],
      timeoutMs,
      killGraceMs: 1_000,
      time: this.#surroundings.time,
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
      ...(signal === undefined ? {} : { signal }),
    })
    if (result.aborted) throw signal?.reason
    return result
  }

  async #runFunction(
    provider: string,
    { run: ask, timeoutMs = PROBE_TIMEOUT_DEFAULT_MS }: ProbeSettings,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const { time } = this.#surroundings
    const controller = new AbortController()
    const onAbort = () => controller.abort(signal?.reason)
    if (signal?.aborted) onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    const cancel = time.after(timeoutMs, () => controller.abort(new ProbeTimeout(timeoutMs)))
    try {
      // A function that does not listen to its signal must not hold up whoever waits behind the probe.
      return await new Promise((resolve, reject) => {
        const stop = () => reject(controller.signal.reason)
        if (controller.signal.aborted) stop()
        controller.signal.addEventListener('abort', stop, { once: true })
        Promise.resolve(ask?.({ provider, signal: controller.signal })).then(resolve, reject)
      })
    } finally {
      cancel()
      signal?.removeEventListener('abort', onAbort)
    }
  }
}

/** A probe that read its failure where all the evidence was says so by this code, as the work of a call does. */
function knownFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, failure } = error as { code?: unknown; failure?: Failure }
  return code === 'KNOWN_FAILURE' ? failure : undefined
}

class ProbeTimeout extends Error {
  override name = 'TimeoutError'

  constructor(ms: number) {
    super(`the probe did not answer within ${ms} ms`)
  }
}

function isHeldByQuota({ id, quota }: ProviderHealth, now: number): boolean {
  return quota.refusal(id, undefined, now) !== undefined
}

/** Whatever a probe fails with counts: one that left no trace would be made again at once, without end. */
function markOf(failure: Failure, now: number, standing: Standing): HealthMark {
  const mark = defaultPolicy.health(failure, { ...withoutCall(now), ...standing })
  const isBlocked = mark.blockUntil === 'cleared' || (mark.blockUntil ?? 0) > now
  return mark.breaker === 'none' && !isBlocked ? { ...mark, breaker: 'failure' } : mark
}

function noAnswer(provider: string): Failure {
  return {
    class: 'transient',
    kind: 'eof',
    effect: 'none',
    provider,
    message: 'the probe ended without an answer',
    evidence: { rule: 'probe:no_answer', where: 'probe', excerpt: '', lost: [] },
    fingerprint: 'fp1:0000000000000000',
  }
}

/** Circumstances of a failure that no call is behind: only the time matters to health. */
export function withoutCall(now: number): Circumstances {
  return {
    durable: false,
    now,
    random: 0,
    retries: 0,
    maxRetries: 0,
    backoff: 'fullJitter',
    snoozes: 0,
    maxSnoozes: 0,
    remainingMs: 0,
    minRetryBudgetMs: 0,
    repeatable: true,
    resumable: false,
    verifiable: false,
    otherProviderAvailable: false,
  }
}
