import { matchesOf } from '../text/matches.ts'

/**
 * Durations as programs print them: .NET time spans (`22.14:18:12`, `00:04:12.5`), Python's (`1 day, 2:03:04`), ISO 8601
 * (`PT1H30M`, `P1D`).
 */
const SPAN = String.raw`(?:\d{1,3}\.|\d{1,3} days?, )?\d{1,3}:\d\d:\d\d(?:\.\d{1,9})?`
const ISO = String.raw`P(?=T?\d)(?:\d{1,4}D)?(?:T(?=\d)(?:\d{1,5}H)?(?:\d{1,6}M)?(?:\d{1,8}(?:\.\d{1,9})?S)?)?`

/** Any of them, for use in larger patterns. */
export const PRINTED_SOURCE = `${SPAN}|${ISO}`

const WHOLE_SPAN = /^(?:(\d{1,3})(?:\.| days?, ))?(\d{1,3}):(\d\d):(\d\d(?:\.\d{1,9})?)$/i
const WHOLE_ISO =
  /^P(?=T?\d)(?:(\d{1,4})D)?(?:T(?=\d)(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8}(?:\.\d{1,9})?)S)?)?$/i

/** Parses such a duration into milliseconds; undefined if the text is not one. */
export function parsePrinted(text: string): number | undefined {
  const parts = WHOLE_SPAN.exec(text) ?? WHOLE_ISO.exec(text)
  if (!parts) return undefined
  const [days, hours, minutes, seconds] = parts.slice(1).map(part => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
  ]
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000
}

/** Units of time as vendors spell them, in the languages they answer in. */
const UNITS: readonly (readonly [number, string])[] = [
  [0.000_001, 'ns|nanoseconds?'],
  [0.001, '[µμ]s|us|usecs?|microseconds?'],
  [1, 'ms|msecs?|millis|milliseconds?'],
  [1_000, 's|secs?|seconds?|secondes?|sekunden?|segundos?|secondi|sekund(?:ach|y|ę)?|секунд[уы]?|сек'],
  [60_000, 'm|mins?|minutes?|minuten?|minutos?|minuti|minut(?:ach|y|ę)?|минут[уы]?|мин'],
  [3_600_000, 'h|hrs?|hours?|heures?|stunden?|horas?|or[ae]|godzin(?:ach|y|ę)?|час(?:ов|а)?|ч'],
  [86_400_000, 'd|days?|jours?|tag(?:en?)?|días?|dias?|giorni|dni|дн(?:ей|я)|день'],
  [604_800_000, 'w|weeks?|wochen?|semaines?|semanas?'],
]
const UNIT = UNITS.map(([, names]) => names).join('|')
/** A unit, for use in larger patterns. */
export const UNIT_SOURCE = UNIT
/** Digits, possibly in groups of three, or words such as "one" and "half an". */
const AMOUNT = String.raw`(?:\d{1,3}(?:,\d{3}){1,3}|\d{0,3}[½¼¾]|\d{1,9}(?:\.\d{1,9})?|half an?|an?(?= )|one(?= ))`
const PART = new RegExp(String.raw`(${AMOUNT})\s?(${UNIT})(?![a-zà-ÿа-я])`, 'gi')

/** One or more amounts with units, for use in larger patterns: `2h 5m`, `3 hours and 2 minutes`, `~30s`. */
export const DURATION_SOURCE = String.raw`(?:~|about |approximately |around )?${AMOUNT}\s?(?:${UNIT})(?![a-zà-ÿа-я])(?:(?:,|\s|\s(?:and|et|und|y|e|i|и)\s)*${AMOUNT}\s?(?:${UNIT})(?![a-z]))*`

/**
 * Parses a duration as vendors write it (`18.642s`, `6m0s`, `161h39m41.3s`, `3 hours 2 minutes`, `~30s`) into milliseconds;
 * undefined if the text is not one. A bare number counts as seconds only with `bare`.
 */
export function parseDuration(text: string, { bare = false } = {}): number | undefined {
  const source = text.trim().replace(/^(?:~|about |approximately |around )/i, '')
  if (bare && /^\d{1,9}(?:\.\d{1,9})?$/.test(source)) return Number(source) * 1_000
  const printed = parsePrinted(source)
  if (printed !== undefined) return printed
  let total = 0
  let found = false
  for (const [, amount, unit] of matchesOf(PART, source)) {
    total += amountOf(amount as string) * msOf(unit as string)
    found = true
  }
  return found ? total : undefined
}

const FRACTIONS: Record<string, number> = { '½': 0.5, '¼': 0.25, '¾': 0.75 }

function amountOf(amount: string): number {
  const fraction = FRACTIONS[amount.at(-1) as string]
  if (fraction !== undefined) return Number(amount.slice(0, -1)) + fraction
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
  秒钟: 1_000,
  秒間: 1_000,
  초: 1_000,
  分钟: 60_000,
  分鐘: 60_000,
  分間: 60_000,
  分: 60_000,
  분: 60_000,
  小时: 3_600_000,
  小時: 3_600_000,
  時間: 3_600_000,
  시간: 3_600_000,
  天: 86_400_000,
  日: 86_400_000,
  일: 86_400_000,
}
const CJK_UNIT = Object.keys(CJK_UNITS)
  .sort((a, b) => b.length - a.length)
  .join('|')
const CJK_PART = new RegExp(String.raw`(\d{1,6})\s?(${CJK_UNIT})`, 'g')
const CJK_LENGTH = new RegExp(
  String.raw`((?:\d{1,6}\s?(?:${CJK_UNIT})\s?)+)(?:之后|以后|之後|以後|后|後|후|뒤|이후)`,
)

/** "30 秒后", "1時間30分後", "5분 후": this long from now. */
export function parseCjkDuration(text: string): number | undefined {
  const length = CJK_LENGTH.exec(text)?.[1]
  if (length === undefined) return undefined
  let total = 0
  for (const [, amount, unit] of matchesOf(CJK_PART, length))
    total += Number(amount) * (CJK_UNITS[unit as string] as number)
  return total
}
