import { useSignal } from '@preact/signals'
import type { Capability, Operation, Workflow, WorkflowRun } from '../api/answers.ts'
import { problemOf } from '../api/problem.ts'
import { post } from '../api/request.ts'
import { useResource } from '../live/resource.ts'
import { Choice } from '../part/choice.tsx'
import { Foreign } from '../part/foreign.tsx'
import { FieldInput } from '../part/form-field.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Refusal } from '../part/refusal.tsx'
import { Empty, Shown } from '../part/standing.tsx'
import { tell } from '../part/toast.tsx'
import { go } from '../route/location.ts'
import { type FormField, fieldsOfParams, fieldsOfSchema, paramsOf } from '../words/schema-form.ts'

const WHAT = [
  ['operation', 'An operation'],
  ['workflow', 'A workflow'],
] as const

/** Parameters whose names nobody declared, as one text. */
const WHOLE: FormField = {
  name: 'params',
  type: 'json',
  isRequired: false,
  choices: [],
  description: 'An object of names and values: { "name": "value" }',
}

/** Something that can be started. */
interface Startable {
  name: string
  description?: string | undefined
  /** Undefined if nobody declared them. */
  fields: FormField[] | undefined
  secrets: readonly string[]
}

/** Submits an operation or starts a workflow, by a form made of its parameters. */
export function Start() {
  const what = useSignal<'operation' | 'workflow'>('operation')
  const chosen = useSignal('')
  const isWorkflow = what.value === 'workflow'
  const known = useResource<{ capabilities?: Capability[]; workflows?: Workflow[] }>(
    isWorkflow ? '/v1/workflows' : '/v1/capabilities',
    { when: () => false },
  )
  return (
    <>
      <PageHead
        title="Start"
        actions={
          <Choice
            label="What to start"
            value={what.value}
            options={WHAT}
            onChange={value => {
              what.value = value
              chosen.value = ''
            }}
          />
        }
      />
      <Panel>
        <Shown of={known}>
          {({ capabilities, workflows }) => {
            const all = (capabilities?.map(ofCapability) ?? workflows?.map(ofWorkflow) ?? []) as Startable[]
            const found = all.find(({ name }) => name === chosen.value)
            if (all.length === 0)
              return (
                <Empty title={isWorkflow ? 'No workflows' : 'No capabilities'}>
                  Add one to mulligan.toml with {isWorkflow ? '[[workflow]]' : '[[capability]]'}.
                </Empty>
              )
            return (
              <div class="start-form">
                <div class="field">
                  <label for="start-what">{isWorkflow ? 'Workflow' : 'Capability'}</label>
                  <select
                    id="start-what"
                    class="input"
                    value={chosen.value}
                    onChange={event => {
                      chosen.value = event.currentTarget.value
                    }}
                  >
                    <option value="">choose</option>
                    {all.map(({ name }) => (
                      <option key={name} value={name}>
                        {name}
                      </option>
                    ))}
                  </select>
                </div>
                {found ? (
                  <Form key={`${what.value} ${found.name}`} of={found} isWorkflow={isWorkflow} />
                ) : null}
              </div>
            )
          }}
        </Shown>
      </Panel>
    </>
  )
}

function ofCapability({
  name,
  description,
  params_schema: schema,
  secret_params: secrets,
}: Capability): Startable {
  return { name, description, fields: fieldsOfSchema(schema), secrets }
}

function ofWorkflow({ name, description, params }: Workflow): Startable {
  return { name, description, fields: params && fieldsOfParams(params), secrets: [] }
}

function Form({
  of: { name, description, fields, secrets },
  isWorkflow,
}: {
  of: Startable
  isWorkflow: boolean
}) {
  const typed = useSignal<Record<string, string>>({})
  const problems = useSignal<Readonly<Record<string, string>>>({})
  const refusal = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  // Sent again after a lost answer, it is the same operation; with other parameters it is another.
  const key = useSignal(freshKey())
  const shown = fields ?? [WHOLE]
  const send = async () => {
    const { params, problems: found } = paramsOf(shown, typed.value)
    problems.value = found
    refusal.value = undefined
    if (Object.keys(found).length > 0 || isBusy.value) return
    isBusy.value = true
    try {
      const given = { params: fields ? params : (params[WHOLE.name] ?? {}), key: key.value }
      if (isWorkflow) {
        const { id } = await post<WorkflowRun>(`/v1/workflows/${encodeURIComponent(name)}/runs`, given)
        tell(`Started as ${id}`)
        go(`/workflows/${id}`)
      } else {
        const { id } = await post<Operation>('/v1/operations', { capability: name, ...given })
        tell(`Submitted as ${id}`)
        go(`/operations/${id}`)
      }
    } catch (error) {
      const { message, mistakes } = problemOf(error)
      const named = mistakes.flatMap(mistake => {
        const field = fieldAt(mistake.at, shown)
        return field === undefined ? [] : [[field, mistake.message] as const]
      })
      problems.value = Object.fromEntries(named)
      if (named.length === 0 || named.length < mistakes.length) refusal.value = message
    } finally {
      isBusy.value = false
    }
  }
  return (
    <form
      class="start-form"
      onSubmit={event => {
        event.preventDefault()
        void send()
      }}
    >
      {description === undefined ? null : (
        <p class="soft">
          <Foreign text={description} />
        </p>
      )}
      {shown.map(field => (
        <FieldInput
          key={field.name}
          field={field}
          isSecret={secrets.includes(field.name)}
          value={typed.value[field.name] ?? ''}
          problem={problems.value[field.name]}
          onInput={value => {
            typed.value = { ...typed.value, [field.name]: value }
            key.value = freshKey()
          }}
        />
      ))}
      {shown.length === 0 ? <p class="soft">It takes no parameters.</p> : null}
      <Refusal problem={refusal.value} />
      <p>
        <button type="submit" class="button primary" disabled={isBusy.value}>
          {isWorkflow ? 'Start' : 'Submit'}
        </button>
      </p>
    </form>
  )
}

/** The field that a mistake of a request is about: `body.params.items[0]` is about `items`. */
function fieldAt(at: string, fields: readonly FormField[]): string | undefined {
  const path = at.replace(/^body\.params\.?/, '')
  return fields.find(
    ({ name }) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`),
  )?.name
}

/** Not `randomUUID`, which a page without TLS lacks outside loopback. */
function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return `dashboard-${Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')}`
}
