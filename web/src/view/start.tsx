import { useSignal } from '@preact/signals'
import type { Capability, Operation, StartableGroup, Workflow, WorkflowRun } from '../api/answers.ts'
import { freshKey } from '../api/fresh-key.ts'
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
import { go, place } from '../route/location.ts'
import { type FormField, fieldsOfParams, fieldsOfSchema, paramsOf } from '../words/schema-form.ts'
import { StartGroup } from './start-group.tsx'

const WHAT = [
  ['operation', 'An operation'],
  ['workflow', 'A workflow'],
  ['group', 'A group'],
] as const

/** For each, where the list of them is, its word, and how one is added. */
const KINDS = {
  operation: {
    path: '/v1/capabilities',
    word: 'Capability',
    none: 'No capabilities',
    table: '[[capability]]',
  },
  workflow: { path: '/v1/workflows', word: 'Workflow', none: 'No workflows', table: '[[workflow]]' },
  group: { path: '/v1/groups', word: 'Group', none: 'No groups with prompts', table: '[[group]]' },
} as const

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

/** Submits an operation, or starts a workflow or a group, by a form made of its parameters. */
export function Start() {
  const asked = place.peek().searchParams.get('what') ?? ''
  const what = useSignal(asked in KINDS ? (asked as keyof typeof KINDS) : 'operation')
  const chosen = useSignal('')
  const { path, word, none, table } = KINDS[what.value]
  const known = useResource<{
    capabilities?: Capability[]
    workflows?: Workflow[]
    startable?: StartableGroup[]
  }>(path, { when: () => false })
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
          {({ capabilities, workflows, startable }) => {
            const forms = (capabilities?.map(ofCapability) ?? workflows?.map(ofWorkflow)) as
              | Startable[]
              | undefined
            const all = forms ?? startable ?? []
            const found = forms?.find(({ name }) => name === chosen.value)
            const group = startable?.find(({ name }) => name === chosen.value)
            if (all.length === 0) return <Empty title={none}>Add one to mulligan.toml with {table}.</Empty>
            return (
              <div class="start-form">
                <div class="field">
                  <label for="start-what">{word}</label>
                  <select
                    id="start-what"
                    class="input"
                    value={chosen.value}
                    onChange={event => {
                      chosen.value = event.currentTarget.value
                    }}
                  >
                    <option value="">Choose …</option>
                    {all.map(({ name }) => (
                      <option key={name} value={name}>
                        {name}
                      </option>
                    ))}
                  </select>
                </div>
                {found ? (
                  <Form
                    key={`${what.value} ${found.name}`}
                    of={found}
                    isWorkflow={what.value === 'workflow'}
                  />
                ) : group ? (
                  <StartGroup key={group.name} group={group} />
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
