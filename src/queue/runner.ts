import { hostname } from 'node:os'
import { ClaimLoop, type WorkNews } from '../engine/claim-loop.ts'
import type { ClaimedRun } from '../engine/engine.ts'
import { present } from '../failure/present.ts'
import { settleWithin } from '../time/settle-within.ts'
import { CronSubmitter } from './cron.ts'
import type { CronSchedule } from './cron-schedule.ts'
import type { ProviderHolds } from './provider-holds.ts'
import type { QueueDeps } from './queue-deps.ts'
import { Rejudger } from './rejudger.ts'
import { runOperation } from './run/operation-run.ts'
import type { RunEnd } from './run/run-end.ts'
import { Unparker } from './unparker.ts'
import { UnrunnableOperations } from './unrunnable-operations.ts'

/** How long a start waits for the first upkeep, and for attendants to catch up, in milliseconds; both continue after that. */
const LONGEST_START_MS = 200
/** How often a runner does its upkeep, in milliseconds. */
const UPKEEP_EVERY_MS = 60_000
/** How many bytes of freed space are returned to the disk each time: one or two seconds of small steps. */
const GIVE_BACK_BYTES = 16_777_216

/** Options of a runner. */
export interface RunnerOptions {
  /** How many operations run at once. Default 4. */
  concurrency?: number
  /** Shown to people in lists of runners. Default: host and process. */
  label?: string
  /** Operations that are submitted at certain times. Default: none. */
  cron?: readonly CronSchedule[]
  /** Called when each run has ended. What it throws is ignored. */
  onRun?: (run: ClaimedRun, end: RunEnd) => void
}

/** Claims and runs what is due, for the capabilities of this process, and continues what no longer needs to wait. */
export class Runner {
  /** Its name among all runners. */
  readonly id: string
  readonly #deps: QueueDeps
  readonly #holds: ProviderHolds
  readonly #options: RunnerOptions
  readonly #onStarted: () => Promise<void>
  readonly #claims: ClaimLoop
  readonly #unparker: Unparker
  readonly #rejudger: Rejudger
  readonly #cron: CronSubmitter
  readonly #unrunnable: UnrunnableOperations
  #stopListening: (() => void) | undefined
  #cancelTimer: (() => void) | undefined
  #upkeepUnderWay: Promise<void> | undefined
  #starting: Promise<void> | undefined
  #isStarted = false
  readonly #stop = new AbortController()

  /**
   * Made by {@link Queue.runner}.
   * @param onStarted called before `start` resolves
   * @param work does the work of each run instead of its capability, and ends the run
   */
  constructor(
    deps: QueueDeps,
    holds: ProviderHolds,
    options: RunnerOptions,
    onStarted: () => Promise<void>,
    work?: (run: ClaimedRun, signal: AbortSignal) => Promise<'ended' | 'dropped'>,
  ) {
    const { engine, ledger, registry, settings, health, time, report, runnerId, underWay } = deps
    this.#deps = deps
    this.#holds = holds
    this.#options = options
    this.#onStarted = onStarted
    this.#unparker = new Unparker(deps)
    this.#rejudger = new Rejudger(deps)
    this.#unrunnable = new UnrunnableOperations(deps)
    this.#cron = new CronSubmitter(deps, options.cron ?? [])
    this.id = runnerId
    const { capabilities, leasesMs, limits } = registry.claims
    const providers = new Set([...registry].flatMap(capability => providersAlone(capability)))
    const atOnce = [...providers].flatMap(id => {
      const most = health.provider(id).settings.maxConcurrent
      return most === undefined ? [] : [[id, most] as const]
    })
    this.#claims = new ClaimLoop({
      engine,
      ledger,
      id: runnerId,
      capabilities,
      leaseMs: settings.leaseMs,
      leasesMs,
      limits: { ...limits, providers: Object.fromEntries(atOnce) },
      ...present({ concurrency: options.concurrency }),
      label: options.label ?? `${hostname()} ${process.pid}`,
      underWay,
      skip: () => this.#unrunnable.ids(),
      work: work ?? ((run, signal, news) => this.#work(run, signal, news)),
      onError: (error, run) =>
        report({ about: 'queue', error, ...(run ? { operation: run.operation.id } : {}) }),
      time,
    })
  }

  /** Number of operations running now. */
  get active(): number {
    return this.#claims.active
  }

  /** Claims and runs from now on, until stopped. */
  start(): Promise<void> {
    this.#starting ??= this.#start()
    return this.#starting
  }

  /**
   * Claims nothing new and waits for running operations; after `graceMs`, stops and releases the rest. May be called at any time,
   * even while the runner starts or does its upkeep: when it resolves, nothing is left running.
   */
  async stop({ graceMs = 0 }: { graceMs?: number } = {}): Promise<void> {
    this.#stop.abort()
    this.#stopListening?.()
    this.#cancelTimer?.()
    const submitted = this.#cron.stop()
    await this.#claims.stop({ graceMs })
    // The caller of start has seen the error.
    await this.#starting?.catch(() => {})
    await submitted
    await this.#upkeepUnderWay
    await this.#unparker.close()
    await this.#rejudger.close()
  }

  get #isStopped(): boolean {
    return this.#stop.signal.aborted
  }

  /** A stop in between skips the rest: anything begun after it would never be stopped. */
  async #start(): Promise<void> {
    if (!this.#isStopped) await this.#holds.reset()
    await this.#claims.start()
    if (this.#isStopped) return
    const stopHearing = this.#holds.onLoggedIn(() => void this.#unparker.loggedIn())
    const stopWatching = this.#deps.ledger.onChange(() => {
      this.#holds.soon()
      this.#unparker.soon()
      this.#rejudger.soon()
    })
    this.#stopListening = () => {
      stopHearing()
      stopWatching()
    }
    // What thousands of operations need may take seconds; until then nobody could even look.
    await settleWithin(this.#upkeep(), this.#deps.time, LONGEST_START_MS)
    if (!this.#isStopped) await this.#attend()
    await this.#cron.start()
    this.#isStarted = true
  }

  async #attend(): Promise<void> {
    const { time, report } = this.#deps
    const attending = this.#onStarted()
    const attended = await settleWithin(attending, time, LONGEST_START_MS)
    if ('error' in attended) throw attended.error
    if ('late' in attended) void attending.catch(error => report({ about: 'queue', error }))
  }

  async #work(run: ClaimedRun, signal: AbortSignal, news: WorkNews): Promise<'ended' | 'dropped'> {
    const end = await runOperation({
      deps: this.#deps,
      holds: this.#holds,
      claimed: run,
      signal,
      news,
    })
    if (end.end === 'unwritten') return 'dropped'
    this.#unrunnable.ended(run, end)
    try {
      this.#options.onRun?.(run, end)
    } catch {
      // A listener must not break a run.
    }
    return 'ended'
  }

  /**
   * Parks what no runner can run, expires what waited too long, continues what no longer needs to wait, and returns freed space
   * to the disk.
   */
  #upkeep(): Promise<void> {
    this.#upkeepUnderWay = this.#upkeepOnce().finally(() => {
      this.#cancelTimer?.()
      if (this.#isStopped) return
      this.#cancelTimer = this.#deps.time.after(UPKEEP_EVERY_MS, () => void this.#upkeep())
    })
    return this.#upkeepUnderWay
  }

  async #upkeepOnce(): Promise<void> {
    const { engine, ledger, settings, report } = this.#deps
    const { signal } = this.#stop
    const steps = [
      () => engine.maintain({ expireAfterMs: settings.maxParkedMs, signal }),
      () => this.#holds.sync(),
      () => this.#unparker.look(),
      () => this.#unparker.sweep(),
      () => this.#unparker.findOut(),
      () => this.#rejudger.look(),
      () => this.#unrunnable.look(),
      // Nothing depends on it, least of all the start.
      () => this.#isStarted && ledger.giveBack({ mostBytes: GIVE_BACK_BYTES }, signal),
    ]
    for (const step of steps)
      try {
        if (!this.#isStopped) await step()
      } catch (error) {
        // A stopped step has not failed.
        if (error !== signal.reason) report({ about: 'queue', error })
      }
  }
}

/** If a single provider serves a capability, its limit is enforced when operations are claimed. */
function providersAlone({
  provider,
  pool,
}: {
  provider?: string
  pool?: string | readonly string[]
}): string[] {
  if (provider !== undefined) return [provider]
  return Array.isArray(pool) && pool.length === 1 ? [pool[0] as string] : []
}
