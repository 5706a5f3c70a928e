import type { CancelReason } from '../../../src/verdict/verdict.ts'

const WHY: Readonly<Record<CancelReason, string>> = {
  refused: 'it was refused',
  exhausted: 'no retries are left',
  expired: 'its time ran out',
  unverifiable: 'cannot be verified',
  cancelled: 'it was cancelled',
  stopped: 'it was stopped',
}

/** How an operation ended without success: `Stopped: cannot be verified`. */
export function stoppedInWords(as: string | undefined): string {
  return `Stopped: ${WHY[as as CancelReason] ?? as ?? 'it failed'}`
}
