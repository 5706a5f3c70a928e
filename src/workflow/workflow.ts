import type { Capability } from '../capability/capability.ts'
import type { Plan } from '../plan/plan.ts'
import type { Queue } from '../queue/queue.ts'
import type { Attendant, Startable } from '../queue/startable.ts'
import type { StartedRun } from './started-run.ts'

/** Options for starting a run. */
export interface StartOptions {
  /** Starting with the same key and parameters again returns the same run, as long as it is stored. Default none. */
  key?: string
  /** The session that starts it and gets a notice when it ends. Default none. */
  session?: string
  /** Who starts it, for people. Default the session, else `code`. */
  by?: string
}

/** Steps that depend on each other and can wait. `P` is the type of a run's parameters. */
export interface Workflow<P = unknown> extends Startable<P, StartedRun, StartOptions> {
  /** Its name, by which runs refer to it. */
  readonly name: string
  /** Its steps as JSON. A run keeps its own plan: changing the workflow changes no existing run. */
  readonly plan: Plan
  /** The capabilities that its steps were given as objects, not by name. */
  readonly capabilities: readonly Capability[]
  /** Problems with the parameters of a run; empty if there are none. */
  problems(params: unknown): Promise<readonly string[]> | readonly string[]
  start(queue: Queue, params: P, options?: StartOptions): Promise<StartedRun>
  attend(queue: Queue, onError: (error: unknown) => void): Attendant
}

/** Marks workflows; shared with other copies of this package. */
export const WORKFLOW_KIND: unique symbol = Symbol.for('mulligan.workflow') as never

/** True for a workflow made by `defineWorkflow`, even by another copy of this package. */
export function isWorkflow(value: unknown): value is Workflow {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === WORKFLOW_KIND
}
