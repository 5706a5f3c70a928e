import { useSignal } from '@preact/signals'
import { formatDuration, parseDuration } from '../../../src/time/duration.ts'
import type { LedgerSize } from '../api/answers.ts'
import { problemOf } from '../api/problem.ts'
import { patch } from '../api/request.ts'
import { FormDialog } from '../part/form-dialog.tsx'
import { Refusal } from '../part/refusal.tsx'
import { tell } from '../part/toast.tsx'

type Retention = LedgerSize['retention']
type Key = Retention[number]['key']

/** What is kept, in words. */
export const KEPT: Record<Key, string> = {
  succeeded: 'Succeeded operations',
  dead: 'Dead operations',
  events: 'Queue and provider events',
  workflows: 'Ended workflow runs',
}

/** Sets how long history is kept. */
export function RetentionDialog({
  retention,
  onClose,
}: {
  retention: Retention
  onClose: (isDone: boolean) => void
}) {
  const before = Object.fromEntries(
    retention.map(({ key, after_ms, set_in }) => [key, set_in === 'ledger' ? formatDuration(after_ms) : '']),
  )
  const texts = useSignal<Record<string, string>>(before)
  const problem = useSignal<string | undefined>(undefined)
  const save = async () => {
    const changes: Partial<Record<Key, number | null>> = {}
    for (const { key } of retention) {
      const text = (texts.value[key] ?? '').trim()
      if (text === before[key]) continue
      const ms = text === '' ? null : parseDuration(text)
      if (ms === undefined) {
        problem.value = `${KEPT[key]}: ${JSON.stringify(text)} is not a duration such as 14d or 12h.`
        return
      }
      changes[key] = ms
    }
    if (Object.keys(changes).length === 0) return onClose(false)
    try {
      await patch('/v1/ledger/retention', changes)
      tell('Retention changed. Older history is deleted within the hour.')
      onClose(true)
    } catch (error) {
      problem.value = problemOf(error).message
    }
  }
  return (
    <FormDialog
      title="Change retention"
      action="Change"
      tone="danger"
      onClose={() => onClose(false)}
      onSubmit={() => void save()}
    >
      <p class="soft">
        History older than this is deleted within the hour, for every host that shares the ledger. Leave a
        field empty to follow the config.
      </p>
      {retention.map(({ key, after_ms, set_in }) => (
        <label class="field" key={key}>
          <span>{KEPT[key]}</span>
          <input
            class="input"
            type="text"
            maxLength={20}
            placeholder={set_in === 'config' ? formatDuration(after_ms) : 'as in the config'}
            value={texts.value[key]}
            onInput={event => {
              texts.value = { ...texts.value, [key]: event.currentTarget.value }
            }}
          />
        </label>
      ))}
      <Refusal id="retention-problem" problem={problem.value} />
    </FormDialog>
  )
}
