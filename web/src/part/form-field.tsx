import type { FormField } from '../words/schema-form.ts'
import { Foreign } from './foreign.tsx'
import { Refusal } from './refusal.tsx'

/** One field of a form, with its problem. */
export function FieldInput({
  field: { name, type, isRequired, choices, description, byDefault },
  isSecret = false,
  value,
  problem,
  onInput,
}: {
  field: FormField
  isSecret?: boolean
  value: string
  problem?: string | undefined
  onInput: (value: string) => void
}) {
  const id = `param-${name}`
  const common = {
    id,
    class: 'input',
    value,
    required: isRequired,
    'aria-invalid': problem !== undefined,
    'aria-describedby': `${id}-about ${id}-problem`,
    onInput: (event: { currentTarget: { value: string } }) => onInput(event.currentTarget.value),
  }
  const options = type === 'boolean' ? [['true', 'yes'] as const, ['false', 'no'] as const] : undefined
  const about = [
    ...(type === 'json' ? ['JSON.'] : []),
    ...(description === undefined ? [] : [description]),
    ...(byDefault === undefined ? [] : [`Default ${JSON.stringify(byDefault)}.`]),
  ].join(' ')
  return (
    <div class="field">
      <label for={id}>
        <Foreign text={name} />
        {isRequired ? ' (required)' : ''}
      </label>
      {type === 'boolean' || type === 'choice' ? (
        <select {...common}>
          <option value="">{isRequired ? 'choose' : 'leave out'}</option>
          {(options ?? choices.map((each, index) => [String(index), String(each)] as const)).map(
            ([each, words]) => (
              <option key={each} value={each}>
                {words}
              </option>
            ),
          )}
        </select>
      ) : type === 'number' || type === 'integer' ? (
        <input {...common} type="number" step={type === 'integer' ? 1 : 'any'} />
      ) : isSecret ? (
        <input {...common} type="password" autocomplete="off" />
      ) : (
        <textarea
          {...common}
          data-short={type === 'text'}
          rows={type === 'text' ? 1 : 4}
          spellcheck={type === 'text'}
        />
      )}
      <p class="soft small" id={`${id}-about`}>
        <Foreign text={about} />
      </p>
      <Refusal id={`${id}-problem`} problem={problem} />
    </div>
  )
}
