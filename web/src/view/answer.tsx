import { useSignal } from '@preact/signals'
import type { Step } from '../api/answers.ts'
import { post } from '../api/request.ts'
import { Dialog } from '../part/dialog.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Refusal } from '../part/refusal.tsx'
import { useSending } from '../part/sending.ts'
import { tell } from '../part/toast.tsx'
import { jsonOrText } from '../words/params.ts'
import { RunAgainDialog } from './run-again.tsx'

/** Answers the question of a step, or supplies the result of one that runs a capability; the run then continues. */
export function AnswerDialog({
  step: { id, question, ask, answer },
  path,
  onClose,
}: {
  step: Step
  path: string
  onClose: (done: boolean) => void
}) {
  const fields = Object.entries(answer ?? {})
  const isAsked = ask !== undefined
  const values = useSignal<Record<string, string>>({})
  const text = useSignal('')
  const { problem, doubt, send } = useSending(async accepted => {
    const result =
      fields.length > 0
        ? Object.fromEntries(
            fields.flatMap(([name, { type }]) => {
              const given = values.value[name]
              return given === undefined || given === '' ? [] : [[name, typed(given, type)]]
            }),
          )
        : typed(text.value, 'json')
    await post(`${path}/steps/${encodeURIComponent(id)}/advance`, { result, ...accepted })
    tell(`${id} ${isAsked ? 'is answered' : 'has its result'}; the run continues`)
    onClose(true)
  })
  if (doubt.value !== undefined)
    return (
      <RunAgainDialog
        why={doubt.value}
        onClose={isWanted => {
          doubt.value = undefined
          if (isWanted) void send({ may_repeat: true })
        }}
      />
    )
  return (
    <Dialog
      title={isAsked ? `Answer ${id}` : `Supply the result of ${id}`}
      onClose={() => onClose(false)}
      onSubmit={() => void send()}
      footer={
        <>
          <button type="button" class="button" onClick={() => onClose(false)}>
            {isAsked ? 'Later' : 'Leave unchanged'}
          </button>
          <button type="submit" class="button primary">
            {isAsked ? 'Answer' : 'Supply'}
          </button>
        </>
      }
    >
      {isAsked ? (
        <p>
          <Foreign text={question ?? ask} />
        </p>
      ) : (
        <p class="soft">
          It counts as succeeded with this result. Its operation is cancelled if it has not ended.
        </p>
      )}
      {fields.map(([name, { type, required }]) => (
        <div class="field" key={name}>
          <label for={`answer-${name}`}>
            {name}
            {required ? '' : ' (optional)'}
          </label>
          {type === 'boolean' ? (
            <select
              class="input"
              id={`answer-${name}`}
              value={values.value[name] ?? ''}
              required={required}
              onChange={event => {
                values.value = { ...values.value, [name]: event.currentTarget.value }
              }}
            >
              <option value="">choose</option>
              <option value="true">yes</option>
              <option value="false">no</option>
            </select>
          ) : (
            <input
              class="input"
              id={`answer-${name}`}
              required={required}
              value={values.value[name] ?? ''}
              onInput={event => {
                values.value = { ...values.value, [name]: event.currentTarget.value }
              }}
            />
          )}
        </div>
      ))}
      {fields.length > 0 ? null : (
        <label class="field">
          <span>{isAsked ? 'Answer' : 'Result'} (text, or JSON)</span>
          <textarea
            class="input"
            required
            value={text.value}
            onInput={event => {
              text.value = event.currentTarget.value
            }}
          />
        </label>
      )}
      <Refusal problem={problem.value} />
    </Dialog>
  )
}

/** The typed text as a value of its type; parsed if it is JSON. */
function typed(given: string, type: string): unknown {
  return type === 'string' ? given : jsonOrText(given)
}
