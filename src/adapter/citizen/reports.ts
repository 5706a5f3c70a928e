import type { CitizenReport, CitizenReported } from '../../ledger/citizen.ts'
import { isLedgerError, type LedgerErrorCode } from '../../ledger/error.ts'
import type { Operation } from '../../ledger/operation.ts'
import type { QueueDeps } from '../../queue/queue-deps.ts'
import { startOf } from './standing.ts'

/** What happened to a job, to be written. */
export interface Report extends Omit<CitizenReport, 'id'> {
  /** The engine's number of the start that it is about. */
  start: number
  /** Finds the operation of the job, if it has one. */
  find(): Promise<Operation | undefined>
}

/** How long a job waits for the ledger before its worker decides alone, in milliseconds. */
const PATIENCE_MS = 5_000
/** How often to try again while the ledger cannot be reached, in milliseconds. */
const AGAIN_AFTER_MS = 2_000
/** Most reports kept while the ledger cannot be reached; of more, the newest are not kept. */
const MOST_KEPT = 10_000
/** How often a report is tried while the ledger answers. */
const MOST_REFUSALS = 5
const REFUSALS: readonly LedgerErrorCode[] = ['key_conflict', 'invalid']

/** Whether the ledger may take the same write later. */
function isPassing(error: unknown): boolean {
  return !isLedgerError(error) || !REFUSALS.includes(error.code)
}

/**
 * Writes reports to the ledger. While that cannot be reached, jobs do not wait for it: reports are kept in memory, in
 * order, and written once it is there again. Both are told once.
 */
export class Reports {
  readonly #deps: Pick<QueueDeps, 'ledger' | 'engine' | 'time'>
  readonly #tell: (problem: string) => void
  #kept: Report[] = []
  #isReachable = true
  #lost = 0
  /** How often the first of the kept reports was refused. */
  #refusals = 0
  #cancelTimer: (() => void) | undefined
  #catchingUp: Promise<void> | undefined

  constructor(deps: Pick<QueueDeps, 'ledger' | 'engine' | 'time'>, tell: (problem: string) => void) {
    this.#deps = deps
    this.#tell = tell
  }

  get isReachable(): boolean {
    return this.#isReachable
  }

  /**
   * Writes a report. `later`: it cannot be written now, so keep it. `stale`: a later start of the job is written already.
   * `succeeded`: so has the job, by another start.
   */
  async write(report: Report): Promise<CitizenReported | 'later' | 'stale' | 'succeeded'> {
    return (await this.within(() => this.#write(report))) ?? 'later'
  }

  /** Keeps a report for later. */
  keep(report: Report): void {
    if (this.#kept.length < MOST_KEPT) this.#kept.push(report)
    else this.#lost++
    this.#soon()
  }

  /** The answer of the ledger; undefined if it does not answer in time. */
  async within<T>(ask: () => Promise<T>): Promise<T | undefined> {
    if (!this.#isReachable) return undefined
    let cancel = () => {}
    try {
      return await Promise.race([
        ask(),
        new Promise<never>((_resolve, reject) => {
          cancel = this.#deps.time.after(PATIENCE_MS, () => reject(new Error('it does not answer')))
        }),
      ])
    } catch (error) {
      if (isPassing(error)) this.#unreachable(error)
      else this.#tell(`${(error as Error)?.message ?? error}`)
      return undefined
    } finally {
      cancel()
    }
  }

  /** Tries once more to write what is kept. */
  async close(): Promise<void> {
    this.#cancelTimer?.()
    await this.#catchingUp
    if (this.#kept.length > 0) await this.#catchUp()
    this.#cancelTimer?.()
  }

  async #write(report: Report): Promise<CitizenReported | 'stale' | 'succeeded'> {
    const { ledger, engine } = this.#deps
    const { find, start, ...rest } = report
    const found = await find()
    const last = found && found.attempts > 0 ? (await ledger.attempts(found.id)).at(-1) : undefined
    // Written before its answer was lost, or by a worker that went on although the engine had given its job to another.
    if (last && startOf(last) >= start) return 'stale'
    return (await engine.report({ ...rest, ...(found ? { id: found.id } : {}) })) ?? 'succeeded'
  }

  #unreachable(error: unknown): void {
    if (this.#isReachable)
      this.#tell(
        `cannot be used: ${(error as Error)?.message ?? error}; the worker decides alone, and catches up later`,
      )
    this.#isReachable = false
    this.#soon()
  }

  #soon(): void {
    this.#cancelTimer ??= this.#deps.time.after(AGAIN_AFTER_MS, () => {
      this.#catchingUp = this.#catchUp()
    })
  }

  async #catchUp(): Promise<void> {
    this.#cancelTimer = undefined
    try {
      // Shows that it answers, even if nothing was kept.
      await this.#deps.ledger.lastEvent()
      while (this.#kept.length > 0) {
        await this.#write(this.#kept[0] as Report).catch(error => {
          // One that cannot be written must not keep the others back.
          if (isPassing(error) && ++this.#refusals < MOST_REFUSALS) throw error
          this.#tell(`a try is missing: ${(error as Error)?.message ?? error}`)
        })
        this.#kept.shift()
        this.#refusals = 0
      }
      if (!this.#isReachable)
        this.#tell(`can be used again${this.#lost > 0 ? `; ${this.#lost} tries are missing` : ''}`)
      this.#isReachable = true
      this.#lost = 0
    } catch {
      this.#soon()
    }
  }
}
