import { needOf, STEPS } from '../../../src/provider/next-step.ts'
import type { Provider, ProviderHistory } from '../api/answers.ts'
import { now } from '../live/now.ts'
import { useResource } from '../live/resource.ts'
import { ClassBadge } from '../part/badge.tsx'
import { DaemonWords } from '../part/daemon-words.tsx'
import { Excerpt } from '../part/excerpt.tsx'
import { Meter } from '../part/meter.tsx'
import { Moment } from '../part/moment.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Shown } from '../part/standing.tsx'
import { canServe, providerInWords } from '../words/surface.ts'
import { HealthStrip } from './health-strip.tsx'
import { ProviderActions } from './provider-actions.tsx'
import { BreakerWords, backInWords, Standing, TESTS_LOGIN } from './provider-card.tsx'
import { Changes, Failures, Spent } from './provider-history.tsx'
import { SpanChoice, span } from './spans.tsx'

/** One provider: why it is not chosen, its windows, and what happened to it. */
export function ProviderView({ id }: { id: string }) {
  const path = `/v1/providers/${encodeURIComponent(id)}`
  const provider = useResource<Provider>(path, { everyMs: 10_000 })
  const history = useResource<ProviderHistory>(`${path}/history?span_ms=${span.value}`, {
    atMostEveryMs: 2_000,
  })
  return (
    <Shown of={provider} back={['/providers', 'Providers']}>
      {value => (
        <>
          <PageHead
            title={
              <>
                <a class="trail" href="/providers">
                  Providers
                </a>{' '}
                <span class="trail">/</span> <span title={id}>{providerInWords(id)}</span>
              </>
            }
            actions={<ProviderActions provider={value} reload={provider.reload} />}
          >
            <Standing provider={value} />
          </PageHead>
          <Reasons provider={value} />
          <Panel title="Health" actions={<SpanChoice />}>
            <Shown of={history}>
              {found => <HealthStrip history={found} isRefused={value.login_refused} />}
            </Shown>
          </Panel>
          <div class="split">
            <Panel title="Failures by class">
              <Shown of={history}>{found => <Failures history={found} />}</Shown>
            </Panel>
            <Panel title="Windows and spending">
              <div class="stack">
                {value.windows.map(use => (
                  <Meter key={`${use.window}:${use.unit}`} use={use} />
                ))}
                {value.windows.length === 0 ? (
                  <p class="soft">
                    No caps are set, and it reports no windows. Set caps for it in mulligan.toml.
                  </p>
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

/** What a block is about. Whose login it is says the provider; the mark of a credential says nothing to a person. */
function scopeInWords({ quota, model }: Provider['blocks'][number]['scope'], id: string): string {
  if (quota === undefined) return 'its login, '
  if (model !== undefined) return `model ${model}, `
  return quota === id ? '' : `quota ${quota}, `
}

/** What a person does so that it serves again. */
function wayBackInWords({ login_refused: loginRefused, blocks }: Provider): string {
  const need = needOf({ loginRefused, blocks })
  return need === undefined ? 'It serves again after you reset it.' : `${STEPS[need]}, then reset it.`
}

/** Why it gets no calls, with the failures that caused it. */
function Reasons({ provider }: { provider: Provider }) {
  const { admits, reason, until, blocks, breaker, paused, login_refused: isRefused } = provider
  if (canServe(provider) && blocks.length === 0 && breaker.state === 'closed') return null
  return (
    <section
      class="panel why"
      data-state={canServe(provider) ? 'scheduled' : 'parked'}
      aria-labelledby="why-not"
    >
      <h2 id="why-not">
        {isRefused && admits ? 'Its login is refused' : admits ? 'Limits in force' : 'Why it gets no calls'}
      </h2>
      {paused?.until ? (
        <p class="large">
          It is paused until <Moment at={paused.until} as="both" />.
        </p>
      ) : until ? (
        <p class="large">
          It {backInWords(provider)}
          {Date.parse(until) <= now.value ? (
            ' any moment'
          ) : (
            <>
              {' at '}
              <Moment at={until} as="both" />
            </>
          )}
          .
        </p>
      ) : canServe(provider) ? null : (
        <p class="large">{paused ? 'It serves again after you resume it.' : wayBackInWords(provider)}</p>
      )}
      {isRefused && admits ? <p class="soft">{TESTS_LOGIN}</p> : null}
      {reason && blocks.length === 0 && breaker.state === 'closed' ? (
        <p class="soft">
          <DaemonWords text={reason} />
        </p>
      ) : null}
      {paused ? (
        <p class="soft">
          Paused <Moment at={paused.at} as="both" />
        </p>
      ) : null}
      {breaker.state === 'closed' ? null : (
        <p class="soft">
          <BreakerWords provider={provider} />
        </p>
      )}
      {blocks.map(({ scope, from, failure }) => (
        <div key={`${JSON.stringify(scope)}${from}`} class="stack tight">
          <p>
            <ClassBadge of={failure.class} kind={failure.kind} />{' '}
            <span class="soft">
              {scopeInWords(scope, provider.id)}since <Moment at={from} as="both" />, by rule{' '}
              <code>{failure.evidence.rule}</code>
            </span>
          </p>
          <Excerpt text={failure.text ?? failure.message} excerpt={failure.evidence.excerpt} />
        </div>
      ))}
    </section>
  )
}
