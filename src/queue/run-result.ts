import type { DeadOperation, Operation, SucceededOperation } from '../ledger/index.ts'
import type { ParkReason } from '../verdict/index.ts'

/** What `run` gives. */
export type RunResult<R = unknown> = RanNow<R> | HandedOver

/** It succeeded. */
export interface RanNow<R = unknown> {
  queuedForRetry?: false
  /** What the work returned. */
  value: R
  /** Its record in the ledger. */
  operationId: string
}

/** It could not succeed now, and is run again when it can. That is not success yet. */
export interface HandedOver {
  queuedForRetry: true
  /** Its record in the ledger, to wait for. */
  operationId: string
  /** When it is tried again, epoch milliseconds; absent while it waits for a person or a runner, or runs elsewhere. */
  retryAt?: number
  /** What it waits for, if not for a time. */
  parkedFor?: ParkReason
  /** For people and agents: what that means, and how to hear of its end. */
  retryHint: string
}

/** Whether it was handed over, and not done yet. */
export function isHandedOver(result: RunResult): result is HandedOver {
  return result.queuedForRetry === true
}

/**
 * Whether something says that it was handed over, in whatever form it came here: what `run` gives, the same as JSON, or
 * a record of an older retry queue, which said `queued` too.
 */
export function isQueuedForRetry(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { queuedForRetry, queued_for_retry, queued } = value as Record<string, unknown>
  return queuedForRetry === true || queued_for_retry === true || queued === true
}

/** An operation that has not ended. */
export type PendingOperation = Exclude<Operation, SucceededOperation | DeadOperation>

/** What the caller of an operation that has not ended is told. */
export function handedOver(operation: PendingOperation): HandedOver {
  const { id } = operation
  const retryAt = operation.state === 'scheduled' ? operation.dueAt : undefined
  const parkedFor = operation.state === 'parked' ? operation.parkedFor : undefined
  return {
    queuedForRetry: true,
    operationId: id,
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(parkedFor === undefined ? {} : { parkedFor }),
    retryHint: `Not done yet: ${nextStep(operation)}. Do not start it again; wait for ${id} to succeed or to be dead.`,
  }
}

function nextStep(operation: PendingOperation): string {
  const why = operation.reason === undefined ? '' : ` (${operation.reason})`
  switch (operation.state) {
    case 'running':
      return 'it is running'
    case 'parked':
      return `it waits for ${operation.parkedFor}${why}`
    case 'scheduled': {
      const held = operation.heldBy === undefined ? '' : `, once provider ${operation.heldBy} can be used`
      return `it is run at ${new Date(operation.dueAt).toISOString()}${held}${why}`
    }
  }
}
