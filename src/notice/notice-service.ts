import type { Capability } from '../capability/capability.ts'
import type { SurfaceConfig } from '../config/schema/surface.ts'
import type { Engine } from '../engine/engine.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { Lookout } from '../ledger/lookout.ts'
import type { NewNotice, Notice } from '../ledger/notice.ts'
import { cleaningUp } from '../time/clean-up.ts'
import { settleWithin } from '../time/settle-within.ts'
import { realTime, type Time } from '../time/time.ts'
import { deliveryCapability } from './delivery.ts'
import { DeliveryPlanner } from './delivery-planner.ts'
import { NoticeMaker } from './notice-maker.ts'
import { PlannedElsewhere } from './planned-elsewhere.ts'
import { FAILING_AFTER } from './schedule-streak.ts'
import { FAILING_AFTER_SETTING } from './schedule-tidings.ts'
import { SnoozeEnds } from './snooze.ts'
import type { SurfaceHost } from './surface/surface.ts'
import { isWanted } from './wanted.ts'

/** Wait after a change, to handle a burst of changes at once; in milliseconds. */
const GATHER_MS = 200
/** Wait before messages that could not be submitted are tried again, in milliseconds. */
const AGAIN_MS = 10_000
/** How long a start waits for the notices of what happened before, in milliseconds; making them continues after that. */
const LOOK_AT_START_MS = 200

/** Settings and collaborators of a {@link NoticeService}. */
export interface NoticeServiceOptions {
  ledger: Ledger
  engine: Pick<Engine, 'wake'>
  /** The surfaces of a trusted config. Default none: only sessions are notified. */
  surfaces?: readonly SurfaceConfig[]
  /** How many operations of a schedule must die in a row before people hear of it. Default 1. */
  scheduleFailsAfter?: number
  /** Default the system clock. */
  time?: Time
  /** Called with each error; the work is tried again later. */
  onError: (error: unknown) => void
  /** Called with each notice that no surface wants. Default none. */
  onUntold?: (notice: NewNotice & { id: string }) => void
}

/** The capabilities that deliver to each surface, for the registry of a runner. */
export function deliveryCapabilities(
  surfaces: readonly SurfaceConfig[],
  deps: { ledger: Pick<Ledger, 'notices' | 'deliveries'>; host: SurfaceHost },
): readonly Capability[] {
  return surfaces.map(surface => deliveryCapability(surface, deps))
}

/** Makes notices from events, and submits messages for the surfaces that want them. Several processes may run one. */
export class NoticeService {
  readonly #options: NoticeServiceOptions
  readonly #time: Time
  readonly #maker: NoticeMaker
  readonly #planners: readonly { plan(): Promise<number | undefined> }[]
  readonly #lookout: Lookout
  #stopListening: (() => void) | undefined
  #cancelPlan: (() => void) | undefined

  constructor(options: NoticeServiceOptions) {
    const { ledger, engine, surfaces = [], time = realTime, onError } = options
    this.#options = options
    this.#time = time
    this.#maker = new NoticeMaker({
      ledger,
      time,
      onMade: notice => this.#made(notice),
    })
    this.#planners = [
      new SnoozeEnds(surfaces, { ledger, engine, time }),
      ...surfaces.map(surface => new DeliveryPlanner(surface, { ledger, engine, time })),
    ]
    this.#lookout = new Lookout({ time, onError, gatherMs: GATHER_MS, look: () => this.#look() })
  }

  /** Catches up, then follows every change of the ledger. Never rejects. */
  async start(): Promise<void> {
    const { ledger, scheduleFailsAfter = FAILING_AFTER, onError } = this.#options
    await ledger.setSetting(FAILING_AFTER_SETTING, scheduleFailsAfter).catch(onError)
    // Before any notice is made: a new surface starts with the notices made from now on.
    await this.#plan()
    // After a night of failures there are thousands to make, and a daemon that makes them first is not ready for long.
    await settleWithin(this.look(), this.#time, LOOK_AT_START_MS)
    if (!this.#lookout.isClosed)
      this.#stopListening = this.#options.ledger.onChange(() => this.#lookout.soon())
  }

  /** Stops. Settles once pending writes are done. May be called twice. */
  async stop(): Promise<void> {
    this.#stopListening?.()
    const looked = this.#lookout.close()
    this.#cancelPlan?.()
    await this.#maker.stop()
    await looked
  }

  /** Reads new events and submits messages. Never rejects. */
  look(): Promise<void> {
    return this.#lookout.now()
  }

  /** Submits messages for existing notices even if new events cannot be read. */
  #look(): Promise<void> {
    return cleaningUp(
      async () => void (await this.#maker.catchUp()),
      () => this.#plan(),
    )
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
