/** What happens to the rest of a run when a step fails. */
export const ON_FAIL = ['abort', 'skip_dependents', 'continue'] as const
/** What happens to the rest of a run when a step fails. */
export type OnFail = (typeof ON_FAIL)[number]

/** Types that a parameter or an answer can be declared to have. */
export const FIELD_TYPES = ['string', 'integer', 'number', 'boolean', 'json'] as const
/** A type that a parameter or an answer can be declared to have; `json` is any. */
export type FieldType = (typeof FIELD_TYPES)[number]

/** A parameter of a workflow or a capability, or a field of an answer. */
export interface Field {
  type: FieldType
  required: boolean
  /** Stored encrypted and never shown. Default false. */
  secret?: boolean
}
/** Fields by their names. */
export type Fields = Readonly<Record<string, Field>>

/** One step of a plan: a capability that is run, or a question that somebody answers. */
export interface PlanStep {
  /** Its name within the plan. */
  id: string
  /** Name of the capability that it runs. One of `run` and `ask` is there. */
  run?: string
  /** What it asks a person or an agent; may have places. */
  ask?: string
  /** What an answer must have. Default anything. */
  answer?: Fields
  /** Steps that end before it begins. */
  after: readonly string[]
  /** What the capability is run with: JSON whose texts may have places such as `{params.repo}`. Default none. */
  params?: unknown
  /** It is skipped unless this holds, such as `results.check.ok`. Default it always runs. */
  when?: string
  /** Its failure does not fail the run. Default false. */
  optional?: boolean
  /** What its failure means for the rest. */
  onFail: OnFail
  /** Longest time from its start to its end, retries and waits included, in milliseconds. Default no limit. */
  timeoutMs?: number
  /** Names of the providers that can serve it, the preferred one first. Default those of the capability. */
  providers?: readonly string[]
}

/** What all runs of a group share. */
export interface GroupLimits {
  /** Steps that are under way at once, over all runs of the group; one that waits for a person is not. Default no limit. */
  maxRunning?: number
  /** US dollars that all runs of the group may cost together: once spent, no further step begins. Default no limit. */
  maxCostUsd?: number
}

/** All that is needed to go on with a run of a workflow, as JSON. */
export interface Plan {
  /** Name of the workflow. */
  name: string
  /** What it does. Default none. */
  description?: string
  /** What its parameters must be. Default anything. */
  params?: Fields
  /** Makes its runs a group: they have the same name and share these limits. Default none. */
  group?: GroupLimits
  steps: readonly PlanStep[]
}
