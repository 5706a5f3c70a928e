import type { Capability } from '../capability/capability.ts'
import type { SurfaceConfig } from '../config/schema/surface.ts'
import type { Engine } from '../engine/engine.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { Lookout } from '../ledger/lookout.ts'
import type { NewNotice, Notice } from '../ledger/notice.ts'
import { realTime, type Time } from '../time/time.ts'
import { deliveryCapability } from './delivery.ts'
import { DeliveryPlanner, PlannedElsewhere } from './delivery-planner.ts'
import { NoticeMaker } from './notice-maker.ts'
import type { SurfaceHost } from './surface/surface.ts'
import { isWanted } from './wanted.ts'

/** How long to wait after a change, so that many are looked at once, in milliseconds. */
const GATHER_MS = 200
/** When messages that could not be submitted are tried again although nothing happens, in milliseconds. */
const AGAIN_MS = 10_000

/** What telling people needs. */
export interface NoticeServiceOptions {
  ledger: Ledger
  engine: Pick<Engine, 'wake'>
  /** The surfaces of a trusted config. Default none: then only sessions are told. */
  surfaces?: readonly SurfaceConfig[]
  /** Default the time of this machine. */
  time?: Time
  /** Told of what went wrong; it is tried again after a while. */
  onError: (error: unknown) => void
  /** Told of each notice that no surface wants to hear of. Default nothing. */
  onUntold?: (notice: NewNotice & { id: string }) => void
}

/** Delivers to each surface; these go into the registry of a runner. */
export function deliveryCapabilities(
  surfaces: readonly SurfaceConfig[],
  deps: { ledger: Pick<Ledger, 'notices'>; host: SurfaceHost },
): readonly Capability[] {
  return surfaces.map(surface => deliveryCapability(surface, deps))
}

/** Makes notices of what happens, and submits messages for those that surfaces want. Several processes may do it. */
export class NoticeService {
  readonly #options: NoticeServiceOptions
  readonly #time: Time
  readonly #maker: NoticeMaker
  readonly #planners: readonly DeliveryPlanner[]
  readonly #lookout: Lookout
  #stopListening: (() => void) | undefined
  #cancelPlan: (() => void) | undefined

  constructor(options: NoticeServiceOptions) {
    const { ledger, engine, surfaces = [], time = realTime, onError } = options
    this.#options = options
    this.#time = time
    this.#maker = new NoticeMaker({ ledger, time, onMade: notice => this.#made(notice) })
    this.#planners = surfaces.map(surface => new DeliveryPlanner(surface, { ledger, engine, time }))
    this.#lookout = new Lookout({ time, onError, gatherMs: GATHER_MS, look: () => this.#look() })
  }

  /** Looks once, then whenever something is written. Never rejects. */
  async start(): Promise<void> {
    // A new surface begins with what happens from now on.
    await this.#plan()
    await this.look()
    if (!this.#lookout.isClosed)
      this.#stopListening = this.#options.ledger.onChange(() => this.#lookout.soon())
  }

  /** Settles when nothing is written any more. May be called twice. */
  async stop(): Promise<void> {
    this.#stopListening?.()
    const looked = this.#lookout.close()
    this.#cancelPlan?.()
    await this.#maker.stop()
    await looked
  }

  /** Reads what happened, and submits what is to be told. Never rejects. */
  look(): Promise<void> {
    return this.#lookout.now()
  }

  /** What was told before is sent, whether or not the rest can be read. */
  async #look(): Promise<void> {
    try {
      await this.#maker.catchUp()
    } finally {
      await this.#plan()
    }
  }

  async #plan(): Promise<void> {
    let next = Infinity
    for (const planner of this.#planners) {
      if (this.#lookout.isClosed) return
      try {
        next = Math.min(next, (await planner.plan()) ?? Infinity)
      } catch (error) {
        if (error instanceof PlannedElsewhere) this.#lookout.soon()
        else {
          this.#options.onError(error)
          next = Math.min(next, this.#time.now() + AGAIN_MS)
        }
      }
    }
    this.#cancelPlan?.()
    this.#cancelPlan = undefined
    if (next === Infinity || this.#lookout.isClosed) return
    this.#cancelPlan = this.#time.after(Math.max(0, next - this.#time.now()), () => void this.look())
  }

  #made(notice: NewNotice & { id: string }): void {
    const { surfaces = [], onUntold } = this.#options
    const made: Notice = { ...notice, createdAt: this.#time.now() }
    if (!surfaces.some(surface => isWanted(surface, made, undefined))) onUntold?.(notice)
  }
}
