import { isLedgerError } from '../ledger/error.ts'
import { isEnded } from '../ledger/operation.ts'
import type { CronTimes } from '../time/cron.ts'
import { type CronRecord, readCronRecord, writeCronRecord } from './cron-record.ts'
import { type CronSchedule, submissionOf, timesOf } from './cron-schedule.ts'
import { isQueueError, QueueError } from './error.ts'
import type { QueueDeps } from './queue-deps.ts'
import { newOperation } from './submission.ts'

interface Planned {
  schedule: CronSchedule
  times: CronTimes
  /** Since when this process handles it, epoch milliseconds. */
  since: number
  /** A time that came while this process was running and could not be submitted yet. */
  owed?: number
}

/** The wall clock is read at least this often, in milliseconds: it may jump. */
const LONGEST_WAIT_MS = 60_000
/** A time that passed longer ago than this is missed, in milliseconds; until then, a restart still submits it. */
const LATE_MS = 60_000

/** How long the key of a time is stored after its operation ended, in milliseconds; the ledger remembers the last one anyway. */
const KEY_RETENTION_MS = 86_400_000

/**
 * Submits operations at their times. Each time is a key, so several processes submit it only once. The ledger remembers the last
 * time, so a restart knows what it missed. If several times have passed, only the last one counts.
 */
export class CronSubmitter {
  readonly #deps: QueueDeps
  readonly #planned: readonly Planned[]
  #cancelTimer: (() => void) | undefined
  #looking: Promise<void> = Promise.resolve()
  #isStopped = false

  /** Throws a {@link QueueError} for an invalid cron expression, a missing capability, and a duplicate name. */
  constructor(deps: QueueDeps, schedules: readonly CronSchedule[]) {
    this.#deps = deps
    this.#planned = schedules.map(schedule => ({ schedule, times: timesOf(schedule), since: 0 }))
    const names = schedules.map(({ name }) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined)
      throw new QueueError('invalid', `two schedules are named ${JSON.stringify(twice)}`)
    const { registry } = deps
    for (const { name, capability } of schedules)
      if (!registry.has(capability))
        throw new QueueError(
          'unknown_capability',
          `schedule ${JSON.stringify(name)}: there is no capability ${JSON.stringify(capability)} here; known: ${registry.names.join(', ') || 'none'}`,
        )
  }

  async start(): Promise<void> {
    if (this.#planned.length === 0 || this.#isStopped) return
    this.#looking = this.#beginAll()
    await this.#looking
    this.#arm()
  }

  /** Waits for submissions in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancelTimer?.()
    await this.#looking
  }

  async #beginAll(): Promise<void> {
    const now = this.#deps.time.now()
    for (const planned of this.#planned) {
      planned.since = now
      if (!this.#isStopped) await this.#guard(() => this.#begin(planned.schedule, now))
    }
    await this.#look()
  }

  /** A schedule that is new or was off has missed nothing. */
  async #begin({ name, enabled = true }: CronSchedule, now: number): Promise<void> {
    const { ledger } = this.#deps
    const last = await readCronRecord(ledger, name)
    if (enabled && last && last.did !== 'off') return
    await writeCronRecord(ledger, name, { ...last, at: now, did: enabled ? 'begun' : 'off' })
  }

  #arm(): void {
    if (this.#isStopped) return
    const { time } = this.#deps
    const now = time.now()
    const next = Math.min(
      ...this.#planned.map(({ schedule, times }) =>
        schedule.enabled === false ? Infinity : (times.after(now) ?? Infinity),
      ),
    )
    const wait = Math.min(LONGEST_WAIT_MS, next - now)
    this.#cancelTimer = time.after(Math.max(wait, 0), () => {
      this.#looking = this.#look().finally(() => this.#arm())
    })
  }

  async #look(): Promise<void> {
    for (const planned of this.#planned)
      if (planned.schedule.enabled !== false && !this.#isStopped)
        await this.#guard(() => this.#lookAt(planned))
  }

  async #lookAt(planned: Planned): Promise<void> {
    const { ledger, time } = this.#deps
    const { schedule, times, since } = planned
    const { name, missed = 'skip' } = schedule
    const now = time.now()
    const slot = times.upTo(now)
    const last = (await readCronRecord(ledger, name)) ?? { at: since, did: 'begun' as const }
    // The clock was ahead when this was written; waiting until that time comes again could take years.
    if (last.at > now + LATE_MS) return writeCronRecord(ledger, name, { ...last, at: now, did: 'begun' })
    if (slot === undefined || slot <= last.at) return
    if (missed === 'skip' && now - slot > LATE_MS && planned.owed !== slot)
      return this.#skip(name, { ...last, at: slot, did: 'missed' }, 'no daemon was running to submit it')
    if (missed === 'skip' && planned.owed === undefined) await this.#passedOver(planned, last, slot)
    // From here on, this process owes the time: if the ledger cannot be written now, it tries again.
    planned.owed = slot
    await this.#deal(schedule, slot, last)
    delete planned.owed
  }

  async #deal(schedule: CronSchedule, slot: number, last: CronRecord): Promise<void> {
    const { name, overlap = 'allow' } = schedule
    const before = overlap === 'skip' ? await this.#unended(last) : undefined
    if (before !== undefined) {
      const memory = { ...last, at: slot, did: 'overlapped' as const }
      // Reported once: an operation may wait for weeks.
      if (last.did === 'overlapped') return writeCronRecord(this.#deps.ledger, name, memory)
      return this.#skip(name, memory, `${before} has not ended; all times are skipped until it has`)
    }
    try {
      await this.#submit(schedule, slot)
    } catch (error) {
      // What the queue refuses now, it would refuse again.
      if (!isQueueError(error)) throw error
      await this.#skip(name, { ...last, at: slot, did: 'refused' }, error.message)
    }
  }

  async #submit(schedule: CronSchedule, slot: number): Promise<void> {
    const { ledger, engine } = this.#deps
    const at = new Date(slot)
    const { name } = schedule
    const key = `cron ${name} ${at.toISOString()}`
    const operation = await newOperation(this.#deps, {
      ...submissionOf(schedule),
      at,
      key,
      keyRetentionMs: KEY_RETENTION_MS,
      context: { cron: name, at: at.toISOString() },
    })
    const id = await engine.schedule([operation]).then(
      ([inserted]) => inserted?.id,
      async (error: unknown) => {
        // A process with another config was faster, so this time is done anyway.
        if (!isLedgerError(error) || error.code !== 'key_conflict') throw error
        return (await ledger.find(schedule.capability, key))?.id
      },
    )
    await writeCronRecord(ledger, name, {
      at: slot,
      did: 'submitted',
      ...(id === undefined ? {} : { operation: id }),
    })
  }

  /** Writes an event for a skipped time. */
  async #skip(name: string, memory: CronRecord, reason: string): Promise<void> {
    const { ledger } = this.#deps
    const at = new Date(memory.at).toISOString()
    await ledger.transaction(writes => writes.tell('time_skipped', { schedule: name, at, reason }))
    await writeCronRecord(ledger, name, memory)
  }

  /** Of several times that passed together, the last one is submitted; an event reports the first of the others. */
  async #passedOver({ schedule: { name }, times }: Planned, last: CronRecord, slot: number): Promise<void> {
    const first = times.after(last.at)
    if (first === undefined || first >= slot) return
    const memory = { ...last, at: first, did: 'missed' as const }
    const next = new Date(slot).toISOString()
    await this.#skip(name, memory, `no daemon was running to submit it or any other time before ${next}`)
  }

  async #unended({ operation: id }: CronRecord): Promise<string | undefined> {
    const operation = id === undefined ? undefined : await this.#deps.ledger.get(id)
    return operation && !isEnded(operation) ? operation.id : undefined
  }

  async #guard(action: () => Promise<void>): Promise<void> {
    try {
      await action()
    } catch (error) {
      this.#deps.report({ about: 'queue', error })
    }
  }
}
