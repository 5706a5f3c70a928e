import { nearestOrKnown } from '../option/nearest.ts'
import { CONDITION_FORM, readCondition } from './condition.ts'
import { problemOfField } from './field.ts'
import {
  partsOf,
  type Source,
  sourceInWords,
  sourcesIn,
  textsIn,
  wrongPlaceholdersIn,
} from './placeholder.ts'
import type { Field, Fields, Plan, PlanStep } from './plan.ts'

/** A problem with a plan. */
export interface PlanProblem {
  /** Position of the step in the plan; undefined for the whole plan. */
  step?: number
  /** Where in the step: `['after', 0]`, `['params', 'repo']`. */
  path: readonly (string | number)[]
  /** The problem, worded to follow the path. */
  message: string
}

/** There is no such capability; these are all. */
export class MissingCapability {
  readonly known: readonly string[]

  constructor(known: readonly string[]) {
    this.known = known
  }
}

/** The parameters of a capability; undefined if they are unknown. */
export type CapabilityFields = (capability: string) => Fields | undefined | MissingCapability

/**
 * All problems with a plan that can be found before it runs: unknown names, cycles, wrong types.
 */
export function problemsOfPlan(plan: Plan, fieldsOf: CapabilityFields = () => undefined): PlanProblem[] {
  const problems = plan.steps.flatMap((step, index) =>
    problemsOfStep(plan, step, index, fieldsOf).map(problem => ({ step: index, ...problem })),
  )
  return [...problems, ...cyclesOf(plan)]
}

/** All steps that a step depends on: those in `after`, and those whose results it uses. */
export function dependenciesOf({ after, params, when, ask }: Omit<PlanStep, 'onFail' | 'id'>): string[] {
  const sources = [...sourcesIn([params, ask]), ...conditionSources(when)]
  return [...new Set([...after, ...sources.flatMap(({ step }) => (step === undefined ? [] : [step]))])]
}

type Found = Omit<PlanProblem, 'step'>

function problemsOfStep(plan: Plan, step: PlanStep, index: number, fieldsOf: CapabilityFields): Found[] {
  const ids = plan.steps.map(({ id }) => id)
  const problems: Found[] = []
  const found = (path: Found['path'], message: string) => problems.push({ path, message })
  if (ids.indexOf(step.id) !== index) found(['id'], `${JSON.stringify(step.id)} is used twice`)
  if ((step.run === undefined) === (step.ask === undefined))
    found(step.run === undefined ? [] : ['ask'], 'needs exactly one of "run" and "ask"')
  for (const [key, needed] of [
    ['params', 'run'],
    ['answer', 'ask'],
    ['answeredBy', 'ask'],
  ] as const)
    if (step[key] !== undefined && step[needed] === undefined)
      found([key], `is only for steps with ${JSON.stringify(needed)}`)
  step.after.forEach((id, index) => {
    if (id === step.id) found(['after', index], 'names the step itself')
    else if (!ids.includes(id)) found(['after', index], unknown('step', id, ids))
  })
  if (step.when !== undefined && !readCondition(step.when))
    found(['when'], `must be ${CONDITION_FORM}, not ${JSON.stringify(step.when)}`)
  for (const source of conditionSources(step.when)) sourceProblem(plan, step, source, m => found(['when'], m))
  if (step.ask !== undefined) textProblems(plan, step, step.ask, m => found(['ask'], m))
  const params = step.params ?? {}
  for (const [name, value] of Object.entries(params))
    for (const text of textsIn(value)) textProblems(plan, step, text, m => found(['params', name], m))
  if (step.run !== undefined) problems.push(...capabilityProblems(plan, step, fieldsOf(step.run)))
  return problems
}

function textProblems(plan: Plan, step: PlanStep, text: string, found: (message: string) => void): void {
  for (const placeholder of wrongPlaceholdersIn(text))
    found(
      `has ${placeholder}, which is not a placeholder; write {params.NAME} or {results.STEP.NAME}, or {${placeholder}} for the literal text`,
    )
  for (const source of sourcesIn(text)) sourceProblem(plan, step, source, found)
}

function sourceProblem(plan: Plan, step: PlanStep, source: Source, found: (message: string) => void): void {
  const words = sourceInWords(source)
  if (source.step !== undefined) {
    const ids = plan.steps.map(({ id }) => id)
    if (source.step === step.id) found(`uses ${words}, the result of the step itself`)
    else if (!ids.includes(source.step)) found(`uses ${words}: ${unknown('step', source.step, ids)}`)
    return
  }
  const [name] = source.path
  const declared = plan.params && Object.keys(plan.params)
  if (declared && name !== undefined && !declared.includes(String(name)))
    found(`uses ${words}: ${unknown('parameter', String(name), declared)}`)
}

function capabilityProblems(
  plan: Plan,
  { run, params = {} }: PlanStep,
  fields: Fields | undefined | MissingCapability,
): Found[] {
  if (!fields || run === undefined) return []
  if (fields instanceof MissingCapability)
    return [{ path: ['run'], message: `names an ${unknown('capability', run, fields.known)}` }]
  const owner = `the capability ${JSON.stringify(run)}`
  const given = params as Record<string, unknown>
  const problems: Found[] = []
  for (const [name, value] of Object.entries(given)) {
    const path = ['params', name]
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (!field)
      problems.push({ path, message: unknown('parameter', name, Object.keys(fields), ` of ${owner}`) })
    else {
      const message = valueProblem(plan, field, value)
      if (message !== undefined) problems.push({ path, message: `${message}, as ${owner} declares` })
    }
  }
  for (const [name, { required }] of Object.entries(fields))
    if (required && given[name] === undefined)
      problems.push({
        path: ['params'],
        message: `is missing the parameter ${JSON.stringify(name)} of ${owner}`,
      })
  return problems
}

/** The problem with a value or a placeholder for this field, if it can be found before the run. */
function valueProblem(plan: Plan, field: Field, value: unknown): string | undefined {
  const parts = typeof value === 'string' ? partsOf(value) : []
  const placeholders = parts.filter(part => typeof part !== 'string')
  if (placeholders.length === 0 && sourcesIn(value).length === 0) {
    if (field.secret)
      return typeof value === 'string' && /^env:[A-Za-z_]\w*$/.test(value)
        ? undefined
        : 'is a secret and must be "env:NAME"'
    return problemOfField(field, value)
  }
  if (field.secret) return 'is a secret and must be "env:NAME", not a placeholder'
  const [only] = parts
  if (parts.length !== 1 || typeof only !== 'object')
    return typeof value !== 'string' || field.type === 'string' || field.type === 'json'
      ? undefined
      : `must be ${field.type === 'boolean' ? 'true or false' : 'a number'}, not text with placeholders`
  const declared = typeOf(plan, only)
  if (declared === undefined || declared === field.type || declared === 'json' || field.type === 'json')
    return undefined
  if (field.type === 'number' && declared === 'integer') return undefined
  return `must be of type ${field.type}, but ${sourceInWords(only)} is ${declared}`
}

function typeOf({ params, steps }: Plan, { of, step, path }: Source): string | undefined {
  const fields = of === 'params' ? params : steps.find(({ id }) => id === step)?.answer
  const [name] = path
  return fields && path.length === 1 ? fields[String(name)]?.type : undefined
}

function conditionSources(when: string | undefined): Source[] {
  const condition = when === undefined ? undefined : readCondition(when)
  return condition ? [condition.source] : []
}

function unknown(what: string, name: string, known: readonly string[], of = ''): string {
  return `unknown ${what} ${JSON.stringify(name)}${of}; ${nearestOrKnown(name, [...new Set(known)])}`
}

/** Steps that wait for themselves: each cycle once, at its first step in the plan. */
function cyclesOf({ steps }: Plan): PlanProblem[] {
  const byId = new Map(steps.map(step => [step.id, step]))
  const done = new Set<string>()
  const problems: PlanProblem[] = []
  const visit = (id: string, way: readonly string[]): void => {
    const from = way.indexOf(id)
    if (from >= 0) {
      const cycle = way.slice(from)
      const first = Math.min(...cycle.map(each => steps.findIndex(step => step.id === each)))
      const at = cycle.indexOf(steps[first]?.id as string)
      const turned = [...cycle.slice(at), ...cycle.slice(0, at)]
      problems.push({
        step: first,
        path: ['after'],
        message: `waits for itself: ${[...turned, ...turned.slice(0, 1)].join(' after ')}`,
      })
      return
    }
    const step = byId.get(id)
    if (!step || done.has(id)) return
    for (const next of dependenciesOf(step)) if (next !== id) visit(next, [...way, id])
    done.add(id)
  }
  for (const { id } of steps) visit(id, [])
  return problems
}
