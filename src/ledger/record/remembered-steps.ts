import { LedgerError } from '../error.ts'
import type { Fence } from '../operation.ts'
import { MOST_REMEMBERED_STEPS, type RememberedStep } from '../remembered-step.ts'
import { numberOf, storedJson } from '../row/rows.ts'
import { type Asking, row, rows } from './asking.ts'

interface StepRow {
  step: string
  run: number
  at: number
  value: string | null
}

/** Stores a part of an operation's work that its next run does not repeat. */
export function* rememberStep(
  { id, run }: Fence,
  step: string,
  value: unknown,
  now: number,
): Asking<boolean> {
  const operation = numberOf(id) ?? 0
  // Locked, so that two steps cannot take the same place.
  const running = "SELECT 1 FROM operations WHERE id = $1 AND state = 'running' AND run = $2 FOR UPDATE"
  if (!(yield* row(running, operation, run))) return false
  if (step === '') throw new LedgerError('invalid', `a step of ${id} needs a name`)
  const last = yield* row<{ place: number | null }>(
    'SELECT max(place) AS place FROM remembered_steps WHERE operation = $1',
    operation,
  )
  const place = (last?.place ?? 0) + 1
  if (place > MOST_REMEMBERED_STEPS)
    throw new LedgerError(
      'invalid',
      `${id} has ${MOST_REMEMBERED_STEPS} remembered steps, which is the maximum`,
    )
  yield* row(
    `INSERT INTO remembered_steps (operation, step, run, at, place, value) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (operation, step) DO NOTHING`,
    operation,
    step,
    run,
    now,
    place,
    value === undefined ? null : JSON.stringify(value),
  )
  return true
}

export function* rememberedSteps(operation: string): Asking<RememberedStep[]> {
  const found = yield* rows<StepRow>(
    'SELECT step, run, at, value FROM remembered_steps WHERE operation = $1 ORDER BY place',
    numberOf(operation) ?? 0,
  )
  return found.map(({ step, run, at, value }) => ({
    step,
    value: value === null ? undefined : storedJson(value),
    run,
    at,
  }))
}
