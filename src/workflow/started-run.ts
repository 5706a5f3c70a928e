import type { StepResult } from '../ledger/workflow-run.ts'
import type { Queue } from '../queue/queue.ts'
import type { RunView } from './view.ts'
import { waitForEnd } from './wait.ts'
import { Workflows } from './workflows.ts'

/** A workflow run, started now or found by its key. */
export class StartedRun {
  /** `wf_` and a number. */
  readonly id: string
  /** False if a run with this key already existed. */
  readonly created: boolean
  readonly #queue: Queue

  constructor(queue: Queue, id: string, created: boolean) {
    this.#queue = queue
    this.id = id
    this.created = created
  }

  /** Resolves with the run once it has ended, in any process. Aborting the signal stops the wait. */
  wait({ signal }: { signal?: AbortSignal } = {}): Promise<RunView> {
    return waitForEnd(this.#queue, this.id, signal)
  }

  /** Its current state, and what it waits for. */
  show(): Promise<RunView> {
    return new Workflows(this.#queue).show(this.id)
  }

  /** The result of a step; undefined if none is stored. */
  result(step: string): Promise<StepResult | undefined> {
    return new Workflows(this.#queue).result(this.id, step)
  }

  /** Cancels it. Refused if it has already succeeded or failed. */
  cancel(options: { by?: string; reason?: string } = {}): Promise<RunView> {
    return new Workflows(this.#queue).cancel(this.id, options)
  }
}
