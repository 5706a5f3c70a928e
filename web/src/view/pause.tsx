import { useSignal } from '@preact/signals'
import { post } from '../api/request.ts'
import { FormDialog, TextField } from '../part/form-dialog.tsx'
import { tell, tellProblem } from '../part/toast.tsx'

/** When a pause ends, in hours. */
const ENDS = [
  ['', 'when you resume it'],
  ['0.25', 'in 15 minutes'],
  ['1', 'in an hour'],
  ['6', 'in 6 hours'],
  ['24', 'tomorrow, at this time'],
] as const

/** Pauses a provider until it is resumed, or until a time. */
export function PauseDialog({ id, onClose }: { id: string; onClose: (done: boolean) => void }) {
  const reason = useSignal('')
  const hours = useSignal('')
  const pause = async () => {
    try {
      await post(`/v1/providers/${encodeURIComponent(id)}/pause`, {
        ...(reason.value.trim() === '' ? {} : { reason: reason.value.trim() }),
        ...(hours.value === ''
          ? {}
          : { until: new Date(Date.now() + Number(hours.value) * 3_600_000).toISOString() }),
      })
      tell(`${id} gets no more calls`)
      onClose(true)
    } catch (error) {
      tellProblem(error)
      onClose(false)
    }
  }
  return (
    <FormDialog
      title={`Pause ${id}`}
      onClose={() => onClose(false)}
      onSubmit={() => void pause()}
      keep="Do not pause"
      action="Pause"
    >
      <p class="soft">It gets no new calls until the pause ends; running calls continue.</p>
      <label class="field">
        <span>Ends</span>
        <select
          class="input"
          value={hours.value}
          onChange={event => {
            hours.value = event.currentTarget.value
          }}
        >
          {ENDS.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <TextField label="Reason (visible to others)" text={reason} />
    </FormDialog>
  )
}
