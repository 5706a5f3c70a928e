import { isCallFailed } from '../call/call-failed.ts'
import { type PassThrough, passesThrough } from '../call/pass-through.ts'

// Clients know their own abort by its reason: what they asked rejects with it, also while they read the answer.

/** True for the reason for which the client itself has aborted. */
export function isOwnAbort(error: unknown, signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true && error === signal.reason
}

/** What passes through a call unchanged: besides what the options say, the reason of an abort. */
export function passingOwnAbort(
  signal: AbortSignal | undefined,
  given: PassThrough | undefined,
): PassThrough {
  return error => isOwnAbort(error, signal) || passesThrough(error, given)
}

/** What a client is told of an error of its call. */
export function asOwnAbort(error: unknown, signal: AbortSignal | undefined): unknown {
  return isCallFailed(error) && error.failure.class === 'aborted' && signal?.aborted ? signal.reason : error
}
