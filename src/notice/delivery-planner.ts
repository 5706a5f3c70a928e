import { randomBytes } from 'node:crypto'
import type { SurfaceConfig } from '../config/schema/surface.ts'
import type { Engine } from '../engine/engine.ts'
import type { Ledger, LedgerTransaction, MaybePromise } from '../ledger/ledger.ts'
import { inOrder, whenThere } from '../ledger/maybe-promise.ts'
import { NOTICE_PRIORITIES, type Notice } from '../ledger/notice.ts'
import type { NewOperation } from '../ledger/operation.ts'
import type { Time } from '../time/time.ts'
import { ACTIONABLE_LIFETIME_MS, INFORMATION_LIFETIME_MS } from './lifetime.ts'
import { deliveryCapabilityOf, surfaceProviderOf } from './names.ts'
import { isWanted } from './wanted.ts'

const PAGE = 200
/** Notices in one message. */
const MOST_IN_MESSAGE = 200
/** High enough that the time limit ends a message first; waits grow to two minutes. */
const MAX_RETRIES = 1_000
/** How long an actionable message is tried, in milliseconds. */
const TRY_FOR_MS = Math.min(86_400_000, ACTIONABLE_LIFETIME_MS)

/** Collaborators of a {@link DeliveryPlanner}. */
export interface DeliveryPlannerDeps {
  ledger: Ledger
  engine: Pick<Engine, 'wake'>
  time: Time
  /** Makes message ids. They must be unique across ledgers, because receivers store them. Default random. */
  newId?: () => string
}

/** Submits messages for the notices that a surface wants; several notices of one event share a message. */
export class DeliveryPlanner {
  readonly #deps: DeliveryPlannerDeps
  readonly #surface: SurfaceConfig
  readonly #newId: () => string

  constructor(surface: SurfaceConfig, deps: DeliveryPlannerDeps) {
    this.#deps = deps
    this.#surface = surface
    this.#newId = deps.newId ?? (() => randomBytes(12).toString('hex'))
  }

  /**
   * Submits the messages that are due. Returns when to plan again, epoch milliseconds; undefined if no notice is
   * waiting for others to join it.
   */
  async plan(): Promise<number | undefined> {
    const { ledger, engine, time } = this.#deps
    const position = await this.#position()
    const fresh = await this.#after(position)
    if (fresh.length === 0) return undefined
    const wanted = await this.#wanted(fresh)
    const ripeAt = this.#ripeAt(wanted)
    if (ripeAt > time.now()) return ripeAt
    const groups = groupsOf(wanted)
    if (groups.length > 0) {
      const operations = groups.map(group => this.#operationOf(group))
      await ledger.transaction(writes => this.#submit(writes, groups, operations))
      await engine.wake()
    }
    await ledger.setSetting(this.#setting, numberOf(fresh.at(-1) as Notice))
    return undefined
  }

  get #setting(): string {
    return `notice.surface.${this.#surface.name}`
  }

  /** Number of the last notice that was planned. A new surface starts after the notices that already exist. */
  async #position(): Promise<number> {
    const { ledger } = this.#deps
    const known = await ledger.setting(this.#setting)
    if (typeof known === 'number') return known
    const { items } = await ledger.notices({ expired: true }, { limit: 1 })
    const last = items[0] ? numberOf(items[0]) : 0
    await ledger.setSetting(this.#setting, last)
    return last
  }

  /** Notices after a number, oldest first. */
  async #after(position: number): Promise<readonly Notice[]> {
    const found: Notice[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await this.#deps.ledger.notices(
        {},
        { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) },
      )
      const fresh = page.items.filter(notice => numberOf(notice) > position)
      found.push(...fresh)
      cursor = page.next
      if (fresh.length < page.items.length || cursor === undefined) return found.reverse()
    }
  }

  async #wanted(fresh: readonly Notice[]): Promise<readonly Notice[]> {
    const { ledger } = this.#deps
    const { name } = this.#surface
    const wanted: Notice[] = []
    for (const notice of fresh) {
      const operation = notice.operation === undefined ? undefined : await ledger.get(notice.operation)
      if (!isWanted(this.#surface, notice, operation)) continue
      const { items } = await ledger.deliveries({ notice: notice.id, surface: name }, { limit: 1 })
      if (items.length === 0) wanted.push(notice)
    }
    return wanted
  }

  /** When the oldest notice has waited long enough for others to join it; an urgent one does not wait. */
  #ripeAt(wanted: readonly Notice[]): number {
    const [first] = wanted
    if (first === undefined || wanted.some(({ priority }) => priority === 'urgent')) return 0
    return first.createdAt + this.#surface.gatherMs
  }

  #operationOf(group: readonly Notice[]): NewOperation {
    const { name } = this.#surface
    const priority = Math.max(...group.map(notice => NOTICE_PRIORITIES.indexOf(notice.priority)))
    const isInformation = group.every(({ disposition }) => disposition === 'information')
    const message = this.#newId()
    return {
      capability: deliveryCapabilityOf(name),
      params: { message, notices: group.map(({ id }) => id) },
      providers: [surfaceProviderOf(name)],
      key: message,
      source: 'notice',
      priority: OPERATION_PRIORITIES[priority] ?? 0,
      maxRetries: MAX_RETRIES,
      retryForMs: isInformation ? INFORMATION_LIFETIME_MS : TRY_FOR_MS,
    }
  }

  /** Submits all or nothing: throws {@link PlannedElsewhere} if another process made one of the deliveries first. */
  #submit(
    writes: LedgerTransaction,
    groups: readonly (readonly Notice[])[],
    operations: readonly NewOperation[],
  ): MaybePromise<unknown> {
    const { name: surface } = this.#surface
    return whenThere(writes.insert(operations), inserted =>
      inOrder(groups, group => {
        const operation = inserted[groups.indexOf(group)]?.id as string
        return inOrder(group, ({ id: notice }) =>
          whenThere(writes.addDelivery({ notice, surface, operation }), ({ created }) => {
            if (!created) throw new PlannedElsewhere(notice, surface)
          }),
        )
      }),
    )
  }
}

/** Another process submitted the message first. */
export class PlannedElsewhere extends Error {
  override name = 'PlannedElsewhere'

  constructor(notice: string, surface: string) {
    super(`${notice} is already on its way to ${surface}`)
  }
}

/** Priority of the operation that sends a message, by the priority of its notices. */
const OPERATION_PRIORITIES = [-5, 0, 5, 10]

/** Notices of one event share a message; each unknown failure gets its own, because each needs its own label. */
function groupsOf(notices: readonly Notice[]): readonly (readonly Notice[])[] {
  const topics = Map.groupBy(notices, ({ type, fingerprint, id }) =>
    type === 'unknown' ? `unknown ${fingerprint ?? id}` : type,
  )
  return [...topics.values()].flatMap(group =>
    Array.from({ length: Math.ceil(group.length / MOST_IN_MESSAGE) }, (_, part) =>
      group.slice(part * MOST_IN_MESSAGE, (part + 1) * MOST_IN_MESSAGE),
    ),
  )
}

function numberOf({ id }: Notice): number {
  return Number(id.slice(id.lastIndexOf('_') + 1))
}
