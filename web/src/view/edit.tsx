import { useSignal } from '@preact/signals'
import type { Operation } from '../api/answers.ts'
import { patch, post } from '../api/request.ts'
import { FormDialog, TextField } from '../part/form-dialog.tsx'
import { Refusal } from '../part/refusal.tsx'
import { useSending } from '../part/sending.ts'
import { tell } from '../part/toast.tsx'
import { changesOf } from '../words/params.ts'
import { RunAgainDialog } from './run-again.tsx'

/** Changes the parameters of an operation and runs it with them. Hidden secrets stay unless they are changed. */
export function EditDialog({
  operation,
  onClose,
}: {
  operation: Operation
  onClose: (done: boolean) => void
}) {
  const before = operation.params as Record<string, unknown>
  const text = useSignal(JSON.stringify(before, null, 2))
  const { problem, doubt, send } = useSending(async accepted => {
    const changed = changesOf(before, text.value)
    const path = `/v1/operations/${operation.id}`
    const isChanged = Object.keys(changed).length > 0
    if (isChanged) await patch(path, { changed_params: changed, revive: true, ...accepted })
    if (!isChanged || operation.state !== 'dead') await post(`${path}/retry`, accepted)
    tell(operation.held_by === undefined ? 'Running with these parameters' : 'Saved')
    onClose(true)
  })
  if (doubt.value !== undefined)
    return (
      <RunAgainDialog
        why={doubt.value}
        onClose={isWanted => {
          doubt.value = undefined
          if (isWanted) void send({ may_repeat: true })
          else onClose(false)
        }}
      />
    )
  const verb = operation.attempts === 0 ? 'run' : 'retry'
  return (
    <FormDialog
      title={`Edit and ${verb}`}
      onClose={() => onClose(false)}
      onSubmit={() => void send()}
      action={`Save and ${verb}`}
    >
      <TextField label="Parameters (JSON)" text={text} rows={10} />
      <p class="soft small">Secrets are hidden; those you do not change stay the same.</p>
      <Refusal problem={problem.value} />
    </FormDialog>
  )
}
