import type { Overview, Provider } from '../api/answers.ts'
import { post } from '../api/request.ts'
import { useResource } from '../live/resource.ts'
import { PageHead, Panel } from '../part/panel.tsx'
import { Empty, Shown } from '../part/standing.tsx'
import { orTell, tell } from '../part/toast.tsx'
import { type ProbeAnswer, probeInWords } from '../words/probe.ts'
import { canServe, isSurface } from '../words/surface.ts'
import { ProviderCard } from './provider-card.tsx'

/** All providers: which can serve, and why the others cannot. */
export function Providers() {
  const providers = useResource<{ providers: Provider[] }>('/v1/providers', { everyMs: 10_000 })
  const overview = useResource<Overview>('/v1/overview', { atMostEveryMs: 2_000 })
  const agenda = overview.value.value?.agenda
  const all = providers.value.value?.providers ?? []
  const working = all.filter(provider => !isSurface(provider))
  const serving = working.filter(canServe).length
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
        <span class="soft">{working.length > 0 ? `${serving} of ${working.length} can serve` : ''}</span>
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

function probeAll(reload: () => void): Promise<void> {
  return orTell(async () => {
    const { probes } = await post<{ probes: ProbeAnswer[] }>('/v1/providers/probe')
    if (probes.length === 0) tell('No provider has a probe; add [provider.probe] to mulligan.toml', 'trouble')
    else
      tell(
        probes.map(probeInWords).join(' · '),
        probes.every(({ outcome }) => outcome === 'answered') ? 'done' : 'trouble',
      )
    reload()
  })
}
