import { useSignal } from '@preact/signals'
import type { Group, StartableGroup } from '../api/answers.ts'
import { freshKey } from '../api/fresh-key.ts'
import { problemOf } from '../api/problem.ts'
import { post } from '../api/request.ts'
import { Foreign } from '../part/foreign.tsx'
import { Refusal } from '../part/refusal.tsx'
import { tell } from '../part/toast.tsx'
import { go } from '../route/location.ts'
import { manyOf, usdInWords } from '../words/number.ts'

/** Runs the prompts of a group of the config, after showing them. */
export function StartGroup({
  group: { name, prompts, max_running: most, max_cost_usd: cost },
}: {
  group: StartableGroup
}) {
  const refusal = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  const key = useSignal(freshKey())
  const start = async () => {
    isBusy.value = true
    refusal.value = undefined
    const path = `/v1/groups/${encodeURIComponent(name)}/runs`
    try {
      await post<Group>(path, { key: key.value })
      tell(`${name}: ${manyOf(prompts.length, 'run')} started`)
      go(`/groups/${encodeURIComponent(name)}`)
    } catch (error) {
      refusal.value = problemOf(error).message
    } finally {
      isBusy.value = false
    }
  }
  const limits = [
    ...(most === undefined ? [] : [`at most ${most} at once`]),
    ...(cost === undefined ? [] : [`for ${usdInWords(cost)} together`]),
  ]
  return (
    <form
      class="start-form"
      onSubmit={event => {
        event.preventDefault()
        void start()
      }}
    >
      <p class="soft">{[`It starts ${manyOf(prompts.length, 'agent run')}`, ...limits].join(', ')}:</p>
      <ol>
        {prompts.map((prompt, index) => (
          // Two runs may have the same prompt, and the list never changes.
          <li key={index}>
            <Foreign text={prompt} cut />
          </li>
        ))}
      </ol>
      <Refusal problem={refusal.value} />
      <p>
        <button type="submit" class="button primary" disabled={isBusy.value}>
          Start
        </button>
      </p>
    </form>
  )
}
