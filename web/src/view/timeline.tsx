import type { Attempt, LedgerEvent, State } from '../api/answers.ts'
import { now } from '../live/now.ts'
import { type Segment, segmentsOf, widthsOf } from '../words/segments.ts'
import { exactInWords, lengthInWords, timeOfDay } from '../words/time.ts'
import { visibleText } from '../words/visible.ts'

/** Most periods drawn; if there are more, the last ones. */
const MOST = 80

const WORDS: Readonly<Record<Segment['what'], string>> = {
  queued: 'In the queue',
  retry: 'Waited for a retry',
  snooze: 'Snoozed until a reset',
  parked: 'Parked',
  held: 'Held for its provider',
  run: 'Run',
}

const OPEN_WORDS: Readonly<Record<Segment['what'], string>> = {
  ...WORDS,
  retry: 'Waits for a retry',
  run: 'Running',
}

/** Runs and tries, and the waits between them, as bars. */
export function Timeline({
  events,
  providers,
  attempts,
  state,
  isHeld,
}: {
  events: readonly LedgerEvent[]
  providers: readonly string[]
  attempts: readonly Attempt[]
  state: State
  /** Whether a provider holds it now. */
  isHeld: boolean
}) {
  const isOver = state === 'succeeded' || state === 'dead'
  const all = segmentsOf(events, providers, attempts, isOver ? 0 : now.value, isHeld)
  const segments = all.slice(-MOST)
  const widths = widthsOf(segments.map(({ from, to }) => to - from))
  let left = 0
  return (
    <div class="timeline">
      {all.length > MOST ? (
        <p class="soft small">
          The last {MOST} of {all.length} periods.
        </p>
      ) : null}
      <ol>
        {segments.map((segment, index) => {
          const width = widths[index] as number
          const at = left
          left += width
          return (
            <li key={`${segment.what}:${segment.from}`}>
              <Line
                segment={segment}
                left={at}
                width={width}
                isLast={index === segments.length - 1}
                state={state}
              />
            </li>
          )
        })}
      </ol>
      <p class="faint small">
        Bars are not to scale: long periods are drawn shorter. The times on the right are exact.
      </p>
    </div>
  )
}

function Line({
  segment,
  left,
  width,
  isLast,
  state,
}: {
  segment: Segment
  left: number
  width: number
  isLast: boolean
  state: State
}) {
  const { what, from, to, isOpen, run, attempts, reason } = segment
  const words = (isOpen ? OPEN_WORDS : WORDS)[what]
  const hasSucceeded = what === 'run' && isLast && state === 'succeeded'
  const colour = hasSucceeded ? 'good' : (segment.class ?? (what === 'run' ? 'accent' : 'aborted'))
  const length = to - from
  return (
    <>
      <span class="what">
        {words}
        {what === 'run' && run !== undefined && !isOpen ? ` ${run}` : ''}
        {segment.class ? <span class="soft"> · {segment.class}</span> : null}
      </span>
      <span class="track">
        <i
          class={what === 'run' ? 'bar' : 'bar wait'}
          data-open={isOpen}
          title={`${words}, from ${exactInWords(from)}${reason ? `: ${visibleText(reason)}` : ''}`}
          style={{ left: `${left * 100}%`, width: `max(3px, ${width * 100}%)`, '--bar': `var(--${colour})` }}
        >
          {attempts.length > 1
            ? attempts.map(attempt => (
                <Try key={attempt.number} attempt={attempt} from={from} length={length} />
              ))
            : null}
        </i>
      </span>
      <span class="length">{lengthInWords(length)}</span>
      <time class="at faint" dateTime={new Date(from).toISOString()} title={exactInWords(from)}>
        {timeOfDay(from, true)}
      </time>
    </>
  )
}

/** One of several tries in a run. */
function Try({ attempt, from, length }: { attempt: Attempt; from: number; length: number }) {
  const start = Math.max(0, Date.parse(attempt.started_at) - from) / Math.max(1, length)
  const share = (Date.parse(attempt.ended_at) - Date.parse(attempt.started_at)) / Math.max(1, length)
  const colour = attempt.failure?.class ?? 'good'
  return (
    <b
      style={{
        left: `${Math.min(99, start * 100)}%`,
        width: `max(2px, ${Math.min(1 - start, share) * 100}%)`,
        '--bar': `var(--${colour})`,
      }}
    />
  )
}
