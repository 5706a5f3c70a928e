/** A capability that cannot be used as it is defined: says which one, what is wrong and what would be right. */
export class CapabilityError extends Error {
  override name = 'CapabilityError'
  readonly code = 'CAPABILITY'
}

/** True for a {@link CapabilityError}, also one from another copy of this package. */
export function isCapabilityError(error: unknown): error is CapabilityError {
  return error instanceof Error && error.name === 'CapabilityError'
}
