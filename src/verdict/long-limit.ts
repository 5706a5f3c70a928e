import type { Failure } from '../failure/failure.ts'

/** Units of limits that do not pass in minutes, as vendors write them: "per day", "PerDay", "daily", "monthly". */
const LONG =
  /\bper[\s_-]?(?:hour|day|week|month)|\b(?:hourly|daily|weekly|monthly)\b|PerDay|PerHour|\b[rt]pd\b/i

/** Whether a limit without a stated time lasts for hours: one of a plan, or a quota per hour, day or longer. */
export function isLongLimit({ class: cls, kind, message, evidence }: Failure): boolean {
  if (cls !== 'throttle' || kind === 'rate_limit') return false
  return kind !== 'quota' || LONG.test(`${message}\n${evidence.excerpt}`)
}
