import { randomBytes } from 'node:crypto'
import type { SurfaceConfig } from '../config/schema/surface.ts'
import type { Engine } from '../engine/engine.ts'
import { present } from '../failure/present.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Notice } from '../ledger/notice.ts'
import type { NewOperation } from '../ledger/operation.ts'
import { answerOf } from '../ledger/writing.ts'
import type { Time } from '../time/time.ts'
import { DELIVERY_SETTINGS, deliveryOf } from './delivery-operation.ts'
import { INFORMATION_LIFETIME_MS } from './lifetime.ts'
import { quietUntil } from './quiet.ts'

/** Shortest and longest snooze, in milliseconds: 1 minute and 30 days. */
export const SNOOZE_LEAST_MS = 60_000
/** Longest snooze. */
export const SNOOZE_MOST_MS = 30 * 86_400_000

/** Notices changed in one transaction. */
const STEP = 1_000

/** Puts unread notices that need action out of sight. Returns how many; those that already are stay as they are. */
export function snoozeNotices(
  ledger: Pick<Ledger, 'transaction'>,
  ids: readonly string[],
  until: number,
): Promise<number> {
  return ledger.transaction(writes => writes.snoozeNotices(ids, until))
}

/** The same for all of the type and cause of this one. */
export async function snoozeLike(
  ledger: Pick<Ledger, 'transaction'>,
  id: string,
  until: number,
): Promise<number> {
  for (let snoozed = 0; ; ) {
    const step = await ledger.transaction(writes => writes.snoozeNoticesLike(id, until, STEP))
    snoozed += step
    if (step < STEP) return snoozed
  }
}

/** Collaborators of {@link SnoozeEnds}. */
export interface SnoozeEndsDeps {
  ledger: Ledger
  engine: Pick<Engine, 'wake'>
  time: Time
  /** Makes message ids. Default random. */
  newId?: () => string
}

/**
 * Brings snoozed notices back: those whose cause is still there and that nobody read are sent again, as a message of their own, to
 * the surfaces that had them. Exactly one process does, because each snooze is ended with the messages in one transaction.
 */
export class SnoozeEnds {
  readonly #surfaces: readonly SurfaceConfig[]
  readonly #deps: SnoozeEndsDeps
  readonly #newId: () => string

  constructor(surfaces: readonly SurfaceConfig[], deps: SnoozeEndsDeps) {
    this.#surfaces = surfaces
    this.#deps = deps
    this.#newId = deps.newId ?? (() => randomBytes(12).toString('hex'))
  }

  /** Tells what is due. Returns when to look again, epoch milliseconds; undefined if nothing is snoozed. */
  async plan(): Promise<number | undefined> {
    const { ledger, time } = this.#deps
    const next = await ledger.nextSnoozeEnd()
    if (next === undefined || next > time.now()) return next
    const { items } = await ledger.notices({ snoozeOver: true, expired: true }, { limit: STEP })
    const topics = Map.groupBy(items, ({ type, cause, id }) =>
      cause === undefined ? id : `${type}\n${cause}`,
    )
    for (const topic of topics.values()) await this.#end(topic)
    return items.length === 0 ? undefined : time.now()
  }

  async #end(topic: readonly Notice[]): Promise<void> {
    const { ledger, engine, time } = this.#deps
    const now = time.now()
    const open = topic.filter(
      ({ readAt, resolvedAt, expiresAt }) =>
        readAt === undefined && resolvedAt === undefined && expiresAt > now,
    )
    const operations = open.length === 0 ? [] : await this.#reminders(open, now)
    await ledger.transaction(function* (writes) {
      let ended = 0
      for (const { id, snoozedUntil = 0 } of topic)
        if (yield* answerOf(writes.endSnooze(id, snoozedUntil))) ended++
      if (ended > 0 && operations.length > 0) yield* answerOf(writes.insert(operations))
    })
    if (operations.length > 0) await engine.wake()
  }

  async #reminders(open: readonly Notice[], now: number): Promise<NewOperation[]> {
    const { ledger } = this.#deps
    const operations: NewOperation[] = []
    for (const surface of this.#surfaces) {
      if (!surface.enabled) continue
      const heard = await Promise.all(
        open.map(async ({ id }) => {
          const { items } = await ledger.deliveries({ notice: id, surface: surface.name }, { limit: 1 })
          return items[0]?.state === 'delivered'
        }),
      )
      const notices = open.filter((_, place) => heard[place]).map(({ id }) => id)
      if (notices.length === 0) continue
      const message = this.#newId()
      const isUrgent = open.some(({ priority }) => priority === 'urgent')
      const quiet = isUrgent ? undefined : quietUntil(surface, now)
      operations.push({
        ...deliveryOf(surface.name, { message, notices }),
        ...DELIVERY_SETTINGS,
        key: message,
        retryForMs: INFORMATION_LIFETIME_MS,
        ...present({ dueAt: quiet }),
      })
    }
    return operations
  }
}
