import type { CronTimes } from '../config/cron.ts'
import { present } from '../failure/present.ts'
import { isLedgerError } from '../ledger/error.ts'
import { isEnded } from '../ledger/operation.ts'
import { type CronRecord, readCronRecord, writeCronRecord } from './cron-record.ts'
import { type CronSchedule, submissionOf, timesOf } from './cron-schedule.ts'
import { isQueueError } from './error.ts'
import type { QueueDeps } from './queue-deps.ts'
import { schedulePause } from './schedule-pause.ts'
import { newOperation } from './submission.ts'

/** A time that passed longer ago than this before this process began is missed, in milliseconds. */
const LATE_MS = 60_000
/** After a longer sleep of the machine, only the last time and those of this span are made up for, in milliseconds. */
const CATCH_UP_MS = 3_600_000
/** How long the key of a time is stored after its operation ended, in milliseconds; the ledger remembers the last one anyway. */
const KEY_RETENTION_MS = 86_400_000

/** The times of one schedule, as one process goes through them: each is dealt with once, in order. */
export class CronPlan {
  readonly #deps: QueueDeps
  readonly #schedule: CronSchedule
  readonly #times: CronTimes
  /** Since when this process handles it, epoch milliseconds. */
  #since: number | undefined
  /** All times up to this one are dealt with; undefined until those before `since` are. In memory, so other processes cannot move it. */
  #dealtTo: number | undefined
  /** Why times before `since` were missed. */
  #missedBecause = 'no daemon was running to submit it'

  constructor(deps: QueueDeps, schedule: CronSchedule) {
    this.#deps = deps
    this.#schedule = schedule
    this.#times = timesOf(schedule)
  }

  /** Its first time after this one; Infinity if there is none. */
  nextAfter(at: number): number {
    return this.#schedule.enabled === false ? Infinity : (this.#times.after(at) ?? Infinity)
  }

  /** Deals with all times up to `now`. If the ledger cannot be written, the next look continues where this one stopped. */
  async look(now: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    if (await this.#isPaused()) return
    this.#since ??= now
    if (this.#dealtTo === undefined) {
      await this.#begin(this.#since)
      this.#dealtTo = this.#since
    }
    // The clock was ahead; waiting until that time comes again could take years.
    if (this.#dealtTo > now + LATE_MS) {
      await this.#goBack(now)
      this.#dealtTo = now
    }
    await this.#passOver(now)
    for (
      let at = this.nextAfter(this.#dealtTo);
      at <= now && !signal.aborted;
      at = this.nextAfter(this.#dealtTo)
    ) {
      await this.#deal(at)
      this.#dealtTo = at
    }
  }

  /** While it is paused its times pass. On resume it begins anew, so they are missed like those that no process saw. */
  async #isPaused(): Promise<boolean> {
    const { name, enabled = true } = this.#schedule
    if (!enabled || !(await schedulePause(this.#deps.ledger, name))) return false
    this.#since = undefined
    this.#dealtTo = undefined
    this.#missedBecause = 'it was paused'
    return true
  }

  /** A schedule that is new or was off has missed nothing. */
  async #begin(since: number): Promise<void> {
    const { name, enabled = true } = this.#schedule
    const last = await this.#last()
    if (!enabled || !last || last.did === 'off')
      return writeCronRecord(this.#deps.ledger, name, {
        ...last,
        at: since,
        did: enabled ? 'begun' : 'off',
      })
    if (last.at > since + LATE_MS) return this.#goBack(since)
    await this.#makeUp(last, since)
  }

  /** Times that passed before this process began. If there are several, only the last one counts. */
  async #makeUp(last: CronRecord, since: number): Promise<void> {
    const { missed = 'skip' } = this.#schedule
    const slot = this.#times.upTo(since)
    if (slot === undefined || slot <= last.at) return
    if (missed === 'skip' && since - slot > LATE_MS)
      return this.#skip(slot, last, 'missed', this.#missedBecause)
    await this.#deal(slot)
    const first = this.nextAfter(last.at)
    if (missed === 'skip' && first < slot)
      await this.#tell(first, `${this.#missedBecause}; the same for any other time before ${isoOf(slot)}`)
  }

  /** After a long sleep, only the last time and those of the last hour are submitted; an event reports the first of the others. */
  async #passOver(now: number): Promise<void> {
    const first = this.nextAfter(this.#dealtTo as number)
    if (now - first <= CATCH_UP_MS) return
    const recent = this.nextAfter(now - CATCH_UP_MS)
    const from = recent <= now ? recent : (this.#times.upTo(now) ?? now)
    if (from <= first) return
    await this.#tell(
      first,
      `the machine slept, its clock jumped or the ledger could not be written: it and any other time before ${isoOf(from)} passed over an hour ago`,
    )
    this.#dealtTo = from - 1
  }

  async #goBack(now: number): Promise<void> {
    const last = await this.#last()
    if (last && last.at > now + LATE_MS)
      await writeCronRecord(this.#deps.ledger, this.#schedule.name, { ...last, at: now, did: 'begun' })
  }

  async #deal(at: number): Promise<void> {
    const { ledger } = this.#deps
    const { capability, overlap = 'allow' } = this.#schedule
    const last = await this.#last()
    if (last?.at === at && HANDLED.has(last.did)) return
    const submitted = await ledger.find(capability, this.#keyOf(at))
    if (submitted) return this.#remember(last, { at, did: 'submitted', operation: submitted.id })
    const before = overlap === 'skip' ? await this.#unended(last) : undefined
    if (before !== undefined) {
      // Reported once: an operation may wait for weeks.
      if (last?.did === 'overlapped') return this.#remember(last, { ...last, at })
      const reason = `${before} has not ended; all times are skipped until it has`
      return this.#skip(at, last, 'overlapped', reason)
    }
    try {
      const id = await this.#submit(at)
      await this.#remember(last, { at, did: 'submitted', ...present({ operation: id }) })
    } catch (error) {
      // What the queue refuses now, it would refuse again.
      if (!isQueueError(error)) throw error
      await this.#skip(at, last, 'refused', error.message)
    }
  }

  async #submit(slot: number): Promise<string | undefined> {
    const { ledger, engine } = this.#deps
    const { name, capability } = this.#schedule
    const key = this.#keyOf(slot)
    const operation = await newOperation(this.#deps, {
      ...submissionOf(this.#schedule),
      at: new Date(slot),
      key,
      keyRetentionMs: KEY_RETENTION_MS,
      context: { cron: name, at: isoOf(slot) },
    })
    try {
      const [inserted] = await engine.schedule([operation])
      return inserted?.id
    } catch (error) {
      // A process with another config was faster, so this time is done anyway.
      if (!isLedgerError(error) || error.code !== 'key_conflict') throw error
      return (await ledger.find(capability, key))?.id
    }
  }

  /** Writes an event for a skipped time, and remembers it. */
  async #skip(
    at: number,
    last: CronRecord | undefined,
    did: CronRecord['did'],
    reason: string,
  ): Promise<void> {
    await this.#tell(at, reason)
    await this.#remember(last, { ...last, at, did })
  }

  #tell(at: number, reason: string): Promise<unknown> {
    const data = { schedule: this.#schedule.name, at: isoOf(at), reason }
    return this.#deps.ledger.transaction(writes => writes.tell('time_skipped', data))
  }

  /** Another process may be ahead of this one. */
  async #remember(last: CronRecord | undefined, record: CronRecord): Promise<void> {
    if (last === undefined || record.at >= last.at)
      await writeCronRecord(this.#deps.ledger, this.#schedule.name, record)
  }

  #last(): Promise<CronRecord | undefined> {
    return readCronRecord(this.#deps.ledger, this.#schedule.name)
  }

  #keyOf(slot: number): string {
    return `cron ${this.#schedule.name} ${isoOf(slot)}`
  }

  async #unended(last: CronRecord | undefined): Promise<string | undefined> {
    const operation = last?.operation === undefined ? undefined : await this.#deps.ledger.get(last.operation)
    return operation && !isEnded(operation) ? operation.id : undefined
  }
}

/** What settles a time, whichever process did it. `missed` does not: a process that lived at that time still owes it. */
const HANDLED: ReadonlySet<CronRecord['did']> = new Set(['submitted', 'overlapped', 'refused'])

function isoOf(at: number): string {
  return new Date(at).toISOString()
}
