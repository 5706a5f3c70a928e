import type { Time } from '../../time/time.ts'
import { LedgerError } from '../error.ts'
import type { Fence } from '../operation.ts'
import { MOST_REMEMBERED_STEPS, type RememberedStep } from '../remembered-step.ts'
import { numberOf, storedJson } from '../row/rows.ts'
import type { Sql } from './sql.ts'

interface StepRow {
  step: string
  run: number
  at: number
  value: string | null
}

/** Stores the steps of an operation's work that its next run does not repeat. */
export class RememberedSteps {
  readonly #sql: Sql
  readonly #time: Time

  constructor(sql: Sql, time: Time) {
    this.#sql = sql
    this.#time = time
  }

  async remember({ id, run }: Fence, step: string, value: unknown): Promise<boolean> {
    const operation = numberOf(id) ?? 0
    // Locked, so that two steps cannot take the same place.
    const row = await this.#sql.row(
      "SELECT 1 FROM operations WHERE id = $1 AND state = 'running' AND run = $2 FOR UPDATE",
      [operation, run],
    )
    if (!row) return false
    if (step === '') throw new LedgerError('invalid', `a step of ${id} needs a name`)
    const next = await this.#sql.row<{ place: number }>(
      'SELECT coalesce(max(place), 0) + 1 AS place FROM remembered_steps WHERE operation = $1',
      [operation],
    )
    const place = next?.place ?? 1
    if (place > MOST_REMEMBERED_STEPS)
      throw new LedgerError(
        'invalid',
        `${id} has ${MOST_REMEMBERED_STEPS} remembered steps, which is the limit`,
      )
    await this.#sql.run(
      `INSERT INTO remembered_steps (operation, step, run, at, place, value) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (operation, step) DO NOTHING`,
      [operation, step, run, this.#time.now(), place, value === undefined ? null : JSON.stringify(value)],
    )
    return true
  }

  async of(operation: string): Promise<RememberedStep[]> {
    const rows = await this.#sql.rows<StepRow>(
      'SELECT step, run, at, value FROM remembered_steps WHERE operation = $1 ORDER BY place',
      [numberOf(operation) ?? 0],
    )
    return rows.map(({ step, run, at, value }) => ({
      step,
      value: value === null ? undefined : storedJson(value),
      run,
      at,
    }))
  }
}
