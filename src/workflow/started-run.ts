import type { StepResult } from '../ledger/workflow-run.ts'
import type { Queue } from '../queue/queue.ts'
import type { RunView } from './view.ts'
import { waitForEnd } from './wait.ts'
import { Workflows } from './workflows.ts'

/** A run of a workflow that was started, here or under its key before. */
export class StartedRun {
  /** `wf_` and a number. */
  readonly id: string
  /** False if the key stood for it already. */
  readonly created: boolean
  readonly #queue: Queue

  constructor(queue: Queue, id: string, created: boolean) {
    this.#queue = queue
    this.id = id
    this.created = created
  }

  /** The run once it has ended, in whatever process; abort stops waiting. */
  wait({ signal }: { signal?: AbortSignal } = {}): Promise<RunView> {
    return waitForEnd(this.#queue, this.id, signal)
  }

  /** How it stands now, and what it waits for. */
  show(): Promise<RunView> {
    return new Workflows(this.#queue).show(this.id)
  }

  /** What a step returned; undefined if nothing is kept. */
  result(step: string): Promise<StepResult | undefined> {
    return new Workflows(this.#queue).result(this.id, step)
  }

  /** Ends it. Refused if it has ended. */
  cancel(options: { by?: string; reason?: string } = {}): Promise<RunView> {
    return new Workflows(this.#queue).cancel(this.id, options)
  }
}
