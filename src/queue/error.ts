import { CodedError, isCoded } from '../ledger/coded-error.ts'
import type { DeadOperation } from '../ledger/index.ts'

/** What was not possible. */
export type QueueErrorCode =
  | 'unknown_capability'
  | 'invalid_params'
  | 'invalid'
  | 'missing'
  | 'not_ended'
  | 'cannot_edit'

/** The queue was asked for something that is not possible; `code` says what, the message what would be. */
export class QueueError extends CodedError<QueueErrorCode> {
  override name = 'QueueError'
}

/** True for errors of a queue, also of another copy of this package. */
export function isQueueError(error: unknown): error is QueueError {
  return isCoded(error, 'QueueError')
}

/** The error of an id that no operation has. */
export function missing(id: string): QueueError {
  return new QueueError('missing', `there is no operation ${JSON.stringify(id)}`)
}

/** An operation that ended without success. */
export class OperationFailed extends Error {
  override name = 'OperationFailed'
  /** As it ended, with its last failure. */
  readonly operation: DeadOperation

  /** @param cause what the work threw or returned, where it ran in this process */
  constructor(operation: DeadOperation, cause?: unknown) {
    const said = operation.failure ? `${operation.failure.message}; ` : ''
    super(
      `${operation.id} of ${operation.capability}: ${said}${operation.deadAs}: ${operation.reason ?? ''}`,
      {
        cause,
      },
    )
    this.operation = operation
  }
}

/** True for an {@link OperationFailed}, also one of another copy of this package. */
export function isOperationFailed(error: unknown): error is OperationFailed {
  return error instanceof Error && error.name === 'OperationFailed' && 'operation' in error
}
