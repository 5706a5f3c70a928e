import { present } from '../failure/present.ts'
import type { AnsweredBy, Field, Fields, FieldType, Plan, PlanStep } from '../plan/plan.ts'
import { MissingCapability, problemsOfPlan } from '../plan/problems.ts'
import type { Checked, Entry } from './check.ts'
import type { Path } from './toml/position.ts'

/** A run may take days, so every mistake that can be known is reported when the config is read, with step and line. */
export function checkWorkflow(checked: Checked, entry: Entry, path: Path): void {
  const steps = checked.entries('step', entry, path)
  const plan: Plan = {
    name: written(entry.name),
    ...(entry.params === undefined ? {} : { params: fieldsOf(checked, entry.params) }),
    steps: steps.map(({ entry: step }) => stepOf(checked, step)),
  }
  const wrongName = steps.filter(
    ({ entry: { id } }) => typeof id === 'string' && !/^[A-Za-z_][\w-]{0,99}$/.test(id),
  )
  for (const { entry: step, path: at } of wrongName)
    checked.mistake(
      [...at, 'id'],
      `must start with a letter and contain only letters, digits, _ and -, not ${JSON.stringify(step.id)}`,
    )
  for (const { step: place, path: within, message } of problemsOfPlan(plan, name =>
    capabilityFields(checked, name),
  )) {
    const step = place === undefined ? undefined : steps[place]
    const at = nearestWritten(step?.entry ?? entry, within)
    const id = step && typeof step.entry.id === 'string' ? `(step ${JSON.stringify(step.entry.id)}) ` : ''
    const rest = within.slice(at.length).join('.')
    checked.mistake([...(step?.path ?? path), ...at], `${id}${rest === '' ? '' : `${rest} `}${message}`)
  }
}

/** The part of a path that exists in the file, to find its line. */
function nearestWritten(entry: Entry, path: readonly (string | number)[]): (string | number)[] {
  let value: unknown = entry
  const written: (string | number)[] = []
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) break
    value = (value as Record<string | number, unknown>)[part]
    written.push(part)
  }
  return written
}

/** The schema reports values of a wrong type; here they count as not given. */
function stepOf(checked: Checked, step: Entry): PlanStep {
  const text = (key: string) => (typeof step[key] === 'string' ? { [key]: step[key] as string } : {})
  const params = checked.table('params', step)
  return {
    id: written(step.id),
    after: Array.isArray(step.after) ? step.after.filter(id => typeof id === 'string') : [],
    onFail: 'abort',
    ...text('run'),
    ...text('ask'),
    ...text('when'),
    ...present({ params }),
    ...(typeof step.answered_by === 'string' ? { answeredBy: step.answered_by as AnsweredBy } : {}),
    ...(step.answer === undefined ? {} : { answer: fieldsOf(checked, step.answer) }),
  }
}

function capabilityFields(checked: Checked, name: string): Fields | undefined | MissingCapability {
  const all = checked.entries('capability').map(({ entry }) => entry)
  const capability = all.find(entry => entry.name === name)
  // Capabilities of modules, and Mulligan's own, are known only once they run.
  const modules = checked.table('queue')?.modules
  if (!capability)
    return (Array.isArray(modules) && modules.length > 0) || name.startsWith('mulligan.')
      ? undefined
      : new MissingCapability(all.map(entry => written(entry.name)))
  return capability.module === undefined ? fieldsOf(checked, capability.params ?? {}) : undefined
}

function fieldsOf(checked: Checked, written: unknown): Fields {
  const declared = (typeof written === 'object' && written !== null ? written : {}) as Entry
  return Object.fromEntries(
    Object.keys(declared).map((name): [string, Field] => {
      const { type = 'string', required = true, secret = false } = checked.table(name, declared) ?? {}
      return [name, { type: type as FieldType, required: required === true, secret: secret === true }]
    }),
  )
}

/** A name as written; what is no text is a mistake that the schema reports, and may have no text at all. */
function written(name: unknown): string {
  return typeof name === 'string' ? name : ''
}
