import type { Time } from '../../time/time.ts'
import { LedgerError } from '../error.ts'
import type { Fence } from '../operation.ts'
import { MOST_REMEMBERED_STEPS, type RememberedStep } from '../remembered-step.ts'
import { numberOf, storedJson } from '../row/rows.ts'
import type { Statements } from './statements.ts'

interface StepRow {
  step: string
  run: number
  at: number
  value: string | null
}

/** Stores parts of an operation's work that its next run does not repeat. */
export class RememberedSteps {
  readonly #statements: Statements
  readonly #time: Time

  constructor(statements: Statements, time: Time) {
    this.#statements = statements
    this.#time = time
  }

  remember({ id, run }: Fence, step: string, value: unknown): boolean {
    const operation = numberOf(id) ?? 0
    const row = this.#statements
      .of("SELECT 1 FROM operations WHERE id = ? AND state = 'running' AND run = ?")
      .get(operation, run)
    if (!row) return false
    if (step === '') throw new LedgerError('invalid', `a step of ${id} needs a name`)
    const { place } = this.#statements
      .of('SELECT coalesce(max(place), 0) + 1 AS place FROM remembered_steps WHERE operation = ?')
      .get(operation) as { place: number }
    if (place > MOST_REMEMBERED_STEPS)
      throw new LedgerError(
        'invalid',
        `${id} has ${MOST_REMEMBERED_STEPS} remembered steps, which is the maximum`,
      )
    this.#statements
      .of(
        'INSERT OR IGNORE INTO remembered_steps (operation, step, run, at, place, value) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run(operation, step, run, this.#time.now(), place, value === undefined ? null : JSON.stringify(value))
    return true
  }

  of(operation: string): RememberedStep[] {
    const rows = this.#statements
      .of('SELECT step, run, at, value FROM remembered_steps WHERE operation = ? ORDER BY place')
      .all(numberOf(operation) ?? 0) as unknown as StepRow[]
    return rows.map(({ step, run, at, value }) => ({
      step,
      value: value === null ? undefined : storedJson(value),
      run,
      at,
    }))
  }
}
