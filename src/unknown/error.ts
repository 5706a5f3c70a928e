/** Why a label was refused: `not_found`: no such unknown or label; `invalid`: the label contradicts itself; `flips`: it would make right classifications wrong; `too_long`: its backtest takes too long or too much memory. */
export type UnknownErrorCode = 'not_found' | 'invalid' | 'flips' | 'too_long'

/** A label was refused; the message says why and how to fix it. */
export class UnknownError extends Error {
  override name = 'UnknownError'
  readonly code: UnknownErrorCode

  constructor(code: UnknownErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Whether an error is an {@link UnknownError}, even one from another copy of this package. */
export function isUnknownError(error: unknown): error is UnknownError {
  return error instanceof Error && error.name === 'UnknownError'
}
