import type { Capability } from '../capability/capability.ts'
import type { Plan } from '../plan/plan.ts'
import type { Queue } from '../queue/queue.ts'
import type { Attendant, Startable } from '../queue/startable.ts'
import type { StartedRun } from './started-run.ts'

/** How a run is started. */
export interface StartOptions {
  /** Starting the same key and parameters again gives the same run, as long as it is kept. Default none. */
  key?: string
  /** The session that starts it and wants to hear how it ended. Default none. */
  session?: string
  /** Who starts it, for people. Default the session, else `code`. */
  by?: string
}

/** Steps that depend on each other and that can wait. `P` is what a run is started with. */
export interface Workflow<P = unknown> extends Startable<P, StartedRun, StartOptions> {
  /** What runs call it. */
  readonly name: string
  /** Its steps as JSON. A run keeps its own: a changed workflow changes no run. */
  readonly plan: Plan
  /** What it runs, where that was given as such and not by name. */
  readonly capabilities: readonly Capability[]
  /** What is wrong with the parameters of a run; empty if nothing. */
  problems(params: unknown): Promise<readonly string[]> | readonly string[]
  start(queue: Queue, params: P, options?: StartOptions): Promise<StartedRun>
  attend(queue: Queue, onError: (error: unknown) => void): Attendant
}

/** Marks workflows; also known to other copies of this package. */
export const WORKFLOW_KIND: unique symbol = Symbol.for('mulligan.workflow') as never

/** True for what `defineWorkflow` made, also in another copy of this package. */
export function isWorkflow(value: unknown): value is Workflow {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === WORKFLOW_KIND
}
