import { now } from '../live/now.ts'
import { clockInWords, distanceInWords, exactInWords } from '../words/time.ts'

/** A point in time as seen from now, in the zone of the viewer; the exact one on hover. */
export function Moment({ at, as = 'distance' }: { at: string; as?: 'distance' | 'clock' | 'both' }) {
  const ms = Date.parse(at)
  const distance = as === 'clock' ? '' : distanceInWords(ms, now.value)
  const clock = as === 'distance' ? '' : clockInWords(ms, as === 'clock' ? now.peek() : now.value)
  return (
    <time dateTime={at} title={exactInWords(ms)}>
      {as === 'both' ? `${clock} (${distance})` : distance || clock}
    </time>
  )
}
