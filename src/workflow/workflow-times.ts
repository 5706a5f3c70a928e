import { Lookout } from '../ledger/lookout.ts'
import { whenThere } from '../ledger/maybe-promise.ts'
import type { Queue } from '../queue/queue.ts'
import { formatDuration } from '../time/duration.ts'
import { beginSteps } from './begin-steps.ts'
import type { Plans } from './plans.ts'
import { Progress } from './progress.ts'
import { writeProgress } from './write.ts'

/** How long nothing may happen to a run before somebody is told, in milliseconds: 24 h. */
export const IDLE_AFTER_MS = 86_400_000
/** Longest time between two looks, in milliseconds: clocks jump, and other processes begin steps with a limit. */
const LOOK_EVERY_MS = 60_000
/** How long to wait after a change, so that many are looked at once, in milliseconds. */
const GATHER_MS = 1_000
const AT_ONCE = 100

/** What looks at the times of workflows. */
export interface WorkflowTimesDeps {
  queue: Queue
  plans: Plans
  /** Told of what went wrong; it is tried again. */
  onError: (error: unknown) => void
}

/** Ends steps whose time is over, and tells once of runs that nothing happens to. */
export class WorkflowTimes {
  readonly #deps: WorkflowTimesDeps
  readonly #lookout: Lookout
  #cancelTimer: (() => void) | undefined
  #stopListening: (() => void) | undefined
  #askedForIdleAt = Number.NEGATIVE_INFINITY

  constructor(deps: WorkflowTimesDeps) {
    this.#deps = deps
    const { queue, onError } = deps
    this.#lookout = new Lookout({ time: queue.time, onError, gatherMs: GATHER_MS, look: () => this.#look() })
  }

  async start(): Promise<void> {
    await this.#lookout.now()
    // A step with a limit may have begun; only the timer is set for it.
    this.#stopListening ??= this.#deps.queue.ledger.onChange(() => this.#lookout.soon())
  }

  look(): Promise<void> {
    return this.#lookout.now()
  }

  async stop(): Promise<void> {
    this.#stopListening?.()
    this.#cancelTimer?.()
    await this.#lookout.close()
    this.#cancelTimer?.()
  }

  async #look(): Promise<void> {
    const { ledger, time } = this.#deps.queue
    const steps = await ledger.stepDeadlines(AT_ONCE)
    for (const { run, step, deadline } of steps) {
      if (deadline > time.now()) break
      await this.#expire(run, step)
    }
    await this.#tellIdle()
    const [next] = await ledger.stepDeadlines(1)
    const wait = Math.min(LOOK_EVERY_MS, Math.max(0, (next?.deadline ?? Infinity) - time.now()))
    this.#cancelTimer?.()
    if (!this.#lookout.isClosed) this.#cancelTimer = time.after(wait, () => void this.#lookout.now())
  }

  async #expire(id: string, place: number): Promise<void> {
    const { queue, plans } = this.#deps
    const run = await queue.ledger.workflowRun(id)
    if (!run) return
    const progress = new Progress(run, await plans.of(run))
    const { state } = progress.standing(place)
    if (state !== 'open' && state !== 'asked') return
    const { timeoutMs = 0 } = progress.graph.at(place)
    const reason = `timed out: it did not end within ${formatDuration(timeoutMs)}`
    const { operation } = progress.record(place) ?? {}
    if (state === 'open' && operation !== undefined) progress.cancels.set(operation, reason)
    progress.fail(place, reason)
    // Those of a group begin where all of its runs are known: when the operation has ended.
    await beginSteps(queue, progress, { knownOnly: progress.graph.plan.group !== undefined })
    await queue.ledger.transaction(writes => writeProgress(writes, progress))
    await queue.engine.wake()
  }

  async #tellIdle(): Promise<void> {
    const { ledger, time } = this.#deps.queue
    // What is running is looked through: not after every change.
    const now = time.monotonic()
    if (now - this.#askedForIdleAt < LOOK_EVERY_MS) return
    this.#askedForIdleAt = now
    const { items } = await ledger.workflowRuns(
      { idleBefore: time.now() - IDLE_AFTER_MS },
      { limit: AT_ONCE },
    )
    for (const { id, workflow, version, updatedAt } of items)
      await ledger.transaction(writes =>
        whenThere(writes.markIdleTold(id, version), isFirst =>
          isFirst ? writes.tell('workflow_idle', { workflow_run: id, workflow, since: updatedAt }) : 0,
        ),
      )
  }
}
