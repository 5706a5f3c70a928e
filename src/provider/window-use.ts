import { durationInWords } from '../verdict/duration-words.ts'
import type { Cap } from './settings.ts'

/** How full a window is: `near` from 80 %. */
export type Level = 'uncapped' | 'within' | 'near' | 'exhausted'

/** The share of a cap from which it counts as nearly used up. */
export const NEAR = 0.8

export type Unit = 'usd' | 'tokens' | 'requests' | 'share'

/** How much of a window is used. */
export interface WindowUse {
  /** `hour`, `day`, `month`, a duration such as `5 h`, or the vendor's name for it. */
  window: string
  /** `share` if only the used share is known: then the limit is 1. */
  unit: Unit
  /** What was really used, even if a vendor's limit filled the window. */
  used: number
  limit: number
  level: Exclude<Level, 'uncapped'>
  /** When it admits again or starts over, in epoch milliseconds, if known. */
  until?: number
  /** `counted` by us, `reported` by the vendor, or `filled` by a limit that a failure stated. */
  source: 'counted' | 'reported' | 'filled'
}

const RANKS: readonly Level[] = ['uncapped', 'within', 'near', 'exhausted']

/** The worst of several levels; `uncapped` if there are none. */
export function worst(levels: Iterable<Level>): Level {
  let rank = 0
  for (const level of levels) rank = Math.max(rank, RANKS.indexOf(level))
  return RANKS[rank] as Level
}

export function isWorse(level: Level, than: Level): boolean {
  return RANKS.indexOf(level) > RANKS.indexOf(than)
}

/** Sums of cents are not exact in binary: a sum within a millionth of a cent of a limit has reached it. */
const SLACK = 1e-8

export function levelOf(used: number, limit: number): WindowUse['level'] {
  if (used >= limit - SLACK) return 'exhausted'
  return used >= limit * NEAR - SLACK ? 'near' : 'within'
}

/** The name of a cap's window. */
export function windowName(per: Cap['per']): string {
  return typeof per === 'number' ? durationInWords(per) : per
}
