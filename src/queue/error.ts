import {
  CodedError,
  type CodeMeanings,
  isCoded,
  MEANING,
  type MeaningfulError,
  type OwnMeaning,
} from '../failure/own-error.ts'
import type { DeadOperation } from '../ledger/operation.ts'

const MEANINGS = {
  unknown_capability: { kind: 'config', status: 422 },
  invalid_params: { kind: 'invalid_request', status: 422 },
  too_large: { kind: 'request_too_large', status: 413 },
  invalid: { kind: 'invalid_request', status: 400 },
  missing: { kind: 'not_found', status: 404 },
  not_ended: { kind: 'conflict', class: 'permanent', status: 409 },
  cannot_edit: { kind: 'conflict', class: 'permanent', status: 409 },
  may_repeat: { kind: 'conflict', class: 'permanent', status: 409 },
} as const satisfies CodeMeanings

/** Why the queue refused a request. */
export type QueueErrorCode = keyof typeof MEANINGS

/** The queue refused a request; `code` says why, the message what would be right. */
export class QueueError extends CodedError<QueueErrorCode> {
  override name = 'QueueError'

  get [MEANING](): OwnMeaning {
    return MEANINGS[this.code]
  }
}

/** Parameters that a capability does not accept. */
export class InvalidParams extends QueueError {
  /** Each starts with its place: `items[0].id: must be a string`. */
  readonly problems: readonly string[]

  constructor(capability: string, problems: readonly string[]) {
    super(
      'invalid_params',
      `the parameters are invalid for capability ${JSON.stringify(capability)}: ${problems.join('; ')}`,
    )
    this.problems = problems
  }
}

/** True for {@link InvalidParams}, even from another copy of this package. */
export function isInvalidParams(error: unknown): error is InvalidParams {
  return isQueueError(error) && error.code === 'invalid_params' && 'problems' in error
}

/** Running something again may do it twice, and nobody has accepted that: nothing was changed. */
export class MayRepeat extends QueueError {
  /** What may happen twice, and why that cannot be ruled out. */
  readonly why: string

  /** @param how how the caller accepts it */
  constructor(why: string, how = 'mayRepeat: true') {
    super('may_repeat', `${why}. Check whether it happened; to run it again all the same: ${how}`)
    this.why = why
  }
}

/** True for a {@link MayRepeat}, even from another copy of this package. */
export function isMayRepeat(error: unknown): error is MayRepeat {
  return isQueueError(error) && error.code === 'may_repeat' && 'why' in error
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
    return { kind, class: cls, effect: 'maybe', status: 409, code: 'failed' }
  }
}

/** True for an {@link OperationFailed}, even from another copy of this package. */
export function isOperationFailed(error: unknown): error is OperationFailed {
  return error instanceof Error && error.name === 'OperationFailed' && 'operation' in error
}
