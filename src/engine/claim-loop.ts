import type { Ledger } from '../ledger/ledger.ts'
import type { Settlement } from '../ledger/settlement.ts'
import { realTime, type Time } from '../time/time.ts'
import { type ClaimedRun, type ClaimRequest, type Engine, LEASE_DEFAULT_MS } from './engine.ts'

/**
 * Does the work of a run and returns how it ended. `undefined` gives it back unfinished. `ended`: the work has settled
 * it or given it back. `dropped`: the work could do neither, and the run must not simply be given back: it is taken
 * over as lost when its lease ends. The signal is aborted when the run was lost, when a cancel was asked for, or when
 * the runner stops: its reason says which.
 */
export type Work = (
  run: ClaimedRun,
  signal: AbortSignal,
) => Promise<Settlement | 'ended' | 'dropped' | undefined>

/** Why a run's signal was aborted. */
export type Interruption = 'lost' | 'cancel' | 'stop'

/** What a runner claims, and what it does with it. */
export interface ClaimLoopOptions extends Pick<ClaimRequest, 'leaseMs' | 'leasesMs' | 'limits'> {
  /** Where it claims. */
  engine: Engine
  /** Where it reports that it is alive. */
  ledger: Ledger
  /** Unique among all runners, also those that are gone: a name and random digits, for example. */
  id: string
  /** Names of what it can run. */
  capabilities: readonly string[]
  /** Runs at the same time. Default 4. */
  concurrency?: number
  /** Ids of operations to leave to other runners, asked before each claim. Default none. */
  skip?: () => ReadonlySet<string> | Promise<ReadonlySet<string>>
  /** Does the work of each run. */
  work: Work
  /** For people, in lists of runners. */
  label?: string
  /** Called when work throws or the ledger cannot be used. Default: nothing. */
  onError?: (error: unknown, run?: ClaimedRun) => void
  /** Default the time of this machine. */
  time?: Time
}

const CONCURRENCY_DEFAULT = 4
/** How often a runner reports that it is alive, in milliseconds. */
const ADVERTISE_EVERY_MS = 20_000
/** After work threw, or the ledger could not be used, how long to wait, in milliseconds. */
const AFTER_ERROR_MS = 5_000

interface Active {
  run: ClaimedRun
  controller: AbortController
  done: Promise<void>
}

/** Claims what is due and runs it, renews leases, and stops without losing anything. */
export class ClaimLoop {
  readonly #options: ClaimLoopOptions
  readonly #time: Time
  readonly #active = new Map<string, Active>()
  /** Operations whose last run here could not be ended in order. */
  readonly #dropped = new Set<string>()
  readonly #timers = new Map<string, () => void>()
  #stopListening: (() => void) | undefined
  #state: 'new' | 'running' | 'stopping' | 'stopped' = 'new'
  #claiming: Promise<void> | undefined
  #again = false
  #advertising: Promise<void> | undefined
  #grace: 'over' | undefined
  #stopped: Promise<void> | undefined

  constructor(options: ClaimLoopOptions) {
    this.#options = options
    this.#time = options.time ?? realTime
  }

  /** Runs at the moment. */
  get active(): number {
    return this.#active.size
  }

  /** Reports that it is alive and begins to claim. Does nothing if it was started before. */
  async start(): Promise<void> {
    if (this.#state !== 'new') return
    this.#state = 'running'
    await this.#advertise()
    // Told to stop meanwhile: a timer armed now would never be cleared.
    if (this.#state !== 'running') return
    this.#stopListening = this.#options.engine.onWork(() => {
      this.#look()
      void this.#interrupt()
    })
    this.#every('advertise', ADVERTISE_EVERY_MS, () => this.#advertise())
    this.#every('renew', this.#shortestLease() / 3, () => this.#renew())
    this.#look()
  }

  /**
   * Takes nothing new and waits for what runs; after `graceMs` the rest is told to stop and given back. Asked again, the
   * shorter grace counts. Resolves when nothing runs any more.
   */
  stop({ graceMs = 0 }: { graceMs?: number } = {}): Promise<void> {
    this.#stopped ??= this.#stop()
    if (this.#state === 'stopping' && this.#grace === undefined) {
      const name = `grace ${graceMs}`
      this.#timers.get(name)?.()
      this.#timers.set(
        name,
        this.#time.after(graceMs, () => this.#endGrace()),
      )
    }
    return this.#stopped
  }

  #endGrace(): void {
    this.#grace = 'over'
    for (const { controller } of this.#active.values()) controller.abort('stop' satisfies Interruption)
  }

  async #stop(): Promise<void> {
    const wasNew = this.#state === 'new'
    this.#state = wasNew ? 'stopped' : 'stopping'
    if (wasNew) return
    this.#stopListening?.()
    await this.#claiming
    // What was claimed at the last moment has no grace left.
    if (this.#grace === 'over') this.#endGrace()
    await Promise.all([...this.#active.values()].map(({ done }) => done))
    // A first sign of life, still on its way, must not arrive after the withdrawal.
    await this.#advertising
    for (const cancel of this.#timers.values()) cancel()
    this.#state = 'stopped'
    await this.#options.ledger.withdraw(this.#options.id)
  }

  /** One look at a time; what wakes us meanwhile causes one more. */
  #look(): void {
    if (this.#state !== 'running') return
    this.#again = true
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = undefined
      if (this.#again) this.#look()
    })
  }

  async #claim(): Promise<void> {
    const { engine, id, capabilities, concurrency = CONCURRENCY_DEFAULT } = this.#options
    while (this.#again && this.#state === 'running') {
      // Runs that end in the same moment are followed by one claim for all of them, not by one each.
      if (this.#active.size > 0) await turn()
      if (this.#state !== 'running') return
      this.#again = false
      const limit = concurrency - this.#active.size
      if (limit <= 0) return
      try {
        const { leaseMs, leasesMs, limits } = this.#options
        const asked = this.#options.skip?.()
        const skip = asked instanceof Promise ? await asked : asked
        const { runs } = await engine.claim({
          runner: id,
          capabilities,
          limit,
          ...(leaseMs === undefined ? {} : { leaseMs }),
          ...(leasesMs === undefined ? {} : { leasesMs }),
          ...(limits === undefined ? {} : { limits }),
          ...(skip === undefined ? {} : { skip }),
          ...(this.#dropped.size === 0 ? {} : { dropped: this.#dropped }),
        })
        for (const run of runs) this.#begin(run)
        if (runs.length > 0) this.#again = true
      } catch (error) {
        this.#options.onError?.(error)
        this.#timers.get('look')?.()
        this.#timers.set(
          'look',
          this.#time.after(AFTER_ERROR_MS, () => this.#look()),
        )
      }
    }
  }

  #begin(run: ClaimedRun): void {
    const controller = new AbortController()
    this.#dropped.delete(run.fence.id)
    const key = `${run.fence.id}/${run.fence.run}`
    const done = this.#run(run, controller.signal).finally(() => {
      this.#active.delete(key)
      this.#look()
    })
    this.#active.set(key, { run, controller, done })
  }

  async #run(run: ClaimedRun, signal: AbortSignal): Promise<void> {
    const { engine, work, onError } = this.#options
    try {
      const settlement = await work(run, signal)
      if (settlement === 'ended') return
      if (settlement === 'dropped') {
        this.#dropped.add(run.fence.id)
        return
      }
      if (settlement) await engine.settle(run.fence, settlement)
      else await engine.release(run.fence)
    } catch (error) {
      onError?.(error, run)
      // Not at once: what throws now would throw again.
      await engine.release(run.fence, { dueAt: this.#time.now() + AFTER_ERROR_MS }).catch(again => {
        this.#dropped.add(run.fence.id)
        onError?.(again, run)
      })
    }
  }

  async #renew(): Promise<void> {
    const active = [...this.#active.values()]
    if (active.length === 0) return
    const renewals = await this.#options.engine.renew(active.map(({ run }) => run.fence))
    renewals.forEach((renewal, index) => {
      const { controller } = active[index] as Active
      if (!renewal.held) controller.abort('lost' satisfies Interruption)
      else if (renewal.cancelRequested) controller.abort('cancel' satisfies Interruption)
    })
  }

  /** Another process wrote: perhaps a cancel of something that runs here. */
  async #interrupt(): Promise<void> {
    if (this.#active.size === 0) return
    try {
      const fences = [...this.#active.values()].map(({ run }) => run.fence)
      if ((await this.#options.engine.interrupted(fences)).length > 0) await this.#renew()
    } catch (error) {
      this.#options.onError?.(error)
    }
  }

  #advertise(): Promise<void> {
    const { ledger, id, capabilities, label } = this.#options
    const advertised = ledger.advertise({ id, capabilities, ...(label === undefined ? {} : { label }) })
    this.#advertising = advertised.catch(() => {})
    return advertised
  }

  #shortestLease(): number {
    const { leaseMs = LEASE_DEFAULT_MS, leasesMs = {} } = this.#options
    return Math.min(leaseMs, ...Object.values(leasesMs))
  }

  /** A failure is reported, and the next time comes anyway. */
  #every(name: string, ms: number, action: () => Promise<void>): void {
    this.#timers.set(
      name,
      this.#time.after(ms, () => {
        void action()
          .catch(error => this.#options.onError?.(error))
          .finally(() => {
            if (this.#state !== 'stopped') this.#every(name, ms, action)
          })
      }),
    )
  }
}

/** Everything that is ready has had its turn. */
function turn(): Promise<void> {
  return new Promise(resolve => void setImmediate(resolve))
}
