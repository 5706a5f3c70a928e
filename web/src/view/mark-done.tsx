import { useSignal } from '@preact/signals'
import type { Operation } from '../api/answers.ts'
import { post } from '../api/request.ts'
import { FormDialog, TextField } from '../part/form-dialog.tsx'
import { Refusal } from '../part/refusal.tsx'
import { useSending } from '../part/sending.ts'
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
  const { problem, send } = useSending(async () => {
    await post(`/v1/operations/${id}/done`, {
      ...(result.value.trim() === '' ? {} : { result: jsonOrText(result.value) }),
      ...(reason.value.trim() === '' ? {} : { reason: reason.value.trim() }),
    })
    tell(`${id} is marked as done`)
    onClose(true)
  })
  return (
    <FormDialog
      title="Mark as done"
      onClose={() => onClose(false)}
      onSubmit={() => void send()}
      action="Mark as done"
    >
      <p class="soft">
        You have seen that its work is done. It ends as succeeded and does not run again; whoever waits for it
        gets this result.
      </p>
      <TextField label="Result (text, or JSON; optional)" text={result} rows={4} />
      <TextField label="How you know (optional)" text={reason} />
      <Refusal problem={problem.value} />
    </FormDialog>
  )
}
