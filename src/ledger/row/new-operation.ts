import { createHash } from 'node:crypto'
import { LedgerError } from '../error.ts'
import { type NewOperation, PRIORITY_LIMIT } from '../operation.ts'
import { checkTrace } from '../trace.ts'

const KEY_OF_STEP = /^wf_\d+\//

/** Refuses an operation that could not be run or found. */
export function checkOperation({
  capability,
  priority = 0,
  dueAt = 0,
  key,
  maxRetries,
  retryForMs,
  trace,
  source,
}: NewOperation): void {
  if (capability === '') throw new LedgerError('invalid', 'an operation needs the name of its capability')
  if (!Number.isInteger(priority) || Math.abs(priority) > PRIORITY_LIMIT)
    throw new LedgerError(
      'invalid',
      `${capability}: priority must be an integer from -${PRIORITY_LIMIT} to ${PRIORITY_LIMIT}, not ${priority}`,
    )
  if (!Number.isSafeInteger(dueAt))
    throw new LedgerError(
      'invalid',
      `${capability}: dueAt must be an integer (epoch milliseconds), not ${dueAt}`,
    )
  if (maxRetries !== undefined && !(Number.isSafeInteger(maxRetries) && maxRetries >= 0))
    throw new LedgerError(
      'invalid',
      `${capability}: maxRetries must be an integer of at least 0, not ${maxRetries}`,
    )
  if (retryForMs !== undefined && !(Number.isSafeInteger(retryForMs) && retryForMs > 0))
    throw new LedgerError(
      'invalid',
      `${capability}: retryForMs must be an integer above 0, not ${retryForMs}`,
    )
  if (trace !== undefined) checkTrace(trace)
  // A step would take this operation for its own, or never begin.
  if (key !== undefined && source !== 'workflow' && KEY_OF_STEP.test(key))
    throw new LedgerError(
      'invalid',
      `${capability}: the key ${JSON.stringify(key)} is reserved for workflow steps, like all that begin with "wf_", a number and "/"; choose another`,
    )
  if (key === '') throw new LedgerError('invalid', `${capability}: the key of an operation must not be empty`)
}

/** A hash of JSON that ignores the order of an object's fields. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex')
}

function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
