import type { SurfaceConfig } from '../config/schema/surface.ts'
import type { Engine } from '../engine/engine.ts'
import type { Delivery } from '../ledger/delivery.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { NewOperation } from '../ledger/operation.ts'
import { answerOf } from '../ledger/writing.ts'
import type { Time } from '../time/time.ts'
import type { DeliveryParams } from './delivery.ts'
import { DELIVERY_SETTINGS, deliveryOf } from './delivery-operation.ts'
import { INFORMATION_LIFETIME_MS } from './lifetime.ts'
import { PlannedElsewhere } from './planned-elsewhere.ts'
import { canEdit } from './surface/can-edit.ts'

/** Most outdated deliveries handled at a time; the rest follows. */
const MOST_READ = 1_000

/** Submits edits of messages that no longer say what is true, on a surface that can change what it has shown. */
export class EditPlanner {
  readonly #surface: SurfaceConfig
  readonly #deps: { ledger: Ledger; engine: Pick<Engine, 'wake'>; time: Pick<Time, 'now'> }

  constructor(
    surface: SurfaceConfig,
    deps: { ledger: Ledger; engine: Pick<Engine, 'wake'>; time: Pick<Time, 'now'> },
  ) {
    this.#surface = surface
    this.#deps = deps
  }

  /** Submits the edits that are due. Returns when to plan again, epoch milliseconds; undefined if none is waiting. */
  async plan(): Promise<number | undefined> {
    const { ledger, time } = this.#deps
    const { name: surface, gatherMs, enabled } = this.#surface
    if (!enabled) return undefined
    const { items } = await ledger.deliveries({ surface, outdated: true }, { limit: MOST_READ })
    if (items.length === 0) return undefined
    // What has not arrived yet is true when it is sent; then its delivery ends, and this is asked again.
    const arrived = items.filter(({ state }) => state !== 'pending')
    if (arrived.length === 0) return undefined
    const ripeAt = Math.min(...arrived.map(({ outdatedAt = 0 }) => outdatedAt)) + gatherMs
    if (ripeAt > time.now()) return ripeAt
    for (const [, message] of Map.groupBy(arrived, ({ operation }) => operation)) await this.#edit(message)
    return undefined
  }

  async #edit(message: readonly Delivery[]): Promise<void> {
    const { ledger, engine } = this.#deps
    const ids = message.map(({ id }) => id)
    const operation = await this.#operationOf(message)
    const { name } = this.#surface
    await ledger.transaction(function* (writes) {
      const changed = yield* answerOf(writes.outdateDeliveries(ids, false))
      if (changed === 0) throw new PlannedElsewhere(ids[0] as string, name)
      if (operation) yield* answerOf(writes.insert([operation]))
    })
    if (operation) await engine.wake()
  }

  /** Undefined if the message cannot be edited: by this surface, or because its place is not known. */
  async #operationOf(message: readonly Delivery[]): Promise<NewOperation | undefined> {
    const sent = message.find(({ reference }) => reference !== undefined)
    if (sent?.reference === undefined || sent.operation === undefined || !canEdit(this.#surface))
      return undefined
    const params = (await this.#deps.ledger.get(sent.operation))?.params as DeliveryParams | undefined
    if (params === undefined) return undefined
    const { message: id, notices } = params
    return {
      ...deliveryOf(this.#surface.name, { message: id, notices, edit: sent.reference }),
      ...DELIVERY_SETTINGS,
      retryForMs: INFORMATION_LIFETIME_MS,
    }
  }
}
