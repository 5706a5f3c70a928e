import { MEANING, type MeaningfulError, type OwnMeaning } from '../failure/own-error.ts'
import { CodedError, isCoded } from '../ledger/coded-error.ts'
import type { DeadOperation } from '../ledger/operation.ts'

/** Why the queue refused a request. */
export type QueueErrorCode =
  | 'unknown_capability'
  | 'invalid_params'
  | 'too_large'
  | 'invalid'
  | 'missing'
  | 'not_ended'
  | 'cannot_edit'
  | 'needs_person'
  | 'may_repeat'

const MEANINGS: Readonly<Record<QueueErrorCode, OwnMeaning>> = {
  unknown_capability: { kind: 'config' },
  invalid_params: { kind: 'invalid_request' },
  too_large: { kind: 'request_too_large' },
  invalid: { kind: 'invalid_request' },
  missing: { kind: 'not_found' },
  not_ended: { kind: 'conflict', class: 'permanent' },
  cannot_edit: { kind: 'conflict', class: 'permanent' },
  needs_person: { kind: 'forbidden' },
  may_repeat: { kind: 'conflict', class: 'permanent' },
}

/** The queue refused a request; `code` says why, the message what would be right. */
export class QueueError extends CodedError<QueueErrorCode> implements MeaningfulError {
  override name = 'QueueError'

  get [MEANING](): OwnMeaning {
    return MEANINGS[this.code]
  }
}

/** True for errors of a queue, even from another copy of this package. */
export function isQueueError(error: unknown): error is QueueError {
  return isCoded(error, 'QueueError')
}

/** The error for an unknown operation id. */
export function missing(id: string): QueueError {
  return new QueueError('missing', `there is no operation ${JSON.stringify(id)}`)
}

/** An operation that ended without success. */
export class OperationFailed extends Error implements MeaningfulError {
  override name = 'OperationFailed'
  /** The operation as it ended, with its last failure. */
  readonly operation: DeadOperation

  /** @param cause what the work threw or returned, if it ran in this process */
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

  get [MEANING](): OwnMeaning {
    const { kind, class: cls } = this.operation.failure ?? ({ kind: 'unknown', class: 'unknown' } as const)
    return { kind, class: cls, effect: 'maybe' }
  }
}

/** True for an {@link OperationFailed}, even from another copy of this package. */
export function isOperationFailed(error: unknown): error is OperationFailed {
  return error instanceof Error && error.name === 'OperationFailed' && 'operation' in error
}
