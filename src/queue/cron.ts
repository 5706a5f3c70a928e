import { Cron } from 'croner'
import { QueueError } from './error.ts'
import { newOperation } from './submission.ts'
import type { Surroundings } from './surroundings.ts'

/** An operation that is submitted at certain times. */
export interface CronSchedule {
  /** Names the schedule for good: what was submitted is remembered under it. */
  name: string
  /** Five or six fields, as in `0 3 * * *` or `30 0 3 * * *`. */
  cron: string
  capability: string
  params?: unknown
  /** IANA zone in which the fields are read. Default UTC. */
  timeZone?: string
  /** What happens to times at which no runner was there: nothing, or one submission for all of them. Default `skip`. */
  missed?: 'skip' | 'once'
  priority?: number
}

interface Planned {
  schedule: CronSchedule
  times: Cron
}

/** The wall clock is looked at least this often, in milliseconds: it may jump. */
const LONGEST_WAIT_MS = 60_000

/**
 * Submits operations at their times. Each time is a key, so that several runners submit it once; the last one is
 * remembered in the ledger, so that a restart knows what it missed.
 */
export class CronSubmitter {
  readonly #surroundings: Surroundings
  readonly #planned: readonly Planned[]
  #cancelTimer: (() => void) | undefined
  #isStopped = false

  /** Throws a {@link QueueError} for times that cannot be read. */
  constructor(surroundings: Surroundings, schedules: readonly CronSchedule[]) {
    this.#surroundings = surroundings
    this.#planned = schedules.map(schedule => ({ schedule, times: timesOf(schedule) }))
    const names = schedules.map(({ name }) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined)
      throw new QueueError('invalid', `two schedules are called ${JSON.stringify(twice)}`)
  }

  async start(): Promise<void> {
    if (this.#planned.length === 0) return
    const now = this.#surroundings.time.now()
    for (const planned of this.#planned) await this.#guard(() => this.#begin(planned, now))
    this.#arm()
  }

  stop(): void {
    this.#isStopped = true
    this.#cancelTimer?.()
  }

  /** When a schedule comes next, epoch milliseconds; undefined if never. */
  nextAt(name: string): number | undefined {
    const planned = this.#planned.find(({ schedule }) => schedule.name === name)
    return planned?.times.nextRun(new Date(this.#surroundings.time.now()))?.getTime()
  }

  /** What was missed since the last submission, by the schedule's wish. */
  async #begin({ schedule, times }: Planned, now: number): Promise<void> {
    const last = await this.#lastOf(schedule)
    if (last === undefined) return this.#remember(schedule, now)
    const missed = previous(times, now)
    if (missed === undefined || missed <= last) return
    if (schedule.missed === 'once') await this.#submit(schedule, missed)
    else await this.#remember(schedule, missed)
  }

  #arm(): void {
    if (this.#isStopped) return
    const { time } = this.#surroundings
    const now = time.now()
    const next = Math.min(
      ...this.#planned.map(({ times }) => times.nextRun(new Date(now))?.getTime() ?? Infinity),
    )
    const wait = Math.min(LONGEST_WAIT_MS, next - now)
    this.#cancelTimer = time.after(Math.max(wait, 0), () => void this.#fire().finally(() => this.#arm()))
  }

  async #fire(): Promise<void> {
    const now = this.#surroundings.time.now()
    for (const { schedule, times } of this.#planned)
      await this.#guard(async () => {
        const slot = previous(times, now)
        const last = (await this.#lastOf(schedule)) ?? now
        if (slot !== undefined && slot > last) await this.#submit(schedule, slot)
      })
  }

  async #submit(schedule: CronSchedule, slot: number): Promise<void> {
    const { name, capability, params, priority } = schedule
    const at = new Date(slot)
    const operation = await newOperation(this.#surroundings, {
      capability,
      params,
      at,
      key: `cron ${name} ${at.toISOString()}`,
      source: 'cron',
      context: { cron: name, at: at.toISOString() },
      ...(priority === undefined ? {} : { priority }),
    })
    await this.#surroundings.engine.schedule([operation])
    await this.#remember(schedule, slot)
  }

  async #lastOf({ name }: CronSchedule): Promise<number | undefined> {
    const last = await this.#surroundings.ledger.setting(settingOf(name))
    return typeof last === 'number' ? last : undefined
  }

  #remember({ name }: CronSchedule, slot: number): Promise<void> {
    return this.#surroundings.ledger.setSetting(settingOf(name), slot)
  }

  async #guard(action: () => Promise<void>): Promise<void> {
    try {
      await action()
    } catch (error) {
      this.#surroundings.report({ about: 'queue', error })
    }
  }
}

function timesOf({ name, cron, timeZone = 'UTC' }: CronSchedule): Cron {
  try {
    return new Cron(cron, { timezone: timeZone, paused: true })
  } catch (error) {
    throw new QueueError(
      'invalid',
      `schedule ${JSON.stringify(name)}: cannot read ${JSON.stringify(cron)} in ${timeZone}: ${(error as Error).message}`,
      { cause: error },
    )
  }
}

/** The last time at or before now. */
function previous(times: Cron, now: number): number | undefined {
  return times.previousRuns(1, new Date(now + 1_000))[0]?.getTime()
}

function settingOf(name: string): string {
  return `cron.${name}`
}
