import { createHash } from 'node:crypto'
import { LedgerError } from '../error.ts'
import type { Inserted } from '../ledger.ts'
import { KEY_RETENTION_DEFAULT_MS, type NewOperation, PRIORITY_LIMIT } from '../operation.ts'
import { checkTrace } from '../trace.ts'
import { poolKey } from './pool-key.ts'
import { toId } from './rows.ts'

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
  return createHash('sha256').update(canonicalJson(value)).digest('hex')
}

/** JSON that is the same for the same fields in any order. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value ?? null, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

/** Columns of a new operation that its submitter decides, in the order of {@link newOperationValues}. */
export const NEW_COLUMNS = `capability, params, provider, rank, due_at, key, key_retention_ms, session, source, context,
  max_retries, retry_for_ms, trace`

/** The values of {@link NEW_COLUMNS}. */
export function newOperationValues(operation: NewOperation, now: number): (string | number | null)[] {
  const { capability, providers = [], priority = 0, key } = operation
  return [
    capability,
    operation.paramsText ?? JSON.stringify(operation.params ?? null),
    poolKey(providers),
    0 - priority,
    operation.dueAt ?? now,
    key ?? null,
    key === undefined ? null : (operation.keyRetentionMs ?? KEY_RETENTION_DEFAULT_MS),
    operation.session ?? null,
    operation.source ?? 'submit',
    operation.context === undefined ? null : JSON.stringify(operation.context),
    operation.maxRetries ?? null,
    operation.retryForMs ?? null,
    operation.trace === undefined ? null : JSON.stringify(operation.trace),
  ]
}

/** A key, and the operation that it belongs to; `state` is null if that is gone. */
export interface KeyRow {
  capability: string
  key: string
  operation: number
  params_hash: string
  state: string | null
  due_at: number | null
  ended_at: number | null
  key_retention_ms: number
}

/**
 * The operation that a key belongs to, unless its retention is over. Throws if it has other parameters.
 * @param name what the message calls it. Default its id
 */
export function standing(
  row: KeyRow,
  hash: string,
  now: number,
  name = toId(row.operation),
): Inserted | undefined {
  if (row.state === null) return undefined
  if (row.ended_at !== null && row.ended_at + row.key_retention_ms < now) return undefined
  if (row.params_hash !== hash) throw keyConflict(row.capability, row.key, name)
  return { id: toId(row.operation), created: false, dueAt: row.due_at as number }
}

/** What a message calls an operation that is only being stored: with the error, it gets no id. */
export const SUBMITTED_WITH_IT = 'one submitted with it'

/** The error for a key that belongs to something else. */
export function keyConflict(capability: string, key: string, other: string): LedgerError {
  return new LedgerError(
    'key_conflict',
    `the key ${JSON.stringify(key)} of ${capability} belongs to ${other}, which has other parameters`,
  )
}
