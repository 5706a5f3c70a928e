import { STOPPED } from '../../../src/verdict/stop-words.ts'
import type { CancelReason } from '../../../src/verdict/verdict.ts'

/** How an operation ended without success: `Stopped: cannot be verified`. */
export function stoppedInWords(as: string | undefined): string {
  return `Stopped: ${STOPPED[as as CancelReason] ?? as ?? 'it failed'}`
}
