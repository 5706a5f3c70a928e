import type { Ends, Overview } from '../api/answers.ts'
import { now } from '../live/now.ts'
import { useResource } from '../live/resource.ts'
import { failureBars } from '../part/failure-bars.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Empty, Shown } from '../part/standing.tsx'
import { countInWords, manyOf } from '../words/number.ts'
import { stateSentence } from '../words/state-sentence.ts'
import { canServe, isSurface } from '../words/surface.ts'
import { Agenda, ahead } from './agenda.tsx'
import { NeedsYou } from './needs-you.tsx'
import { ProviderCard } from './provider-card.tsx'
import { SpanChoice, span } from './spans.tsx'
import { Welcome } from './welcome.tsx'

/** Most providers shown; the providers view shows all. */
const MOST_CARDS = 12

/** What is broken, what it blocks, what happens automatically, and what needs a person. */
export function OverviewView() {
  const overview = useResource<Overview>(`/v1/overview?ahead_ms=${ahead.value}`, {
    everyMs: 10_000,
    afterMs: 2_000,
  })
  const failures = useResource<Ends>(`/v1/failures?span_ms=${span.value}`, {
    atMostEveryMs: 2_000,
    everyMs: 10_000,
  })
  return (
    <Shown of={overview}>
      {value => (
        <>
          <PageHead title={<Sentence overview={value} />} />
          {isNew(value) ? <Welcome /> : null}
          <NeedsYou overview={value} reload={overview.reload} />
          <Numbers overview={value} />
          <div class="split">
            <Panel title="Failures by class" actions={<SpanChoice />}>
              <Shown of={failures}>{ends => <Failures ends={ends} />}</Shown>
            </Panel>
            <Agenda overview={value} />
          </div>
          <ProviderCards overview={value} />
        </>
      )}
    </Shown>
  )
}

/** Whether this is a first visit: nothing was ever submitted, and no provider is known. */
function isNew({ status }: Overview): boolean {
  const { succeeded, dead, running, parked, retry_queue: queue, providers } = status
  return providers.length + succeeded + dead + running + parked.total + queue.queued === 0
}

function Sentence({ overview }: { overview: Overview }) {
  return <span class="sentence">{stateSentence(overview, now.value)}</span>
}

function Numbers({ overview: { status, agenda } }: { overview: Overview }) {
  const [holder, ...others] = Object.keys(agenda.held)
  // A query can name only one provider that operations are held for.
  const held = holder && others.length === 0 ? `held-by:${holder}` : 'state:scheduled'
  const tiles = [
    ['Running', status.running, 'state:running', status.running > 0 ? 'rail' : ''],
    ['Scheduled', status.retry_queue.queued, 'state:scheduled', ''],
    ['Held', status.held, held, status.held > 0 ? 'throttle' : ''],
    ['Parked', status.parked.total, 'state:parked', status.parked.total > 0 ? 'throttle' : ''],
    ['Succeeded', status.succeeded, 'state:succeeded', ''],
    ['Dead', status.dead, 'state:dead', status.dead > 0 ? 'permanent' : ''],
  ] as const
  return (
    <ul class="tiles">
      {tiles.map(([name, count, query, tone]) => (
        <li key={name}>
          <a href={`/operations?q=${encodeURIComponent(query)}`} data-tone={tone || undefined}>
            <span>{name}</span>
            <strong>{countInWords(count)}</strong>
          </a>
        </li>
      ))}
    </ul>
  )
}

function Failures({ ends }: { ends: Ends }) {
  const succeeded = ends.succeeded.reduce((sum, count) => sum + count, 0)
  return (
    failureBars(ends) ?? (
      <Empty title="No failures in this time">
        {succeeded > 0 ? `${manyOf(succeeded, 'operation')} succeeded.` : 'Nothing ran either.'}
      </Empty>
    )
  )
}

/** The providers, and surfaces that cannot deliver; those that cannot serve come first. */
function ProviderCards({ overview: { status, agenda } }: { overview: Overview }) {
  const providers = status.providers
    .filter(provider => !(isSurface(provider) && provider.admits))
    .sort((a, b) => Number(canServe(a)) - Number(canServe(b)))
  return (
    <>
      <div class="cards">
        {providers.slice(0, MOST_CARDS).map(provider => (
          <ProviderCard
            key={provider.id}
            provider={provider}
            waiting={(agenda.held[provider.id] ?? 0) + (agenda.waiting[provider.id] ?? 0)}
          />
        ))}
      </div>
      {providers.length > MOST_CARDS ? (
        <p>
          <a href="/providers">All {providers.length} providers</a>
        </p>
      ) : null}
    </>
  )
}
