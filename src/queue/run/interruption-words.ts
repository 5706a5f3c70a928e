import type { Interruption } from '../../engine/claim-loop.ts'

/** Why a run was interrupted, in words. */
export const INTERRUPTION_WORDS: Readonly<Record<Interruption, string>> = {
  lost: 'another runner has taken it over',
  stop: 'its runner stopped',
  cancel: 'it was cancelled while running',
}
