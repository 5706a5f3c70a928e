import { matchesOf } from '../text/matches.ts'

/** Units of time as vendors spell them, in the languages that vendors answer in. */
const UNITS: readonly (readonly [number, string])[] = [
  [1, 'ms|msecs?|millis|milliseconds?'],
  [1_000, 's|secs?|seconds?|secondes?|sekunden?|segundos?'],
  [60_000, 'm|mins?|minutes?|minuten?|minutos?'],
  [3_600_000, 'h|hrs?|hours?|heures?|stunden?|horas?'],
  [86_400_000, 'd|days?|jours?|tagen?|días?|dias?'],
  [604_800_000, 'w|weeks?'],
]
const UNIT = UNITS.map(([, names]) => names).join('|')
/** Digits, also in groups of three, or the words for one and a half. */
const AMOUNT = String.raw`(?:\d{1,3}(?:,\d{3}){1,3}|\d{1,9}(?:\.\d{1,9})?|half an?|an?(?= )|one(?= ))`
const PART = new RegExp(String.raw`(${AMOUNT})\s?(${UNIT})(?![a-z])`, 'gi')

/** A run of amounts with units, for use inside larger patterns: `2h 5m`, `3 hours and 2 minutes`, `~30s`. */
export const DURATION_SOURCE = String.raw`(?:~|about |approximately |around )?${AMOUNT}\s?(?:${UNIT})(?![a-z])(?:(?:,|\s|\s(?:and|et|und|y|e)\s)*${AMOUNT}\s?(?:${UNIT})(?![a-z]))*`

/**
 * A length of time as vendors write it (`18.642s`, `6m0s`, `161h39m41.3s`, `3 hours 2 minutes`, `~30s`), in
 * milliseconds; undefined if the text is none. A bare number counts as seconds only where `bare` allows it.
 */
export function parseDuration(text: string, { bare = false } = {}): number | undefined {
  const source = text.trim().replace(/^(?:~|about |approximately |around )/i, '')
  if (bare && /^\d{1,9}(?:\.\d{1,9})?$/.test(source)) return Number(source) * 1_000
  let total = 0
  let found = false
  for (const [, amount, unit] of matchesOf(PART, source)) {
    total += amountOf(amount as string) * msOf(unit as string)
    found = true
  }
  return found ? total : undefined
}

function amountOf(amount: string): number {
  if (/^half/i.test(amount)) return 0.5
  return /^[ao]/i.test(amount) ? 1 : Number(amount.replaceAll(',', ''))
}

const MS_BY_UNIT = new Map<string, number>()

function msOf(unit: string): number {
  const name = unit.toLowerCase()
  const known = MS_BY_UNIT.get(name)
  if (known !== undefined) return known
  const ms = UNITS.find(([, names]) => new RegExp(`^(?:${names})$`, 'i').test(name))?.[0] as number
  MS_BY_UNIT.set(name, ms)
  return ms
}

const CJK_UNITS: Record<string, number> = {
  秒: 1_000,
  分钟: 60_000,
  分: 60_000,
  小时: 3_600_000,
  時間: 3_600_000,
  天: 86_400_000,
}

/** "30 秒后", "30分後": so many seconds or minutes from now. */
export function parseCjkDuration(text: string): number | undefined {
  const match = /(\d{1,6}) ?(秒|分钟|分|小时|時間|天)(?:钟)?(?:后|後|之后|以后)/.exec(text)
  return match ? Number(match[1]) * (CJK_UNITS[match[2] as string] as number) : undefined
}
