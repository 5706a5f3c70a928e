import type { ProviderHistory } from '../api/answers.ts'
import { now } from '../live/now.ts'
import { TimeStrip } from '../part/time-strip.tsx'
import { manyOf } from '../words/number.ts'
import { outagesOf, pacedOf } from '../words/outages.ts'
import { clockInWords, lengthInWords } from '../words/time.ts'

/** When a provider could serve and when it could not, as a time strip that ends now. */
export function HealthStrip({ history, isRefused }: { history: ProviderHistory; isRefused: boolean }) {
  const from = Date.parse(history.from)
  const to = Math.max(now.value, from + 1)
  const outages = outagesOf(history.changes, from, to, isRefused)
  const paced = pacedOf(
    history.failures.throttle ?? [],
    { from, to, stepMs: history.step_ms },
    outages,
    history.changes,
  )
  const known = knownFrom(history, from, to)
  const down = outages.reduce((sum, outage) => sum + outage.to - outage.from, 0)
  return (
    <figure class="health">
      <TimeStrip from={from} to={to} outages={outages} paced={paced} known={known ?? to} />
      <div class="axis" aria-hidden="true">
        <span>{clockInWords(from, to)}</span>
        <span>now</span>
      </div>
      <figcaption class="soft small">
        {known === undefined
          ? 'It was not called in this time.'
          : outages.length === 0
            ? `It could serve for all of the last ${lengthInWords(to - known)}.`
            : `It could serve for ${Math.floor((1 - down / (to - known)) * 100)}% of the last ${lengthInWords(to - known)}: ${manyOf(outages.length, 'outage')}, ${lengthInWords(down)} in total.`}
      </figcaption>
    </figure>
  )
}

/** Time of the first failure, spending or change; before it, the provider was not called, or no daemon ran. Undefined if there is none. */
function knownFrom(
  { changes, spent, failures, step_ms: stepMs }: ProviderHistory,
  from: number,
  to: number,
): number | undefined {
  const firstStep = Math.min(
    ...Object.values(failures).flatMap(counts => {
      const step = counts.findIndex(count => count > 0)
      return step < 0 ? [] : [step]
    }),
  )
  const times = [
    ...changes.map(({ at }) => Date.parse(at)),
    ...spent.map(({ at }) => Date.parse(at)),
    ...(Number.isFinite(firstStep) ? [from + firstStep * stepMs] : []),
  ]
  if (times.length === 0) return undefined
  return Math.min(to - 1, Math.max(from, Math.min(...times)))
}
