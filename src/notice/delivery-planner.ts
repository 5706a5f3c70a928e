import { randomBytes } from 'node:crypto'
import type { SurfaceConfig } from '../config/schema/surface.ts'
import type { Engine } from '../engine/engine.ts'
import type { Ledger, LedgerTransaction } from '../ledger/ledger.ts'
import { NOTICE_PRIORITIES, type Notice } from '../ledger/notice.ts'
import type { NewOperation } from '../ledger/operation.ts'
import { pagesOf } from '../ledger/pages.ts'
import { answerOf, type Writing } from '../ledger/writing.ts'
import type { Time } from '../time/time.ts'
import { PROVIDER_TROUBLES } from './about-provider.ts'
import { DELIVERY_SETTINGS, deliveryOf } from './delivery-operation.ts'
import { EditPlanner } from './edit-planner.ts'
import { ACTIONABLE_LIFETIME_MS, INFORMATION_LIFETIME_MS } from './lifetime.ts'
import { type OpenMessage, OpenMessages } from './open-messages.ts'
import { PlannedElsewhere } from './planned-elsewhere.ts'
import { quietUntil } from './quiet.ts'
import { topicsOf } from './topic.ts'
import { isWanted } from './wanted.ts'

const PAGE = 200
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

/** Submits messages for the notices that a surface wants: one per cause, which later notices of that cause join. */
export class DeliveryPlanner {
  readonly #deps: DeliveryPlannerDeps
  readonly #surface: SurfaceConfig
  readonly #newId: () => string
  readonly #edits: EditPlanner
  readonly #open: OpenMessages

  constructor(surface: SurfaceConfig, deps: DeliveryPlannerDeps) {
    this.#deps = deps
    this.#surface = surface
    this.#newId = deps.newId ?? (() => randomBytes(12).toString('hex'))
    this.#edits = new EditPlanner(surface, deps)
    this.#open = new OpenMessages(surface.name, deps)
  }

  /**
   * Submits the messages and edits that are due. Returns when to plan again, epoch milliseconds; undefined if nothing is
   * waiting for more to join it.
   */
  async plan(): Promise<number | undefined> {
    const next = await this.#planMessages()
    const nextEdit = await this.#edits.plan()
    const all = [next, nextEdit].filter(at => at !== undefined)
    return all.length === 0 ? undefined : Math.min(...all)
  }

  async #planMessages(): Promise<number | undefined> {
    const { ledger, engine, time } = this.#deps
    const position = await this.#position()
    const fresh = await this.#after(position)
    if (fresh.length === 0) return undefined
    const wanted = await this.#wanted(fresh)
    const ripeAt = this.#ripeAt(wanted)
    if (ripeAt > time.now()) return ripeAt
    const quiet = wanted.length > 0 ? quietUntil(this.#surface, time.now()) : undefined
    const told = quiet === undefined ? wanted : wanted.filter(({ priority }) => priority === 'urgent')
    if (told.length > 0) {
      await this.#submit(topicsOf(told))
      await engine.wake()
    }
    // The rest is found again when the quiet hours are over, without what was resolved by then.
    if (quiet !== undefined && told.length < wanted.length) return quiet
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
    for await (const notices of pagesOf(page => this.#deps.ledger.notices({}, page), PAGE)) {
      const fresh = notices.filter(notice => numberOf(notice) > position)
      found.push(...fresh)
      if (fresh.length < notices.length) break
    }
    return found.reverse()
  }

  /** Those that this surface gets and was not told yet. What is over before it could be told is not told. */
  async #wanted(fresh: readonly Notice[]): Promise<readonly Notice[]> {
    const { ledger } = this.#deps
    const wanted: Notice[] = []
    for (const notice of fresh) {
      if (notice.resolvedAt !== undefined) continue
      const operation = notice.operation === undefined ? undefined : await ledger.get(notice.operation)
      if (!isWanted(this.#surface, notice, operation)) continue
      if (notice.type === 'back' && !(await this.#heardOfTrouble(notice))) continue
      if (!(await this.#isPlanned(notice.id))) wanted.push(notice)
    }
    return wanted
  }

  async #isPlanned(notice: string): Promise<boolean> {
    const { items } = await this.#deps.ledger.deliveries(
      { notice, surface: this.#surface.name },
      { limit: 1 },
    )
    return items.length > 0
  }

  /** A surface that gets troubles, but was spared this one, because it was over at once, need not hear of its end. */
  async #heardOfTrouble({ id, provider }: Notice): Promise<boolean> {
    if (provider === undefined) return true
    const { items } = await this.#deps.ledger.notices(
      { provider, type: [...PROVIDER_TROUBLES, 'back'], expired: true },
      { limit: PAGE, cursor: id },
    )
    const before = items.findIndex(({ type }) => type === 'back')
    const troubles = before < 0 ? items : items.slice(0, before)
    const wanted = troubles.filter(trouble => isWanted(this.#surface, trouble, undefined))
    if (wanted.length === 0) return true
    const planned = await Promise.all(wanted.map(trouble => this.#isPlanned(trouble.id)))
    return planned.some(Boolean)
  }

  /** When the oldest notice has waited long enough for others to join it; an urgent one does not wait. */
  #ripeAt(wanted: readonly Notice[]): number {
    const [first] = wanted
    if (first === undefined || wanted.some(({ priority }) => priority === 'urgent')) return 0
    return first.createdAt + this.#surface.gatherMs
  }

  /** Submits all or nothing: rejects with {@link PlannedElsewhere} if another process made one of the deliveries first. */
  async #submit(topics: readonly (readonly Notice[])[]): Promise<void> {
    const open = new Map<readonly Notice[], OpenMessage>()
    for (const topic of topics) {
      const message = await this.#open.of(topic)
      if (message) open.set(topic, message)
    }
    const fresh = topics.filter(topic => !open.has(topic))
    const operations = fresh.map(topic => this.#operationOf(topic))
    await this.#deps.ledger.transaction(writes => this.#write(writes, fresh, operations, open))
  }

  *#write(
    writes: LedgerTransaction,
    fresh: readonly (readonly Notice[])[],
    operations: readonly NewOperation[],
    open: ReadonlyMap<readonly Notice[], OpenMessage>,
  ): Writing<void> {
    const { name: surface } = this.#surface
    const inserted = operations.length === 0 ? [] : yield* answerOf(writes.insert(operations))
    for (const [place, topic] of fresh.entries())
      for (const { id: notice } of topic) {
        const operation = inserted[place]?.id as string
        const { created } = yield* answerOf(writes.addDelivery({ notice, surface, operation }))
        if (!created) throw new PlannedElsewhere(notice, surface)
      }
    for (const [topic, message] of open) yield* this.#open.join(writes, topic, message)
  }

  #operationOf(topic: readonly Notice[]): NewOperation {
    const priority = Math.max(...topic.map(notice => NOTICE_PRIORITIES.indexOf(notice.priority)))
    const isInformation = topic.every(({ disposition }) => disposition === 'information')
    const message = this.#newId()
    return {
      ...deliveryOf(this.#surface.name, { message, notices: topic.map(({ id }) => id) }),
      ...DELIVERY_SETTINGS,
      key: message,
      priority: OPERATION_PRIORITIES[priority] ?? 0,
      retryForMs: isInformation ? INFORMATION_LIFETIME_MS : TRY_FOR_MS,
    }
  }
}

/** Priority of the operation that sends a message, by the priority of its notices. */
const OPERATION_PRIORITIES = [-5, 0, 5, 10]

function numberOf({ id }: Notice): number {
  return Number(id.slice(id.lastIndexOf('_') + 1))
}
