import type { Time } from '../../time/time.ts'
import { LedgerError, TRANSACTION_OVER } from '../error.ts'
import type { Inserted, LedgerTransaction, Started } from '../ledger.ts'
import type { NewOperation } from '../operation.ts'
import type { Asking, Lease } from '../record/asking.ts'
import { RecordWrites } from '../record/record-writes.ts'
import { numberOf } from '../row/rows.ts'
import type { Settled } from '../settlement.ts'
import { answer } from './answer.ts'
import { Insertions } from './insertions.ts'
import { type Ending, RunEnds, type SuccessOptions } from './run-ends.ts'
import { type DueStart, Runs } from './runs.ts'
import type { Sql } from './sql.ts'

/**
 * The writes of one transaction on PostgreSQL. They return promises, and run one after the other in the order of the calls,
 * even if the work awaits none of them.
 */
export class PostgresTransaction extends RecordWrites<'later'> implements LedgerTransaction {
  /** The connection, for an engine's own tables. Await its answer before the next write. */
  readonly sql: Sql
  readonly #insertions: Insertions
  readonly #runs: Runs
  readonly #ends: RunEnds
  #last: Promise<unknown> = Promise.resolve()
  #failure: { error: unknown } | undefined
  #isOver = false

  constructor(sql: Sql, time: Time) {
    super(time)
    this.sql = sql
    this.#insertions = new Insertions(sql, time)
    this.#runs = new Runs(sql, time)
    this.#ends = new RunEnds(sql, time)
  }

  /** Waits for all writes, throws if one failed, and refuses further ones. */
  async end(): Promise<void> {
    await this.#last
    this.#isOver = true
    if (this.#failure) throw this.#failure.error
  }

  /** Call when the work failed: refuses further writes. */
  async abandon(): Promise<void> {
    this.#isOver = true
    await this.#last
  }

  insert(operations: readonly NewOperation[]): Promise<Inserted[]> {
    return this.#then(() => this.#insertions.insert(operations))
  }

  start(id: string, takeover?: { runner: string }, lease?: Lease): Promise<Started | undefined> {
    if (takeover) return this.takeOver(id, takeover.runner, lease)
    const lengthMs = lease?.lengthMs ?? null
    return this.#then(
      async () => (await this.#runs.startAll([numberOf(id) ?? 0], [lengthMs], lease?.runner))[0],
    )
  }

  /** Starts those of these operations that are scheduled, leased to one runner. */
  startAll(numbers: readonly number[], lengthsMs: readonly number[], runner: string): Promise<Started[]> {
    return this.#then(() => this.#runs.startAll(numbers, lengthsMs, runner))
  }

  /** Starts the most urgent due operations, if nothing is paused and no provider is closed. */
  startDue(start: DueStart): Promise<Started[]> {
    return this.#then(() => this.#runs.startDue(start))
  }

  /** Ends many runs, one after the other. */
  settleAll(endings: readonly Ending[]): Promise<Settled[]> {
    return this.#then(() => this.#ends.settleAll(endings))
  }

  /**
   * Ends runs that simply succeeded, each of another operation. Undefined for one that changed meanwhile. Must be the only
   * write.
   */
  succeedAll(endings: readonly Ending[], options: SuccessOptions): Promise<(Settled | undefined)[]> {
    return this.#then(() => this.#ends.succeedAll(endings, options))
  }

  protected ask<T>(questions: () => Asking<T>): Promise<T> {
    return this.#then(() => answer(this.sql, questions()))
  }

  /** Runs after all earlier writes. After a failed write nothing runs: the transaction will be rolled back. */
  #then<T>(verb: () => Promise<T>): Promise<T> {
    if (this.#isOver) throw new LedgerError('invalid', TRANSACTION_OVER)
    const done = this.#last.then(() => {
      if (this.#failure) throw this.#failure.error
      return verb()
    })
    this.#last = done.catch((error: unknown) => {
      this.#failure ??= { error }
    })
    return done
  }
}
