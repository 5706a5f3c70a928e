import { CronPlan } from './cron-plan.ts'
import type { CronSchedule } from './cron-schedule.ts'
import { QueueError } from './error.ts'
import type { QueueDeps } from './queue-deps.ts'

/** The wall clock is read at least this often, in milliseconds: it may jump. */
const LONGEST_WAIT_MS = 60_000

/**
 * Submits operations at their times. Each time is a key, so several processes submit it only once. The ledger remembers the last
 * time, so a restart knows what it missed; a time that comes while a process lives is not missed, however late its timer fires.
 */
export class CronSubmitter {
  readonly #deps: QueueDeps
  readonly #plans: readonly CronPlan[]
  readonly #stop = new AbortController()
  #cancelTimer: (() => void) | undefined
  #looking: Promise<void> = Promise.resolve()

  /** Throws a {@link QueueError} for an invalid cron expression, a missing capability, and a duplicate name. */
  constructor(deps: QueueDeps, schedules: readonly CronSchedule[]) {
    this.#deps = deps
    this.#plans = schedules.map(schedule => new CronPlan(deps, schedule))
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
    if (this.#plans.length === 0 || this.#stop.signal.aborted) return
    this.#look()
    await this.#looking
  }

  /** Waits for submissions in progress. */
  async stop(): Promise<void> {
    this.#stop.abort()
    this.#cancelTimer?.()
    await this.#looking
  }

  #look(): void {
    const now = this.#deps.time.now()
    this.#looking = this.#lookAtAll(now).finally(() => this.#arm(now))
  }

  async #lookAtAll(now: number): Promise<void> {
    for (const plan of this.#plans)
      try {
        await plan.look(now, this.#stop.signal)
      } catch (error) {
        this.#deps.report({ about: 'queue', error })
      }
  }

  /** Waits for the first time after the one looked at: counted from a later one, a time in between would be passed over. */
  #arm(lookedAt: number): void {
    if (this.#stop.signal.aborted) return
    const { time } = this.#deps
    const next = Math.min(...this.#plans.map(plan => plan.nextAfter(lookedAt)))
    const wait = Math.min(LONGEST_WAIT_MS, next - time.now())
    this.#cancelTimer = time.after(Math.max(wait, 0), () => this.#look())
  }
}
