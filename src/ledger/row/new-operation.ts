import { createHash } from 'node:crypto'
import { LedgerError } from '../error.ts'
import { type NewOperation, PRIORITY_LIMIT } from '../operation.ts'
import { checkTrace } from '../trace.ts'

/** Refuses an operation that could not be run or found. */
export function checkOperation({
  capability,
  priority = 0,
  dueAt = 0,
  key,
  maxRetries,
  retryForMs,
  trace,
}: NewOperation): void {
  if (capability === '') throw new LedgerError('invalid', 'an operation needs the name of its capability')
  if (!Number.isInteger(priority) || Math.abs(priority) > PRIORITY_LIMIT)
    throw new LedgerError(
      'invalid',
      `priority ${priority} of ${capability}: give an integer from -${PRIORITY_LIMIT} to ${PRIORITY_LIMIT}`,
    )
  if (!Number.isSafeInteger(dueAt))
    throw new LedgerError('invalid', `dueAt ${dueAt} of ${capability}: give whole epoch milliseconds`)
  if (maxRetries !== undefined && !(Number.isSafeInteger(maxRetries) && maxRetries >= 0))
    throw new LedgerError(
      'invalid',
      `maxRetries ${maxRetries} of ${capability}: give a whole number, 0 or more`,
    )
  if (retryForMs !== undefined && !(Number.isSafeInteger(retryForMs) && retryForMs > 0))
    throw new LedgerError(
      'invalid',
      `retryForMs ${retryForMs} of ${capability}: give whole milliseconds above 0`,
    )
  if (trace !== undefined) checkTrace(trace)
  if (key === '') throw new LedgerError('invalid', `the key of an operation of ${capability} is empty`)
}

/** A hash of JSON in which the order of an object's fields does not matter. */
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
