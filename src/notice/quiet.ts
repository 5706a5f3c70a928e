import { readQuiet } from '../config/quiet-hours.ts'
import type { SurfaceConfig } from '../config/schema/surface.ts'

const DAY_MINUTES = 1_440
const MINUTE_MS = 60_000
/** How long is waited at most before looking again, in milliseconds: clocks are put forward and back at night. */
const LOOK_AGAIN_MS = 1_800_000

/**
 * Until when a surface is to be left alone, epoch milliseconds, or until it must be asked again; undefined if it may be told now.
 * Urgent notices do not ask.
 */
export function quietUntil(
  { quiet, timeZone }: Pick<SurfaceConfig, 'quiet' | 'timeZone'>,
  now: number,
): number | undefined {
  const span = quiet === undefined ? undefined : readQuiet(quiet)
  if (span === undefined) return undefined
  const at = minuteOfDay(now, timeZone)
  const isQuiet = span.from < span.to ? at >= span.from && at < span.to : at >= span.from || at < span.to
  if (!isQuiet) return undefined
  const minutes = (span.to - at + DAY_MINUTES) % DAY_MINUTES
  const endsAt = Math.floor(now / MINUTE_MS) * MINUTE_MS + minutes * MINUTE_MS
  return Math.min(endsAt, now + LOOK_AGAIN_MS)
}

function minuteOfDay(now: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const [hour, minute] = parts.format(now).split(':').map(Number) as [number, number]
  return hour * 60 + minute
}
