import { useSignal } from '@preact/signals'
import type { Provider } from '../api/answers.ts'
import { post } from '../api/request.ts'
import { orTell, tell, tellProblem } from '../part/toast.tsx'
import { type ProbeAnswer, probeInWords } from '../words/probe.ts'
import { PauseDialog } from './pause.tsx'

/** What a person can do about a provider: reset, pause, resume, probe. */
export function ProviderActions({ provider, reload }: { provider: Provider; reload: () => void }) {
  const { id, paused, has_probe: hasProbe } = provider
  const isPausing = useSignal(false)
  const path = `/v1/providers/${encodeURIComponent(id)}`
  const isProbing = useSignal(false)
  const probe = async () => {
    isProbing.value = true
    try {
      const answer = await post<ProbeAnswer>(`${path}/probe`)
      tell(probeInWords(answer), answer.outcome === 'answered' ? 'done' : 'trouble')
      reload()
    } catch (error) {
      tellProblem(error)
    } finally {
      isProbing.value = false
    }
  }
  const act = (action: 'reset' | 'resume', words: string) =>
    orTell(async () => {
      await post(`${path}/${action}`)
      tell(words)
      reload()
    })
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
        <button type="button" class="button primary" onClick={() => void act('resume', 'Resumed')}>
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
        disabled={!hasProbe || isProbing.value}
        title={
          hasProbe ? 'A cheap call that finds out whether it works' : 'Add [provider.probe] to mulligan.toml'
        }
        onClick={() => void probe()}
      >
        {isProbing.value ? 'Probing …' : 'Probe'}
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
