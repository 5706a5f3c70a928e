import { isCoded, MEANING, type MeaningfulError, type OwnMeaning } from '../failure/own-error.ts'

/** An invalid capability. The message says which one, what is wrong and what would be right. */
export class CapabilityError extends Error implements MeaningfulError {
  override name = 'CapabilityError'
  readonly code = 'CAPABILITY'

  get [MEANING](): OwnMeaning {
    return { kind: 'config', status: 422, code: 'invalid_params' }
  }
}

/** Parameters that a capability does not accept. The message says which, and what would be right. */
export class ParamsError extends CapabilityError {
  override get [MEANING](): OwnMeaning {
    return { kind: 'invalid_request', status: 422, code: 'invalid_params' }
  }
}

/** True for a {@link CapabilityError}, including one from another copy of this package. */
export function isCapabilityError(error: unknown): error is CapabilityError {
  return isCoded(error, 'CapabilityError')
}
