import type { LedgerEvent } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Operation } from '../ledger/operation.ts'
import { scheduleCauseOf, scheduleFailing, scheduleOf, scheduleRecovered } from './about-schedule.ts'
import type { Consequence } from './consequence.ts'
import { OLDEST_NEWS_MS } from './lifetime.ts'
import { FAILING_AFTER, FLAPPING_AFTER, failedInARow } from './schedule-streak.ts'

/** Operations of a capability that are searched for those of a schedule. */
const SCHEDULE_PAGE = 100

/**
 * The setting that says how many operations of a schedule must die in a row before people hear of it. In the ledger, because
 * commands make notices too, and must make the same.
 */
export const FAILING_AFTER_SETTING = 'notice.schedule_fails_after'

/** What people were told about schedules, including what is about to be written. Lives as long as one batch of events. */
export class ScheduleTidings {
  readonly #ledger: Pick<Ledger, 'list' | 'notices' | 'setting'>
  /** When people were last told that a schedule failed, epoch milliseconds; by name. */
  readonly #toldAt = new Map<string, number>()

  constructor(ledger: Pick<Ledger, 'list' | 'notices' | 'setting'>) {
    this.#ledger = ledger
  }

  /** Tells when a schedule stops succeeding, and when it succeeds again; not of each run. */
  async consequenceOf(event: LedgerEvent, operation: Operation, isNews: boolean): Promise<Consequence> {
    const name = scheduleOf(operation)
    if (name === undefined || (event.type !== 'dead' && event.type !== 'succeeded')) return {}
    if (event.type === 'succeeded') {
      const which = { cause: scheduleCauseOf(name), types: ['schedule_failing'] }
      const tell = isNews ? { tell: scheduleRecovered(event, name) } : {}
      return { resolved: [{ which, why: 'it works again', ...tell }] }
    }
    const streak = isNews ? await this.#streak(name, operation) : []
    if (streak.length === 0 || streak.length < (await this.#needed(name, event.at))) return {}
    this.#toldAt.set(name, event.at)
    return { standing: { notice: scheduleFailing(event, name, streak), whileOpen: 'keep' } }
  }

  /** Its operations that failed in a row up to this one, newest first. */
  async #streak(name: string, { id, capability }: Operation): Promise<readonly Operation[]> {
    const { items } = await this.#ledger.list({ capability }, { limit: SCHEDULE_PAGE })
    const own = items.filter(each => scheduleOf(each) === name)
    const upTo = own.findIndex(each => each.id === id)
    return upTo < 0 ? [] : failedInARow(own.slice(upTo))
  }

  async #needed(name: string, at: number): Promise<number> {
    const toldAt = this.#toldAt.get(name) ?? (await this.#lastTold(name))
    const isFlapping = toldAt !== undefined && at - toldAt < OLDEST_NEWS_MS
    const given = await this.#ledger.setting(FAILING_AFTER_SETTING)
    const after = typeof given === 'number' ? given : FAILING_AFTER
    return isFlapping ? Math.max(FLAPPING_AFTER, after) : after
  }

  async #lastTold(name: string): Promise<number | undefined> {
    const filter = { cause: scheduleCauseOf(name), type: 'schedule_failing', expired: true }
    const { items } = await this.#ledger.notices(filter, { limit: 1 })
    return items[0]?.createdAt
  }
}
