import type { Provider } from '../api/answers.ts'
import { post } from '../api/request.ts'
import { useResource } from '../live/resource.ts'
import { Badge } from '../part/badge.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Meter } from '../part/meter.tsx'
import { Moment } from '../part/moment.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Empty, Shown } from '../part/standing.tsx'
import { tell, tellProblem } from '../part/toast.tsx'

/** Who can serve, and why the others cannot. */
export function Providers() {
  const providers = useResource<{ providers: Provider[] }>('/v1/providers', { everyMs: 10_000 })
  return (
    <>
      <PageHead
        title="Providers"
        actions={
          <button type="button" class="button" onClick={() => void probeAll(providers.reload)}>
            Probe all
          </button>
        }
      />
      <Shown of={providers}>
        {({ providers: all }) =>
          all.length === 0 ? (
            <Panel>
              <Empty title="No providers" command="mulligan doctor">
                Name those that your agents use in mulligan.toml with [[provider]]. To see which agents are
                installed:
              </Empty>
            </Panel>
          ) : (
            <div class="cards wide">
              {all.map(provider => (
                <Card key={provider.id} provider={provider} />
              ))}
            </div>
          )
        }
      </Shown>
    </>
  )
}

function Card({ provider }: { provider: Provider }) {
  const { id, quota, windows, reason, until } = provider
  return (
    <section class="panel provider-card" aria-label={`Provider ${id}`}>
      <header>
        <h2>
          <a href={`/providers/${encodeURIComponent(id)}`}>{id}</a>
        </h2>
        {quota === id ? null : <span class="soft small">quota {quota}</span>}
        <div class="actions">
          <Standing provider={provider} />
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
        {reason ? (
          <p class="soft clamp">
            <Foreign text={reason} />
          </p>
        ) : null}
        {windows.map(use => (
          <Meter key={`${use.window}:${use.unit}`} use={use} />
        ))}
        {windows.length === 0 ? <p class="soft">No windows are configured or reported.</p> : null}
      </div>
    </section>
  )
}

/** How a provider stands, in a word. */
export function Standing({ provider }: { provider: Provider }) {
  const { admits, paused, login_refused: isLogin, breaker } = provider
  if (paused) return <Badge tone="throttle">paused</Badge>
  if (isLogin) return <Badge tone="permanent">login refused</Badge>
  if (breaker.state === 'open') return <Badge tone="permanent">breaker open</Badge>
  if (!admits) return <Badge tone="throttle">cannot serve</Badge>
  return <Badge tone="good">can serve</Badge>
}

async function probeAll(reload: () => void): Promise<void> {
  try {
    const { probes } = await post<{ probes: { provider: string; outcome: string }[] }>('/v1/providers/probe')
    tell(
      probes.length === 0
        ? 'No provider has a probe; add [provider.probe] to mulligan.toml'
        : probes.map(({ provider, outcome }) => `${provider}: ${outcome}`).join(', '),
    )
    reload()
  } catch (error) {
    tellProblem(error)
  }
}
