import { isKnownFailure } from '../failure/known-failure.ts'
import { returnedField } from '../failure/observe/read.ts'

/**
 * An error of an SDK that is no `Error` itself, or hides in a larger answer, kept as the object it was. The
 * classifier reads `sdkError`; no surface has to parse a message to learn what the SDK knew.
 */
export class SdkError extends Error {
  override name = 'SdkError'
  readonly code = 'SDK_ERROR'
  /** What the SDK gave, by identity. */
  readonly sdkError: unknown

  constructor(message: string, sdkError: unknown, options?: ErrorOptions) {
    super(message, options)
    this.sdkError = sdkError
  }
}

/** The places where clients put the error of an answer that they return instead of throwing, the innermost first. */
const PLACES: readonly (readonly string[])[] = [['data', 'info', 'error'], ['info', 'error'], ['error']]

/** The error object within what a try threw or returned; the whole of it where it has no such place. */
export function sdkErrorWithin(cause: unknown): unknown {
  if (cause instanceof SdkError) return cause.sdkError
  if (isKnownFailure(cause)) return sdkErrorWithin(cause.cause)
  if (cause instanceof Error) return cause
  for (const place of PLACES) {
    const found = at(cause, place)
    if (found !== undefined && found !== null) return found
  }
  return cause
}

function at(value: unknown, place: readonly string[]): unknown {
  let found = value
  for (const key of place) {
    if (typeof found !== 'object' || found === null) return undefined
    found = returnedField(found, key)
  }
  return found
}
