import { useSignal } from '@preact/signals'
import type { Operation } from '../api/answers.ts'
import { problemOf } from '../api/problem.ts'
import { post } from '../api/request.ts'
import { Dialog } from '../part/dialog.tsx'
import { Refusal } from '../part/refusal.tsx'
import { tell } from '../part/toast.tsx'
import { jsonOrText } from '../words/params.ts'

/** Marks an operation as done, with its result, after a person has looked. */
export function MarkDoneDialog({
  operation: { id },
  onClose,
}: {
  operation: Operation
  onClose: (done: boolean) => void
}) {
  const result = useSignal('')
  const reason = useSignal('')
  const problem = useSignal<string | undefined>(undefined)
  const save = async () => {
    problem.value = undefined
    try {
      await post(`/v1/operations/${id}/done`, {
        ...(result.value.trim() === '' ? {} : { result: jsonOrText(result.value) }),
        ...(reason.value.trim() === '' ? {} : { reason: reason.value.trim() }),
      })
      tell(`${id} is marked as done`)
      onClose(true)
    } catch (error) {
      problem.value = problemOf(error).message
    }
  }
  return (
    <Dialog
      title="Mark as done"
      onClose={() => onClose(false)}
      onSubmit={() => void save()}
      footer={
        <>
          <button type="button" class="button" onClick={() => onClose(false)}>
            Leave unchanged
          </button>
          <button type="submit" class="button primary">
            Mark as done
          </button>
        </>
      }
    >
      <p class="soft">
        You have seen that its work is done. It ends as succeeded and does not run again; whoever waits for it
        gets this result.
      </p>
      <label class="field">
        <span>Result (text, or JSON; optional)</span>
        <textarea
          class="input"
          rows={4}
          spellcheck={false}
          value={result.value}
          onInput={event => {
            result.value = event.currentTarget.value
          }}
        />
      </label>
      <label class="field">
        <span>How you know (optional)</span>
        <input
          class="input"
          type="text"
          maxLength={500}
          value={reason.value}
          onInput={event => {
            reason.value = event.currentTarget.value
          }}
        />
      </label>
      <Refusal problem={problem.value} />
    </Dialog>
  )
}
