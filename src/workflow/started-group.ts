import type { Queue } from '../queue/queue.ts'
import type { StepView } from './view.ts'
import { waitForEnd } from './wait.ts'
import { Workflows } from './workflows.ts'

/** The result of one run of a group, or its state if it has not ended. */
export type MemberResult<R = unknown> =
  | { state: 'succeeded'; value: R; cut?: true }
  | { state: 'failed' | 'skipped'; reason: string }
  | {
      state: 'pending' | 'ready' | 'running' | 'retry_pending' | 'waiting'
      waitsFor?: string
      until?: number
    }

/** Runs of a group that were started together, now or earlier with the same key. */
export class StartedGroup<R = unknown> {
  /** `wf_` and a number: a group is recorded as workflow runs. */
  readonly id: string
  /** False if runs with this key already existed. */
  readonly created: boolean
  /** Name of the group. */
  readonly name: string
  readonly #queue: Queue

  constructor(queue: Queue, id: string, created: boolean, name: string) {
    this.#queue = queue
    this.id = id
    this.created = created
    this.name = name
  }

  /** Resolves with all results, in the order of the inputs, once all have ended. Aborting the signal stops the wait. */
  async wait({ signal }: { signal?: AbortSignal } = {}): Promise<readonly MemberResult<R>[]> {
    await waitForEnd(this.#queue, this.id, signal)
    return this.results()
  }

  /** The result or state of each run so far, in the order of the inputs. */
  async results(): Promise<readonly MemberResult<R>[]> {
    const workflows = new Workflows(this.#queue)
    const { steps } = await workflows.show(this.id)
    const results: MemberResult<R>[] = []
    for (const step of steps) results.push((await memberResult(workflows, this.id, step)) as MemberResult<R>)
    return results
  }

  /** Cancels all of them. Refused if they have ended. */
  async cancel(options: { by?: string; reason?: string } = {}): Promise<void> {
    await new Workflows(this.#queue).cancel(this.id, options)
  }
}

/** The state of one run of a group, with its result if it succeeded. */
export async function memberResult(
  workflows: Workflows,
  run: string,
  { step, state, reason, wait }: StepView,
): Promise<MemberResult> {
  switch (state) {
    case 'succeeded': {
      const kept = await workflows.result(run, step.id)
      return { state, value: kept?.result, ...(kept?.resultCut ? { cut: true } : {}) }
    }
    case 'failed':
    case 'skipped':
      return { state, reason: reason ?? '' }
    default:
      return {
        state,
        ...(wait ? { waitsFor: wait.what } : {}),
        ...(wait?.until === undefined ? {} : { until: wait.until }),
      }
  }
}
