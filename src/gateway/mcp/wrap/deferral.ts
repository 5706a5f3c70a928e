import type { CallFailed } from '../../../call/call-failed.ts'
import { type Failure, isRetryable } from '../../../failure/failure.ts'
import type { Era } from '../era.ts'
import type { CallParams } from './call-capability.ts'
import type { ToolPolicy } from './tool-policy.ts'
import type { Request } from './translate.ts'

/** A call that cannot succeed now. */
export interface DeferredCall {
  message: Request
  era: Era
  capability: string
  provider: string
  call: CallParams
  failed: CallFailed
}

/** Stores calls for later. */
export interface Deferral {
  /**
   * Stores a call, and returns the answer for its client; undefined if it cannot be stored. Never rejects.
   * @param signal aborts if the client gives the call up: then it is not run later either
   */
  defer(call: DeferredCall, signal: AbortSignal): Promise<Buffer | undefined>
}

/** Whether waiting makes sense and a later try would be safe. */
export function mayBeDeferred(failure: Failure, { retry }: ToolPolicy): boolean {
  return isRetryable(failure) && (failure.effect === 'none' || retry !== 'none')
}
