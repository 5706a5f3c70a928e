import { now } from '../live/now.ts'
import { clockInWords, distanceInWords, exactInWords } from '../words/time.ts'

/** A time relative to now, in the viewer's time zone; the exact time on hover. */
export function Moment({
  at,
  as = 'distance',
  past,
}: {
  at: string
  as?: 'distance' | 'clock' | 'both'
  /** The text to show instead once the time has passed. */
  past?: string
}) {
  const ms = Date.parse(at)
  const distance =
    as === 'clock' ? '' : past !== undefined && ms <= now.value ? past : distanceInWords(ms, now.value)
  const clock = as === 'distance' ? '' : clockInWords(ms, as === 'clock' ? now.peek() : now.value)
  return (
    <time dateTime={at} title={exactInWords(ms)}>
      {as === 'both' ? `${clock} (${distance})` : distance || clock}
    </time>
  )
}
