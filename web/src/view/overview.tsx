import { useSignal } from '@preact/signals'
import type { Ends, Overview, Provider } from '../api/answers.ts'
import { now } from '../live/now.ts'
import { useResource } from '../live/resource.ts'
import { Badge } from '../part/badge.tsx'
import { type BarSeries, Bars, Legend } from '../part/bars.tsx'
import { Choice } from '../part/choice.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Meter } from '../part/meter.tsx'
import { Moment } from '../part/moment.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Empty, Shown } from '../part/standing.tsx'
import { needsOf } from '../words/needs.ts'
import { countInWords, manyOf } from '../words/number.ts'
import { stateSentence } from '../words/state-sentence.ts'
import { Agenda } from './agenda.tsx'

/** Classes of failures, in the order in which they are stacked. */
export const CLASSES = [
  'throttle',
  'transient',
  'timeout',
  'permanent',
  'rail',
  'unknown',
  'aborted',
] as const

const SPANS = [
  [600_000, '10 min'],
  [3_600_000, '1 h'],
  [6 * 3_600_000, '6 h'],
  [86_400_000, '24 h'],
] as const

/** What is broken, what it holds up, what happens by itself, what needs a person. */
export function OverviewView() {
  const ahead = useSignal(3_600_000)
  const span = useSignal(600_000)
  const overview = useResource<Overview>(`/v1/overview?ahead_ms=${ahead.value}`, { everyMs: 10_000 })
  const failures = useResource<Ends>(`/v1/failures?span_ms=${span.value}`, {
    atMostEveryMs: 2_000,
    everyMs: 10_000,
  })
  return (
    <Shown of={overview}>
      {value => (
        <>
          <PageHead title={<Sentence overview={value} />} />
          <NeedsYou overview={value} />
          <Numbers overview={value} />
          <div class="split">
            <Panel
              title="Failures by class"
              actions={
                <Choice
                  label="How far back"
                  value={span.value}
                  options={SPANS}
                  onChange={chosen => {
                    span.value = chosen
                  }}
                />
              }
            >
              <Shown of={failures}>{ends => <Failures ends={ends} />}</Shown>
            </Panel>
            <Agenda overview={value} ahead={ahead} />
          </div>
          <div class="cards">
            {value.status.providers.map(provider => (
              <ProviderCard key={provider.id} provider={provider} overview={value} />
            ))}
            {value.status.providers.length === 0 ? (
              <Panel>
                <Empty title="No providers" command="mulligan demo">
                  Name those that your agents use in mulligan.toml with [[provider]], or see how it looks:
                </Empty>
              </Panel>
            ) : null}
          </div>
        </>
      )}
    </Shown>
  )
}

function Sentence({ overview }: { overview: Overview }) {
  return <span class="sentence">{stateSentence(overview, now.value)}</span>
}

function NeedsYou({ overview }: { overview: Overview }) {
  const needs = needsOf(overview)
  if (needs.length === 0) return null
  return (
    <section class="panel needs" aria-label="Needs you">
      <ul>
        {needs.map(({ key, tone, title, detail, message, href, action }) => (
          <li key={key} data-tone={tone}>
            <div>
              <strong>{title}</strong>
              {message ? (
                <p class="mono">
                  <Foreign text={message} cut />
                </p>
              ) : null}
              <p class="soft">{detail}</p>
            </div>
            <a class="button" href={href}>
              {action}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Numbers({ overview: { status } }: { overview: Overview }) {
  const tiles = [
    ['Running', status.running, 'state:running', status.running > 0 ? 'rail' : ''],
    ['Waiting', status.retry_queue.queued, 'state:scheduled', ''],
    ['Held', status.held, 'state:scheduled', status.held > 0 ? 'throttle' : ''],
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

/** The parts of bars that failures by class make. */
export function seriesOf(failures: Record<string, number[]>): BarSeries[] {
  return CLASSES.flatMap(name => {
    const counts = failures[name]
    return counts?.some(count => count > 0) ? [{ name, colour: name, counts }] : []
  })
}

function Failures({ ends }: { ends: Ends }) {
  const series = seriesOf(ends.failures)
  const succeeded = ends.succeeded.reduce((sum, count) => sum + count, 0)
  if (series.length === 0)
    return (
      <Empty title="No failures in this time">
        {succeeded > 0 ? `${manyOf(succeeded, 'operation')} succeeded.` : 'Nothing ran either.'}
      </Empty>
    )
  return (
    <>
      <Bars
        label="Failed tries by class"
        from={Date.parse(ends.from)}
        stepMs={ends.step_ms}
        series={series}
      />
      <Legend series={series} />
    </>
  )
}

function ProviderCard({ provider, overview }: { provider: Provider; overview: Overview }) {
  const { id, admits, until, paused, breaker, windows, blocks, login_refused: isLogin } = provider
  const waiting = (overview.agenda.held[id] ?? 0) + (overview.agenda.waiting[id] ?? 0)
  const message = blocks[0]?.failure.message
  return (
    <section class="panel provider-card" aria-label={`Provider ${id}`}>
      <header>
        <h2>
          <a href={`/providers/${encodeURIComponent(id)}`}>{id}</a>
        </h2>
        <div class="actions">
          {paused ? (
            <Badge tone="throttle">paused</Badge>
          ) : isLogin ? (
            <Badge tone="permanent">login refused</Badge>
          ) : admits ? (
            <Badge tone="good">can serve</Badge>
          ) : (
            <Badge tone="throttle">cannot serve</Badge>
          )}
        </div>
      </header>
      <div class="body">
        {until ? (
          <p class="countdown">
            <strong>
              <Moment at={until} />
            </strong>
            <span class="soft">
              opens at <Moment at={until} as="clock" />
            </span>
          </p>
        ) : null}
        {message ? (
          <p class="soft">
            <Foreign text={message} />
          </p>
        ) : null}
        {breaker.state === 'closed' ? null : (
          <p>
            Breaker {breaker.state === 'open' ? 'open' : 'half open'}
            {breaker.until ? (
              <>
                {' '}
                until <Moment at={breaker.until} as="both" />
              </>
            ) : null}
          </p>
        )}
        {waiting > 0 ? (
          <p>
            <a href={`/operations?q=${encodeURIComponent(`state:scheduled provider:${id}`)}`}>
              {manyOf(waiting, 'operation')} {waiting === 1 ? 'waits' : 'wait'} for it
            </a>
          </p>
        ) : null}
        {windows.map(use => (
          <Meter key={`${use.window}:${use.unit}`} use={use} />
        ))}
        {windows.length === 0 && admits ? <p class="soft">No windows are configured.</p> : null}
      </div>
    </section>
  )
}
