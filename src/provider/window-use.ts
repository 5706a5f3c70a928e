import { durationInWords } from '../verdict/duration-words.ts'
import type { Cap } from './settings.ts'

/** How much of a window is used: `near` from 80 %. */
export type Level = 'uncapped' | 'within' | 'near' | 'exhausted'

/** The part of a cap from which it is nearly used up. */
export const NEAR = 0.8

export type Unit = 'usd' | 'tokens' | 'requests' | 'share'

/** How much of a window is used. */
export interface WindowUse {
  /** `hour`, `day`, `month`, a length such as `5 h`, or what the vendor calls it. */
  window: string
  /** `share` where only the part of an unknown whole is known: then the limit is 1. */
  unit: Unit
  /** What was really used, also where a limit of the vendor filled the window. */
  used: number
  limit: number
  level: Exclude<Level, 'uncapped'>
  /** Epoch milliseconds at which it admits again or begins anew, where that is known. */
  until?: number
  /** `counted` by us, `reported` by the vendor, `filled` by a limit that a failure stated. */
  source: 'counted' | 'reported' | 'filled'
}

const RANKS: readonly Level[] = ['uncapped', 'within', 'near', 'exhausted']

/** The worst of several levels; `uncapped` of none. */
export function worst(levels: Iterable<Level>): Level {
  let rank = 0
  for (const level of levels) rank = Math.max(rank, RANKS.indexOf(level))
  return RANKS[rank] as Level
}

export function isWorse(level: Level, than: Level): boolean {
  return RANKS.indexOf(level) > RANKS.indexOf(than)
}

/** Sums of cents are not exact in binary: what is within a millionth of a cent of a limit has reached it. */
const SLACK = 1e-8

export function levelOf(used: number, limit: number): WindowUse['level'] {
  if (used >= limit - SLACK) return 'exhausted'
  return used >= limit * NEAR - SLACK ? 'near' : 'within'
}

/** What the window of a cap is called. */
export function windowName(per: Cap['per']): string {
  return typeof per === 'number' ? durationInWords(per) : per
}
