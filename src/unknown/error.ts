/** Why nothing was taught: `not_found`, no such unknown or label; `invalid`, the label says what cannot be; `flips`, it would make right classifications wrong. */
export type UnknownErrorCode = 'not_found' | 'invalid' | 'flips'

/** Nothing was taught; the message says why, and what would help. */
export class UnknownError extends Error {
  override name = 'UnknownError'
  readonly code: UnknownErrorCode

  constructor(code: UnknownErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Whether an error is an {@link UnknownError}, also of another copy of this package. */
export function isUnknownError(error: unknown): error is UnknownError {
  return error instanceof Error && error.name === 'UnknownError'
}
