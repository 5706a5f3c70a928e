import { returnedField } from '../failure/observe/read.ts'
import { isKnownFailure } from '../failure/own-error.ts'

/**
 * An SDK's error that is not an `Error`, or is part of a larger answer, kept as the original object. The classifier reads
 * `sdkError`, so nothing has to parse a message.
 */
export class SdkError extends Error {
  override name = 'SdkError'
  readonly code = 'SDK_ERROR'
  /** The SDK's own object, by identity. */
  readonly sdkError: unknown

  constructor(message: string, sdkError: unknown, options?: ErrorOptions) {
    super(message, options)
    this.sdkError = sdkError
  }
}

/** Where clients put the error of an answer that they return instead of throwing, innermost first. */
const PLACES: readonly (readonly string[])[] = [['data', 'info', 'error'], ['info', 'error'], ['error']]

/** The error object within what a try threw or returned; the whole value if it has no such place. */
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
