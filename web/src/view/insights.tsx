import type { Insights, Overview } from '../api/answers.ts'
import { now } from '../live/now.ts'
import { useResource } from '../live/resource.ts'
import { ClassBadge } from '../part/badge.tsx'
import { Bars } from '../part/bars.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Moment } from '../part/moment.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Plot, Spark } from '../part/plot.tsx'
import { Empty, Shown } from '../part/standing.tsx'
import { TimeStrip } from '../part/time-strip.tsx'
import { countInWords, manyOf, usdInWords } from '../words/number.ts'
import { outagesInWords, outagesOf, pacedOf } from '../words/outages.ts'
import { providerInWords } from '../words/surface.ts'
import { clockInWords, lengthInWords } from '../words/time.ts'
import { SpanChoice, span } from './spans.tsx'

/** How much was done over time, how long it took, what it cost, and what stood in the way. */
export function InsightsView() {
  const insights = useResource<Insights>(`/v1/insights?span_ms=${span.value}`, {
    atMostEveryMs: 5_000,
    everyMs: 15_000,
  })
  return (
    <>
      <PageHead title="Insights" actions={<SpanChoice />} />
      <Shown of={insights}>
        {value => (
          <>
            {value.known_from === undefined ? null : (
              <p class="soft">
                No data from before <Moment at={value.known_from} as="both" />.
              </p>
            )}
            <Throughput of={value} />
            <ProviderStrips of={value} />
            <div class="split">
              <Lengths
                title="Waiting time"
                label="How long runs were due before they began"
                of={value}
                which="waiting_ms"
              />
              <Lengths title="Running time" label="How long runs took" of={value} which="running_ms" />
            </div>
            <div class="split">
              <Cost of={value} />
              <Frequent of={value} />
            </div>
          </>
        )}
      </Shown>
    </>
  )
}

function Throughput({ of: { from, step_ms: stepMs, succeeded, dead } }: { of: Insights }) {
  const isIdle = [...succeeded, ...dead].every(count => count === 0)
  return (
    <Panel title="Operations that ended">
      {isIdle ? (
        <Empty title="Nothing ended in this time" />
      ) : (
        <Bars
          label="Operations that ended"
          from={Date.parse(from)}
          stepMs={stepMs}
          series={[
            { name: 'succeeded', colour: 'good', counts: succeeded },
            { name: 'died', colour: 'permanent', counts: dead },
          ]}
        />
      )}
    </Panel>
  )
}

/** Why a provider could not serve, by the class of its failure; `aborted` if a person paused it. */
const CAUSES: Readonly<Record<string, string>> = {
  throttle: 'limit reached',
  transient: 'not available',
  timeout: 'too slow',
  permanent: 'refused calls',
  rail: 'refused what it was asked',
  unknown: 'failed for an unknown reason',
  aborted: 'paused by a person',
}

/** When each provider could serve: below the throughput, because it explains the gaps in it. */
function ProviderStrips({
  of: { from: begin, step_ms: stepMs, known_from: known, providers },
}: {
  of: Insights
}) {
  const overview = useResource<Overview>('/v1/overview', { atMostEveryMs: 2_000 })
  if (providers.length === 0) return null
  const isRefused = (id: string) =>
    overview.value.value?.status.providers.some(each => each.id === id && each.login_refused)
  const from = Date.parse(begin)
  const to = Math.max(now.value, from + 1)
  const begun = known === undefined ? from : Math.min(to, Math.max(from, Date.parse(known)))
  const strips = providers.map(({ id, changes, throttled }) => {
    const outages = outagesOf(changes, from, to, isRefused(id))
    return { id, outages, paced: pacedOf(throttled, { from, to, stepMs }, outages, changes) }
  })
  return (
    <Panel title="Providers">
      <ul class="provider-strips health">
        {strips.map(({ id, outages, paced }) => {
          return (
            <li key={id}>
              <a href={`/providers/${encodeURIComponent(id)}`}>
                <Foreign text={providerInWords(id)} cut />
              </a>
              <div>
                <TimeStrip
                  from={from}
                  to={to}
                  outages={outages}
                  paced={paced}
                  {...(known === undefined ? {} : { known: Date.parse(known) })}
                />
                <span class="unseen">{outagesInWords(outages, paced, begun, to)}</span>
              </div>
            </li>
          )
        })}
        <li aria-hidden="true">
          <span />
          <div class="axis">
            <span>{clockInWords(from, to)}</span>
            <span>now</span>
          </div>
        </li>
      </ul>
      <div class="legend" aria-hidden="true">
        <span>
          <i style={{ background: 'var(--good)' }} /> could serve
        </span>
        {strips.some(({ paced }) => paced.length > 0) ? (
          <span>
            <i class="paced" /> paced: calls go one after another
          </span>
        ) : null}
        {Object.entries(CAUSES)
          .filter(([cls]) =>
            strips.some(({ outages }) => outages.some(outage => (outage.class ?? 'aborted') === cls)),
          )
          .map(([cls, words]) => (
            <span key={cls}>
              <i style={{ background: `var(--${cls})` }} /> {words}
            </span>
          ))}
      </div>
    </Panel>
  )
}

function Lengths({
  title,
  label,
  of,
  which,
}: {
  title: string
  label: string
  of: Insights
  which: 'waiting_ms' | 'running_ms'
}) {
  const { median, p95 } = of[which]
  return (
    <Panel title={title}>
      {median.every(value => value === null) ? (
        <Empty title="No run ended in this time" />
      ) : (
        <Plot
          label={label}
          from={Date.parse(of.from)}
          stepMs={of.step_ms}
          inWords={lengthInWords}
          total={values => Math.max(...values)}
          totalName="highest"
          series={[
            { name: 'median', colour: 'accent', values: median },
            { name: '95th percentile', colour: 'timeout', values: p95 },
          ]}
        />
      )}
    </Panel>
  )
}

function Cost({ of: { from, step_ms: stepMs, cost_usd: cost } }: { of: Insights }) {
  return (
    <Panel title="Cost of operations">
      {cost.every(usd => usd === 0) ? (
        <Empty title="No costs are known in this time" />
      ) : (
        <Plot
          label="What runs of operations cost"
          as="columns"
          from={Date.parse(from)}
          stepMs={stepMs}
          inWords={usdInWords}
          total={sumOf}
          totalName="total"
          series={[{ name: 'US dollars', colour: 'accent', values: cost }]}
        />
      )}
    </Panel>
  )
}

function Frequent({ of: { failures } }: { of: Insights }) {
  return (
    <Panel title="Most frequent failures" tight={failures.length > 0}>
      {failures.length === 0 ? (
        <Empty title="No failures in this time" />
      ) : (
        <ol class="frequent">
          {failures.map(({ fingerprint, class: cls, kind, message, counts }) => (
            <li key={fingerprint}>
              <a href={`/operations?q=${encodeURIComponent(`fingerprint:${fingerprint}`)}`} data-row>
                <ClassBadge of={cls} kind={kind} />
                <Foreign text={message ?? 'All operations that failed with it have gone on since'} cut />
              </a>
              <Spark counts={counts} colour={cls} />
              <strong title={manyOf(sumOf(counts), 'failed try', 'failed tries')}>
                {countInWords(sumOf(counts))}
              </strong>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
