import type { ProviderHistory } from '../api/answers.ts'
import { DaemonWords } from '../part/daemon-words.tsx'
import { failureBars } from '../part/failure-bars.tsx'
import { Moment } from '../part/moment.tsx'
import { Empty } from '../part/standing.tsx'
import { countInWords, usdInWords } from '../words/number.ts'
import { isPaced } from '../words/outages.ts'

/** Failed tries of a provider over time, and by kind. */
export function Failures({ history }: { history: ProviderHistory }) {
  const kinds = Object.entries(history.kinds).sort(([, a], [, b]) => b - a)
  const most = kinds[0]?.[1] ?? 1
  const bars = failureBars(history)
  if (!bars) return <Empty title="No failures in this time" />
  return (
    <div class="stack">
      {bars}
      <ul class="kinds" aria-label="Failures by kind">
        {kinds.map(([kind, count]) => (
          <li key={kind}>
            <span class="mono">{kind}</span>
            <span class="track">
              <i style={{ width: `${(count / most) * 100}%` }} />
            </span>
            <span class="number">{countInWords(count)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** What a provider's quota spent. */
export function Spent({ history: { spent } }: { history: ProviderHistory }) {
  const sum = (of: 'usd' | 'tokens' | 'requests') => spent.reduce((total, each) => total + each[of], 0)
  return (
    <dl class="facts">
      <div>
        <dt>Spent in this time</dt>
        <dd>{usdInWords(sum('usd'))}</dd>
      </div>
      <div>
        <dt>Tokens</dt>
        <dd>{countInWords(sum('tokens'))}</dd>
      </div>
      <div>
        <dt>Requests</dt>
        <dd>{countInWords(sum('requests'))}</dd>
      </div>
    </dl>
  )
}

const CHANGES: Readonly<Record<string, string>> = {
  provider_blocked: 'Cannot serve',
  provider_freed: 'May be called again',
  provider_served: 'Served again',
  paused: 'Paused',
  resumed: 'Resumed',
}

/** Most changes listed. */
const MOST_CHANGES = 100

/** What happened to a provider, newest first. */
export function Changes({ history: { changes } }: { history: ProviderHistory }) {
  if (changes.length === 0)
    return <Empty title="Nothing changed in the last week">It served all calls, or got none.</Empty>
  return (
    <ol class="changes">
      {changes.slice(0, MOST_CHANGES).map(({ at, type, data = {} }) => (
        <li key={`${at}${type}`} data-type={type}>
          <span class="soft">
            <Moment at={at} as="both" />
          </span>
          <strong>{isPaced(type, data) ? 'Paced' : (CHANGES[type] ?? type)}</strong>
          <span class="soft">
            {typeof data.kind === 'string' && data.cause !== 'pause' && data.cause !== 'breaker' ? (
              <span class="mono small">{data.kind} </span>
            ) : null}
            {typeof data.reason === 'string' ? <DaemonWords text={data.reason} /> : null}
          </span>
        </li>
      ))}
    </ol>
  )
}
