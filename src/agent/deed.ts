import type { Deed } from '../failure/failure.ts'

export const DEEDS: readonly (Deed | undefined)[] = [undefined, 'said', 'read', 'acted']

/** The deed that did more. */
export function moreDone(a: Deed | undefined, b: Deed | undefined): Deed | undefined {
  return DEEDS.indexOf(a) >= DEEDS.indexOf(b) ? a : b
}
