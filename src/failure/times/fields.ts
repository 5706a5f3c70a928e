import { snakeCase } from '../observe/fields.ts'
import type { WaitField } from '../observe/observation.ts'
import { parseDuration } from './duration.ts'
import { resetOf } from './headers.ts'
import type { Clock } from './moment.ts'
import { readResetNumber, type Stated } from './stated.ts'

/** The unit of a field's number. Points in time may be numbers or dates. */
const MILLISECONDS = new Set(['retry_after_ms', 'retry_delay_ms'])
const SECONDS = new Set(
  `retry_after retry_after_seconds estimated_time resets_in_seconds reset_seconds reset_after retry_delay
  quota_reset_delay backoff_seconds wait_seconds cooldown_seconds retry_in_seconds reset_in_seconds suspended_time`.split(
    /\s+/,
  ),
)

/** The wait that a body or an SDK's error states in a field. */
export function waitFromField({ key, value }: WaitField, clock: Clock): Stated | undefined {
  return key === 'overageResetsAt' ? undefined : statedBy(snakeCase(key), value, clock)
}

function statedBy(key: string, value: string | number, clock: Clock): Stated | undefined {
  const number = typeof value === 'number' ? value : /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : undefined
  if (MILLISECONDS.has(key)) return number === undefined ? undefined : { ms: number }
  if (SECONDS.has(key)) {
    if (number !== undefined) return number > 1e9 ? readResetNumber(number) : { ms: number * 1_000 }
    const ms = parseDuration(String(value))
    return ms === undefined ? resetOf(String(value), clock) : { ms }
  }
  return number === undefined
    ? resetOf(String(value), clock)
    : number > 0
      ? readResetNumber(number)
      : undefined
}
