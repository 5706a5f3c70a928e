import { useSignal } from '@preact/signals'
import type { Provider } from '../api/answers.ts'
import { post } from '../api/request.ts'
import { tell, tellProblem } from '../part/toast.tsx'
import { PauseDialog } from './pause.tsx'

/** What a person can do about a provider: reset, pause, resume, probe. */
export function ProviderActions({ provider, reload }: { provider: Provider; reload: () => void }) {
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
