import type { Overview, Provider } from '../api/answers.ts'
import { post } from '../api/request.ts'
import { useResource } from '../live/resource.ts'
import { PageHead, Panel } from '../part/panel.tsx'
import { Empty, Shown } from '../part/standing.tsx'
import { tell, tellProblem } from '../part/toast.tsx'
import { ProviderCard } from './provider-card.tsx'

/** All providers: which can serve, and why the others cannot. */
export function Providers() {
  const providers = useResource<{ providers: Provider[] }>('/v1/providers', { everyMs: 10_000 })
  const overview = useResource<Overview>('/v1/overview', { atMostEveryMs: 2_000 })
  const agenda = overview.value.value?.agenda
  const all = providers.value.value?.providers ?? []
  const serving = all.filter(({ admits }) => admits).length
  return (
    <>
      <PageHead
        title="Providers"
        actions={
          <button type="button" class="button" onClick={() => void probeAll(providers.reload)}>
            Probe all
          </button>
        }
      >
        <span class="soft">{all.length > 0 ? `${serving} of ${all.length} can serve` : ''}</span>
      </PageHead>
      <Shown of={providers}>
        {() =>
          all.length === 0 ? (
            <Panel>
              <Empty title="No providers" command="mulligan doctor">
                Add the providers that your agents use to mulligan.toml as [[provider]]. To see which agents
                are installed:
              </Empty>
            </Panel>
          ) : (
            <div class="cards wide">
              {all.map(provider => (
                <ProviderCard
                  key={provider.id}
                  provider={provider}
                  waiting={(agenda?.held[provider.id] ?? 0) + (agenda?.waiting[provider.id] ?? 0)}
                />
              ))}
            </div>
          )
        }
      </Shown>
    </>
  )
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
