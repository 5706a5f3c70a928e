import { useSignal } from '@preact/signals'
import { problemOf } from '../api/problem.ts'
import { get } from '../api/request.ts'
import { Excerpt } from '../part/excerpt.tsx'
import { Json } from '../part/json.tsx'
import { Refusal } from '../part/refusal.tsx'

/** The result of a step, or the answer to its question; loaded when it is opened, because it may be large. */
export function StepResult({ path, word }: { path: string; word: string }) {
  const found = useSignal<{ result: unknown; result_cut?: boolean } | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const load = async () => {
    try {
      found.value ??= await get<{ result: unknown; result_cut?: boolean }>(`${path}/result`)
    } catch (error) {
      problem.value = problemOf(error).message
    }
  }
  return (
    <details class="more" onToggle={event => event.currentTarget.open && void load()}>
      <summary class="soft">{word}</summary>
      <Refusal problem={problem.value} />
      {found.value === undefined ? null : typeof found.value.result === 'string' ? (
        <Excerpt text={found.value.result} excerpt="" />
      ) : (
        <Json value={found.value.result} />
      )}
      {found.value?.result_cut ? (
        <p class="soft small">Too large to store whole: this is its beginning.</p>
      ) : null}
    </details>
  )
}
