import type { CallFailed } from '../../../call/call-failed.ts'
import type { Failure } from '../../../failure/failure.ts'
import type { Era } from '../era.ts'
import type { CallParams } from './call-capability.ts'
import type { Request } from './server-side.ts'
import type { ToolPolicy } from './tool-policy.ts'

/** A call that cannot succeed now. */
export interface DeferredCall {
  message: Request
  era: Era
  capability: string
  provider: string
  call: CallParams
  failed: CallFailed
}

/** Keeps calls for later. */
export interface Deferral {
  /** Writes a call down, and gives what its client is told; undefined if it cannot be kept. Never rejects. */
  defer(call: DeferredCall): Promise<Buffer | undefined>
}

/** Whether there is a point in waiting, and a later try would do no harm. */
export function mayBeDeferred({ class: cls, kind, effect }: Failure, { retry }: ToolPolicy): boolean {
  const passes = (cls === 'throttle' && kind !== 'billing') || cls === 'transient' || cls === 'timeout'
  return passes && (effect === 'none' || retry !== 'none')
}
