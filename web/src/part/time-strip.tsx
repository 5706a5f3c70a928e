import type { Outage, Span } from '../words/outages.ts'
import { exactInWords, lengthInWords } from '../words/time.ts'
import { visibleText } from '../words/visible.ts'

/** When a provider could serve, was paced, and could not serve, as a strip from one time to another. */
export function TimeStrip({
  from,
  to,
  outages,
  paced,
  known = from,
}: {
  from: number
  to: number
  outages: readonly Outage[]
  paced: readonly Span[]
  /** Before this time nothing is known. */
  known?: number
}) {
  const at = (time: number) => `${((time - from) / (to - from)) * 100}%`
  const wide = (span: Span) => `max(2px, ${((span.to - span.from) / (to - from)) * 100}%)`
  return (
    <div class="strip">
      {known > from ? (
        <i class="unknown-time" title="No data for this time" style={{ left: 0, width: at(known) }} />
      ) : null}
      {paced.map(span => (
        <i
          key={span.from}
          class="paced"
          title={`Paced: calls waited for their turn or were refused for their rate, from ${exactInWords(span.from)}`}
          style={{ left: at(span.from), width: wide(span) }}
        />
      ))}
      {outages.map(outage => (
        <i
          key={outage.from}
          title={`Could not serve for ${lengthInWords(outage.to - outage.from)}, from ${exactInWords(outage.from)}${
            outage.reason ? `: ${visibleText(outage.reason)}` : ''
          }`}
          style={{
            left: at(outage.from),
            width: wide(outage),
            background: `var(--${outage.class ?? 'aborted'})`,
          }}
        />
      ))}
    </div>
  )
}
