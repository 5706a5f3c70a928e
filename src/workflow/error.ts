import { CodedError, type CodeMeanings, isCoded, MEANING, type OwnMeaning } from '../failure/own-error.ts'

const MEANINGS = {
  invalid: { kind: 'config', status: 400 },
  invalid_params: { kind: 'invalid_request', status: 422 },
  invalid_result: { kind: 'invalid_request', status: 422 },
  unknown_workflow: { kind: 'config', status: 404 },
  unknown_step: { kind: 'not_found', status: 404 },
  missing: { kind: 'not_found', status: 404 },
  ended: { kind: 'conflict', class: 'permanent', status: 409 },
  not_ended: { kind: 'conflict', class: 'permanent', status: 409 },
  wrong_state: { kind: 'conflict', class: 'permanent', status: 409 },
  conflict: { kind: 'conflict', status: 409 },
} as const satisfies CodeMeanings

/** Why a workflow, or a request about one, was refused. */
export type WorkflowErrorCode = keyof typeof MEANINGS

/** A workflow, or a request about one, was refused. `code` says why; the message says what to do instead. */
export class WorkflowError extends CodedError<WorkflowErrorCode> {
  override name = 'WorkflowError'

  get [MEANING](): OwnMeaning {
    return MEANINGS[this.code]
  }
}

/** True for a {@link WorkflowError}, even from another copy of this package. */
export function isWorkflowError(error: unknown): error is WorkflowError {
  return isCoded(error, 'WorkflowError')
}
