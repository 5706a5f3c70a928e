import { useSignal } from '@preact/signals'
import type { Provider, ProviderHistory } from '../api/answers.ts'
import { post } from '../api/request.ts'
import { useResource } from '../live/resource.ts'
import { ClassBadge } from '../part/badge.tsx'
import { Bars, Legend } from '../part/bars.tsx'
import { Choice } from '../part/choice.tsx'
import { Excerpt } from '../part/excerpt.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Meter } from '../part/meter.tsx'
import { Moment } from '../part/moment.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Empty, Shown } from '../part/standing.tsx'
import { tell, tellProblem } from '../part/toast.tsx'
import { countInWords, usdInWords } from '../words/number.ts'
import { seriesOf } from './overview.tsx'
import { PauseDialog } from './pause.tsx'
import { Standing } from './providers.tsx'

const SPANS = [
  [600_000, '10 min'],
  [3_600_000, '1 h'],
  [86_400_000, '24 h'],
] as const

/** One provider: why it is not chosen, its windows, and what happened to it. */
export function ProviderView({ id }: { id: string }) {
  const path = `/v1/providers/${encodeURIComponent(id)}`
  const span = useSignal(3_600_000)
  const provider = useResource<Provider>(path, { everyMs: 10_000 })
  const history = useResource<ProviderHistory>(`${path}/history?span_ms=${span.value}`, {
    atMostEveryMs: 2_000,
  })
  return (
    <Shown of={provider}>
      {value => (
        <>
          <PageHead
            title={
              <>
                <a class="trail" href="/providers">
                  Providers
                </a>{' '}
                <span class="trail">/</span> {id}
              </>
            }
            actions={<Actions provider={value} reload={provider.reload} />}
          >
            <Standing provider={value} />
          </PageHead>
          <Reasons provider={value} />
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
              <Shown of={history}>{found => <Failures history={found} />}</Shown>
            </Panel>
            <Panel title="Windows and spending">
              <div class="stack">
                {value.windows.map(use => (
                  <Meter key={`${use.window}:${use.unit}`} use={use} />
                ))}
                {value.windows.length === 0 ? (
                  <p class="soft">No windows: set caps of the provider in mulligan.toml.</p>
                ) : null}
                <Shown of={history}>{found => <Spent history={found} />}</Shown>
              </div>
            </Panel>
          </div>
          <Panel title="What happened" tight>
            <Shown of={history}>{found => <Changes history={found} />}</Shown>
          </Panel>
        </>
      )}
    </Shown>
  )
}

/** Why it is not chosen, with the failure that says so. */
function Reasons({ provider }: { provider: Provider }) {
  const { admits, reason, until, blocks, breaker, paused } = provider
  if (admits && blocks.length === 0 && breaker.state === 'closed') return null
  return (
    <Panel title={admits ? 'Limits that hold' : 'Why it is not chosen'}>
      <div class="stack">
        {reason ? (
          <p>
            <Foreign text={reason} />
            {until ? (
              <>
                {' '}
                <span class="soft">
                  It opens <Moment at={until} as="both" />.
                </span>
              </>
            ) : null}
          </p>
        ) : null}
        {paused ? (
          <p class="soft">
            Paused <Moment at={paused.at} as="both" />
          </p>
        ) : null}
        {breaker.state === 'closed' ? null : (
          <p class="soft">
            Its breaker is {breaker.state === 'open' ? 'open' : 'half open: one call may try'}
            {breaker.until ? (
              <>
                , until <Moment at={breaker.until} as="both" />
              </>
            ) : null}
          </p>
        )}
        {blocks.map(({ scope, from, failure }) => (
          <div key={`${JSON.stringify(scope)}${from}`} class="stack tight">
            <p>
              <ClassBadge of={failure.class} kind={failure.kind} />{' '}
              <span class="soft">
                {Object.entries(scope)
                  .map(([name, value]) => `${name} ${value}`)
                  .join(', ')}
                , since <Moment at={from} as="both" />, by rule <code>{failure.evidence.rule}</code>
              </span>
            </p>
            <Excerpt text={failure.text ?? failure.message} excerpt={failure.evidence.excerpt} />
          </div>
        ))}
      </div>
    </Panel>
  )
}

function Failures({ history }: { history: ProviderHistory }) {
  const series = seriesOf(history.failures)
  const kinds = Object.entries(history.kinds).sort(([, a], [, b]) => b - a)
  const most = kinds[0]?.[1] ?? 1
  if (series.length === 0) return <Empty title="No failures in this time" />
  return (
    <div class="stack">
      <Bars
        label="Failed tries by class"
        from={Date.parse(history.from)}
        stepMs={history.step_ms}
        series={series}
      />
      <Legend series={series} />
      <ul class="kinds" aria-label="Failures by kind">
        {kinds.map(([kind, count]) => (
          <li key={kind}>
            <span class="mono">{kind}</span>
            <span class="track">
              <i style={{ width: `${(count / most) * 100}%` }} />
            </span>
            <span class="number">{count}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Spent({ history: { spent } }: { history: ProviderHistory }) {
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
  provider_blocked: 'Blocked',
  provider_freed: 'Free again',
  paused: 'Paused',
  resumed: 'Resumed',
}

function Changes({ history: { changes } }: { history: ProviderHistory }) {
  if (changes.length === 0)
    return <Empty title="Nothing changed in the last day">It served, or nobody asked it.</Empty>
  return (
    <ol class="changes">
      {changes.slice(0, 100).map(({ at, type, data = {} }) => (
        <li key={`${at}${type}`} data-type={type}>
          <span class="soft">
            <Moment at={at} as="both" />
          </span>
          <strong>{CHANGES[type] ?? type}</strong>
          <span class="soft">
            {typeof data.until === 'string' ? (
              <>
                until <Moment at={data.until} as="clock" />{' '}
              </>
            ) : null}
            {typeof data.kind === 'string' ? `${data.class} · ${data.kind} ` : ''}
            {typeof data.reason === 'string' ? <Foreign text={data.reason} /> : null}
          </span>
        </li>
      ))}
    </ol>
  )
}

function Actions({ provider, reload }: { provider: Provider; reload: () => void }) {
  const { id, paused, has_probe: hasProbe } = provider
  const isPausing = useSignal(false)
  const act = async (action: 'reset' | 'resume' | 'probe', words: string) => {
    try {
      const answer = await post<{ outcome?: string; reason?: string }>(
        `/v1/providers/${encodeURIComponent(id)}/${action}`,
      )
      tell(answer.outcome ? `${answer.outcome}: ${answer.reason}` : words)
      reload()
    } catch (error) {
      tellProblem(error)
    }
  }
  return (
    <>
      <button
        type="button"
        class="button"
        onClick={() => void act('reset', 'Blocks cleared, breaker closed')}
      >
        Reset
      </button>
      {paused ? (
        <button type="button" class="button primary" onClick={() => void act('resume', 'Takes calls again')}>
          Resume
        </button>
      ) : (
        <button
          type="button"
          class="button"
          onClick={() => {
            isPausing.value = true
          }}
        >
          Pause …
        </button>
      )}
      <button
        type="button"
        class="button"
        disabled={!hasProbe}
        title={hasProbe ? undefined : 'Add [provider.probe] to mulligan.toml'}
        onClick={() => void act('probe', 'Probed')}
      >
        Probe
      </button>
      {isPausing.value ? (
        <PauseDialog
          id={id}
          onClose={done => {
            isPausing.value = false
            if (done) reload()
          }}
        />
      ) : null}
    </>
  )
}
