import { present } from '../failure/present.ts'
import { isLedgerError } from '../ledger/error.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Fence } from '../ledger/operation.ts'
import type { Settlement } from '../ledger/settlement.ts'
import { realTime, type Time } from '../time/time.ts'
import { type ClaimedRun, type ClaimRequest, type Engine, LEASE_DEFAULT_MS } from './engine.ts'

/**
 * Does the work of a run and returns how it ended. `undefined` hands it back unfinished. `ended`: the work has settled
 * it or handed it back. `dropped`: the work could do neither, and the run must not simply be handed back: it is taken
 * over as lost when its lease ends. The signal is aborted if the run was lost, if a cancel was requested, or when the
 * runner stops; its reason says which.
 */
export type Work = (
  run: ClaimedRun,
  signal: AbortSignal,
  about: WorkNews,
) => Promise<Settlement | 'ended' | 'dropped' | undefined>

/** What work may say while it goes on. */
export interface WorkNews {
  /** Only the end is left to be written: another run may take its place. */
  worked(): void
  /** Another runner has taken over: aborts the signal. */
  lost(): void
}

/** Why a run's signal was aborted. */
export type Interruption = 'lost' | 'cancel' | 'stop'

/** What a runner claims, and what it does with it. */
export interface ClaimLoopOptions extends Pick<ClaimRequest, 'leaseMs' | 'leasesMs' | 'limits'> {
  /** The engine to claim from. */
  engine: Engine
  /** The ledger that it announces itself to. */
  ledger: Ledger
  /** Unique among all runners, including those that are gone: a name and random digits, for example. */
  id: string
  /** Names of the capabilities it can run. */
  capabilities: readonly string[]
  /** Maximum number of runs at the same time. Default 4. */
  concurrency?: number
  /** Ids of operations to leave to other runners, asked before each claim. Default none. */
  skip?: () => ReadonlySet<string> | Promise<ReadonlySet<string>>
  /** Runs under way in the name of this runner, where there are others than its own: kept by all who begin them. */
  underWay?: Set<Fence>
  /** Does the work of each run. */
  work: Work
  /** For people, in lists of runners. */
  label?: string
  /** Called if work throws or the ledger cannot be used. Default: nothing. */
  onError?: (error: unknown, run?: ClaimedRun) => void
  /** Default: the clock of this machine. */
  time?: Time
}

const CONCURRENCY_DEFAULT = 4
/** How often a runner announces itself, in milliseconds. */
const ADVERTISE_EVERY_MS = 20_000
/** How long to wait after work threw or the ledger could not be used, in milliseconds. */
const AFTER_ERROR_MS = 5_000

interface Active {
  run: ClaimedRun
  controller: AbortController
  done: Promise<void>
  /** Only its end is left to be written. */
  hasWorked: boolean
}

/** Claims due operations and runs them, renews leases, and stops without losing anything. */
export class ClaimLoop {
  readonly #options: ClaimLoopOptions
  readonly #time: Time
  readonly #active = new Map<string, Active>()
  /** How many of the active runs have only their end left to be written. */
  #worked = 0
  /** All runs that this runner has under way. */
  readonly #underWay: Set<Fence>
  readonly #timers = new Map<string, () => void>()
  #stopListening: (() => void) | undefined
  #state: 'new' | 'running' | 'stopping' | 'stopped' = 'new'
  #claiming: Promise<void> | undefined
  #again = false
  #isLedgerClosed = false
  #advertising: Promise<void> | undefined
  #grace: 'over' | undefined
  #stopped: Promise<void> | undefined

  constructor(options: ClaimLoopOptions) {
    this.#options = options
    this.#time = options.time ?? realTime
    this.#underWay = options.underWay ?? new Set()
  }

  /** Number of runs at the moment. */
  get active(): number {
    return this.#active.size
  }

  /** Announces itself and begins to claim. Does nothing if already started. */
  async start(): Promise<void> {
    if (this.#state !== 'new') return
    this.#state = 'running'
    await this.#advertise()
    // It was stopped meanwhile: a timer armed now would never be cleared.
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
   * Claims nothing new and waits for active runs. After `graceMs` it tells the rest to stop, and hands them back. If
   * called again, the shorter grace counts. Resolves when nothing runs any more.
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
    // Runs claimed at the last moment have no grace left.
    if (this.#grace === 'over') this.#endGrace()
    await Promise.all([...this.#active.values()].map(({ done }) => done))
    // A first announcement still on its way must not arrive after the withdrawal.
    await this.#advertising
    for (const cancel of this.#timers.values()) cancel()
    this.#state = 'stopped'
    await this.#options.ledger.withdraw(this.#options.id)
  }

  /** Runs one look at a time; a wake-up meanwhile causes one more. */
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
      // One claim follows all runs that end at the same moment, not one each.
      if (this.#active.size > 0) await turn()
      if (this.#state !== 'running') return
      this.#again = false
      // Ends that are being written keep no others from starting, unless writing is what takes long. A single slot is free
      // when everything of its run is over.
      const limit = concurrency - this.#active.size + Math.min(this.#worked, concurrency - 1)
      if (limit <= 0) return
      try {
        const { leaseMs, leasesMs, limits } = this.#options
        const asked = this.#options.skip?.()
        const skip = asked instanceof Promise ? await asked : asked
        const { runs } = await engine.claim({
          runner: id,
          capabilities,
          limit,
          ...present({ leaseMs, leasesMs, limits, skip }),
          underWay: this.#underWay,
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
    this.#underWay.add(run.fence)
    const key = `${run.fence.id}/${run.fence.run}`
    const active: Active = { run, controller, done: Promise.resolve(), hasWorked: false }
    this.#active.set(key, active)
    active.done = this.#run(active).finally(() => {
      this.#active.delete(key)
      if (active.hasWorked) this.#worked--
      this.#underWay.delete(run.fence)
      this.#look()
    })
  }

  #hasWorked(active: Active): void {
    if (active.hasWorked) return
    active.hasWorked = true
    this.#worked++
    this.#look()
  }

  async #run(active: Active): Promise<void> {
    const { engine, work, onError } = this.#options
    const { run } = active
    try {
      const settlement = await work(run, active.controller.signal, {
        worked: () => this.#hasWorked(active),
        lost: () => active.controller.abort('lost' satisfies Interruption),
      })
      if (settlement === 'ended' || settlement === 'dropped') return
      if (settlement) await engine.settle(run.fence, settlement)
      else await engine.release(run.fence)
    } catch (error) {
      onError?.(error, run)
      // Not at once: work that throws now would throw again.
      await engine.release(run.fence, { afterMs: AFTER_ERROR_MS }).catch(again => onError?.(again, run))
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

  /** Somebody wrote something, perhaps a cancel of an active run. It does not wait for a renewal. */
  async #interrupt(): Promise<void> {
    const atWork = [...this.#active.values()].filter(({ hasWorked }) => !hasWorked)
    if (atWork.length === 0) return
    try {
      const fences = atWork.map(({ run }) => run.fence)
      for (const { id, run, by } of await this.#options.engine.interrupted(fences))
        this.#active.get(`${id}/${run}`)?.controller.abort(by satisfies Interruption)
    } catch (error) {
      this.#options.onError?.(error)
    }
  }

  #advertise(): Promise<void> {
    const { ledger, id, capabilities, label } = this.#options
    const advertised = ledger.advertise({ id, capabilities, ...present({ label }) })
    this.#advertising = advertised.catch(() => {})
    return advertised
  }

  #shortestLease(): number {
    const { leaseMs = LEASE_DEFAULT_MS, leasesMs = {} } = this.#options
    return Math.min(leaseMs, ...Object.values(leasesMs))
  }

  /** Repeats an action. Reports a failure, and continues anyway, unless the ledger is closed: it never answers again. */
  #every(name: string, ms: number, action: () => Promise<void>): void {
    this.#timers.set(
      name,
      this.#time.after(ms, () => {
        void action()
          .catch(error => {
            this.#isLedgerClosed ||= isLedgerError(error) && error.code === 'closed'
            this.#options.onError?.(error)
          })
          .finally(() => {
            if (!this.#isLedgerClosed && this.#state !== 'stopped') this.#every(name, ms, action)
          })
      }),
    )
  }
}

/** Resolves after all pending callbacks have had their turn. */
function turn(): Promise<void> {
  return new Promise(resolve => void setImmediate(resolve))
}
