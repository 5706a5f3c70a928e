import { MEANING, type MeaningfulError, type OwnMeaning } from '../failure/own-error.ts'
import { CodedError, isCoded } from '../ledger/coded-error.ts'

/** Why a workflow, or a request about one, was refused. */
export type WorkflowErrorCode =
  | 'invalid'
  | 'invalid_params'
  | 'invalid_result'
  | 'unknown_workflow'
  | 'unknown_step'
  | 'missing'
  | 'ended'
  | 'not_ended'
  | 'wrong_state'
  | 'conflict'

const MEANINGS: Readonly<Record<WorkflowErrorCode, OwnMeaning>> = {
  invalid: { kind: 'config' },
  invalid_params: { kind: 'invalid_request' },
  invalid_result: { kind: 'invalid_request' },
  unknown_workflow: { kind: 'config' },
  unknown_step: { kind: 'not_found' },
  missing: { kind: 'not_found' },
  ended: { kind: 'conflict', class: 'permanent' },
  not_ended: { kind: 'conflict', class: 'permanent' },
  wrong_state: { kind: 'conflict', class: 'permanent' },
  conflict: { kind: 'conflict' },
}

/** A workflow, or a request about one, was refused. `code` says why; the message says what to do instead. */
export class WorkflowError extends CodedError<WorkflowErrorCode> implements MeaningfulError {
  override name = 'WorkflowError'

  get [MEANING](): OwnMeaning {
    return MEANINGS[this.code]
  }
}

/** True for a {@link WorkflowError}, even from another copy of this package. */
export function isWorkflowError(error: unknown): error is WorkflowError {
  return isCoded(error, 'WorkflowError')
}
