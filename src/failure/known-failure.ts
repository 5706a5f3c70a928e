import type { Failure } from './failure.ts'
import { MEANING, type MeaningfulError, meaningOf, type OwnMeaning } from './own-error.ts'

/**
 * Thrown by work, or by a probe, that classified its failure where all the evidence was. The failure is used
 * unchanged.
 */
export class KnownFailure extends Error implements MeaningfulError {
  override name = 'KnownFailure'
  readonly code = 'KNOWN_FAILURE'
  readonly failure: Failure

  /** @param cause what the failure was classified from */
  constructor(failure: Failure, cause?: unknown) {
    super(failure.message, { cause })
    this.failure = failure
  }

  get [MEANING](): OwnMeaning {
    return meaningOf(this.failure)
  }
}

/** True for a {@link KnownFailure}, including one from another copy of this package. */
export function isKnownFailure(error: unknown): error is KnownFailure {
  try {
    return (
      error instanceof Error && (error as { code?: unknown }).code === 'KNOWN_FAILURE' && 'failure' in error
    )
  } catch {
    // Work may throw a value that cannot be inspected.
    return false
  }
}
