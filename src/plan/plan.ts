/** What happens to the rest of a run when a step fails. */
export const ON_FAIL = ['abort', 'skip_dependents', 'continue'] as const
/** What happens to the rest of a run when a step fails. */
export type OnFail = (typeof ON_FAIL)[number]

/** Types of a field. */
export const FIELD_TYPES = ['string', 'integer', 'number', 'boolean', 'json'] as const
/** Type of a field; `json` allows any value. */
export type FieldType = (typeof FIELD_TYPES)[number]

/** Who may answer a question. */
export const ANSWERED_BY = ['person', 'agent', 'anyone'] as const
/** Who may answer a question. */
export type AnsweredBy = (typeof ANSWERED_BY)[number]

/** A parameter of a workflow or a capability, or a field of an answer. */
export interface Field {
  type: FieldType
  required: boolean
  /** Stored encrypted and never shown. Default false. */
  secret?: boolean
}
/** Fields by name. */
export type Fields = Readonly<Record<string, Field>>

/** One step of a plan: a capability to run, or a question to a person or an agent. */
export interface PlanStep {
  /** Its name within the plan. */
  id: string
  /** Name of the capability that it runs. A step has either `run` or `ask`. */
  run?: string
  /** The question to a person or an agent; may contain placeholders. */
  ask?: string
  /** Fields of an answer. Default: any answer. */
  answer?: Fields
  /** Who may answer. Default `person`: no agent over MCP. */
  answeredBy?: AnsweredBy
  /** Steps that must end first. */
  after: readonly string[]
  /** Parameters of the capability: JSON whose texts may contain placeholders such as `{params.repo}`. Default none. */
  params?: unknown
  /** Skips the step unless this holds, such as `results.check.ok`. Default: it always runs. */
  when?: string
  /** Its failure does not fail the run. Default false. */
  optional?: boolean
  /** What its failure means for the rest of the run. */
  onFail: OnFail
  /** Time limit from start to end, including retries and waits, in milliseconds. Default no limit. */
  timeoutMs?: number
  /** Names of the providers that can serve it, in order of preference. Default: those of the capability. */
  providers?: readonly string[]
}

/** Limits that all runs of a group share. */
export interface GroupLimits {
  /** Maximum open steps at once, over all runs of the group; one that waits for a person does not count. Default no limit. */
  maxRunning?: number
  /** Cost limit of all runs of the group together, in US dollars: once spent, no further step starts. Default no limit. */
  maxCostUsd?: number
}

/** Everything needed to continue a run of a workflow, as JSON. */
export interface Plan {
  /** Name of the workflow. */
  name: string
  /** What it does. Default none. */
  description?: string
  /** Its parameters. Default: any. */
  params?: Fields
  /** Makes its runs a group: those of the same name share these limits. Default none. */
  group?: GroupLimits
  steps: readonly PlanStep[]
}
