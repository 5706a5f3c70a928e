import type { z } from 'zod'
import { type Capability, isCapability } from '../capability/capability.ts'
import { present } from '../failure/present.ts'
import { checkNames, namesOf } from '../option/check-names.ts'
import type { Operator } from '../plan/condition.ts'
import { sourceInWords } from '../plan/placeholder.ts'
import type { AnsweredBy, OnFail, Plan, PlanStep } from '../plan/plan.ts'
import { dependenciesOf } from '../plan/problems.ts'
import { makeWorkflow } from './make.ts'
import { type Given, type Reference, referenceTo, sourceOf, withPlaceholders } from './reference.ts'
import { fieldsOfSchema } from './schema-fields.ts'
import type { Workflow } from './workflow.ts'

/** When a step runs: if a value is truthy and not an empty list, if a comparison holds, or a condition as text, as in TOML. */
export type When =
  | string
  | Reference<unknown>
  | readonly [Reference<unknown>, Operator, string | number | boolean | null]

/** Options of both kinds of steps. */
export interface StepOptions {
  /** Steps that must end first; those whose results it uses are added automatically. Default none. */
  after?: readonly (string | StepHandle<unknown>)[]
  /** Skips the step unless this holds. Default: it always runs. */
  when?: When
  /** Its failure does not fail the run. Default false. */
  optional?: boolean
  /** What its failure means for the rest of the run. Default `abort`; for an optional step `continue`. */
  onFail?: OnFail
  /** Time limit from start to end, including retries and waits, in milliseconds. Default no limit. */
  timeoutMs?: number
}

/** A step of a workflow that is being defined. */
export interface StepHandle<R> {
  /** Its name within the workflow. */
  readonly id: string
  /** A reference to its future result. */
  readonly result: Reference<R>
}

/** Defines the steps of a workflow. */
export interface StepMaker<P> {
  /** A reference to the parameters of a run. */
  readonly params: Reference<P>
  /** A step that runs a capability. */
  run<CP, CR, CI>(
    id: string,
    capability: Capability<CP, CR, CI>,
    options?: StepOptions & { params?: Given<CI> },
  ): StepHandle<CR>
  /** The same, for a capability that only its runner has. */
  run(id: string, capability: string, options?: StepOptions & { params?: unknown }): StepHandle<unknown>
  /** A step that waits until a person or an agent answers. */
  ask<A = unknown>(
    id: string,
    question: string,
    options?: StepOptions & { answer?: z.ZodType<A>; answeredBy?: AnsweredBy },
  ): StepHandle<A>
}

/** A step as data, with the keys of the config. */
export interface StepDefinition {
  /** Its name within the workflow. */
  id: string
  /** The capability that it runs, or its name. Give either `run` or `ask`. */
  run?: string | Capability
  /** The question to a person or an agent. */
  ask?: string
  /** Object schema of an answer. Default: any answer. */
  answer?: z.ZodType
  /** Who may answer. Default `person`: no agent over MCP. */
  answeredBy?: AnsweredBy
  /** Steps that must end first. Default none. */
  after?: readonly string[]
  /** Parameters of the capability; texts may contain places such as `{params.repo}` and `{results.build.image}`. */
  params?: unknown
  /** Skips the step unless this holds, such as `results.check.ok`. Default: it always runs. */
  when?: string
  /** Its failure does not fail the run. Default false. */
  optional?: boolean
  /** What its failure means for the rest of the run. Default `abort`; for an optional step `continue`. */
  onFail?: OnFail
  /** Time limit from start to end, in milliseconds. Default no limit. */
  timeoutMs?: number
}

/** The definition of a workflow. */
export interface WorkflowDefinition<S extends z.ZodType> {
  /** Its name, without spaces or quotes. */
  name: string
  /** What it does, for people and agents. Default none. */
  description?: string
  /** Object schema of the parameters of a run. Default: any parameters. */
  params?: S
  /** Its steps: a function that defines them one by one, with types, or data. */
  steps: ((steps: StepMaker<z.output<S>>) => unknown) | readonly StepDefinition[]
}

const NAMES = namesOf<WorkflowDefinition<z.ZodType>>({
  name: true,
  description: true,
  params: true,
  steps: true,
})
const STEP_NAMES = namesOf<StepDefinition>({
  id: true,
  run: true,
  ask: true,
  answer: true,
  answeredBy: true,
  after: true,
  params: true,
  when: true,
  optional: true,
  onFail: true,
  timeoutMs: true,
})

/**
 * Defines a workflow: steps that depend on each other, each an operation or a question. For a cycle, an unknown name or
 * a wrong type, throws a `WorkflowError` that names the step.
 */
export function defineWorkflow<
  S extends z.ZodType = z.ZodType<Record<string, unknown>, Record<string, unknown>>,
>(definition: WorkflowDefinition<S>): Workflow<z.input<S>> {
  checkNames('defineWorkflow', definition, NAMES)
  const { name, description, params: schema, steps } = definition
  const capabilities = new Map<string, Capability>()
  const made =
    typeof steps === 'function'
      ? stepsOf(steps, capabilities)
      : steps.map(step => fromData(name, step, capabilities))
  const params = schema && fieldsOfSchema(schema)
  const plan: Plan = {
    name,
    ...present({ description, params }),
    steps: made,
  }
  return makeWorkflow<z.input<S>>(plan, { ...present({ schema }), capabilities })
}

function stepsOf<P>(
  define: (steps: StepMaker<P>) => unknown,
  capabilities: Map<string, Capability>,
): PlanStep[] {
  const made: PlanStep[] = []
  const add = <R>(
    id: string,
    own: Partial<PlanStep>,
    { after = [], when, ...rest }: StepOptions,
  ): StepHandle<R> => {
    made.push(
      stepOf({
        id,
        ...own,
        after: after.map(step => (typeof step === 'string' ? step : step.id)),
        ...(when === undefined ? {} : { when: whenText(when) }),
        ...rest,
      }),
    )
    return { id, result: referenceTo<R>({ of: 'results', step: id, path: [] }) }
  }
  define({
    params: referenceTo<P>({ of: 'params', path: [] }),
    run: (
      id: string,
      capability: string | Capability,
      { params, ...options }: StepOptions & { params?: unknown } = {},
    ) =>
      add<never>(
        id,
        {
          run: nameOf(capability, capabilities),
          ...(params === undefined ? {} : { params: withPlaceholders(params) }),
        },
        options,
      ),
    ask: <A>(
      id: string,
      ask: string,
      {
        answer,
        answeredBy,
        ...options
      }: StepOptions & { answer?: z.ZodType<A>; answeredBy?: AnsweredBy } = {},
    ) => {
      const fields = answer && fieldsOfSchema(answer)
      return add<A>(
        id,
        { ask, ...(fields ? { answer: fields } : {}), ...(answeredBy ? { answeredBy } : {}) },
        options,
      )
    },
  })
  return made
}

function fromData(workflow: string, step: StepDefinition, capabilities: Map<string, Capability>): PlanStep {
  checkNames(`workflow ${JSON.stringify(workflow)}, step ${JSON.stringify(step.id)}`, step, STEP_NAMES)
  const { run, answer, params, after = [], ...rest } = step
  const fields = answer && fieldsOfSchema(answer)
  return stepOf({
    ...rest,
    after,
    ...(run === undefined ? {} : { run: nameOf(run, capabilities) }),
    ...(fields ? { answer: fields } : {}),
    ...(params === undefined ? {} : { params: withPlaceholders(params) }),
  })
}

/** A step with its defaults and all its dependencies. */
export function stepOf({ onFail, ...step }: Omit<PlanStep, 'onFail'> & { onFail?: OnFail }): PlanStep {
  const made = { ...step, onFail: onFail ?? (step.optional ? 'continue' : 'abort') }
  return { ...made, after: dependenciesOf(made) }
}

function nameOf(capability: string | Capability, capabilities: Map<string, Capability>): string {
  if (!isCapability(capability)) return capability as string
  capabilities.set(capability.name, capability)
  return capability.name
}

function whenText(when: When): string {
  if (typeof when === 'string') return when
  const source = sourceOf(when)
  if (source) return sourceInWords(source)
  const [reference, operator, constant] = when as readonly [unknown, Operator, unknown]
  const compared = sourceOf(reference)
  return `${compared ? sourceInWords(compared) : String(reference)} ${operator} ${JSON.stringify(constant)}`
}
