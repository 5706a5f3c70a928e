import type { LedgerError } from '../ledger/error.ts'
import { Lookout } from '../ledger/lookout.ts'
import { isEnded } from '../ledger/operation.ts'
import { answerOf } from '../ledger/writing.ts'
import type { Queue } from '../queue/queue.ts'
import { formatDuration } from '../time/duration.ts'
import { beginSteps, noTurn } from './begin-steps.ts'
import type { Plans } from './plans.ts'
import { Progress } from './progress.ts'
import { isRefusal, writeProgress } from './write.ts'

/** How long nothing may happen to a run before it is reported as idle, in milliseconds: 24 h. */
export const IDLE_AFTER_MS = 86_400_000
/** Longest time between two checks, in milliseconds: clocks jump, and other processes start steps with a time limit. */
const LOOK_EVERY_MS = 60_000
/** How long to wait after a change before checking, so that one check covers many changes, in milliseconds. */
const GATHER_MS = 1_000
const AT_ONCE = 100

/** What {@link WorkflowTimes} works with. */
export interface WorkflowTimesDeps {
  queue: Queue
  plans: Plans
  /** Called with each error; the check is repeated. */
  onError: (error: unknown) => void
}

/** Ends steps whose time has run out, and reports each idle run once. */
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
    // A change may have started a step with a time limit: a check then sets the timer for it.
    if (!this.#lookout.isClosed)
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
    // A deadline still in the past belongs to a step whose operation has ended; the reader of that event ends the step.
    const left = (next?.deadline ?? Infinity) - time.now()
    const wait = Math.min(LOOK_EVERY_MS, left > 0 ? left : GATHER_MS)
    this.#cancelTimer?.()
    if (!this.#lookout.isClosed) this.#cancelTimer = time.after(wait, () => void this.#lookout.now())
  }

  async #expire(id: string, place: number, refusal?: LedgerError): Promise<void> {
    const { queue, plans } = this.#deps
    const run = await queue.ledger.workflowRun(id)
    if (!run) return
    const progress = new Progress(run, await plans.of(run))
    const { state } = progress.standing(place)
    if (state !== 'open' && state !== 'asked') return
    const { timeoutMs = 0 } = progress.graph.at(place)
    const reason = `timed out: did not end within ${formatDuration(timeoutMs)}`
    const { operation } = progress.record(place) ?? {}
    if (state === 'open' && operation !== undefined) {
      const standing = await queue.ledger.get(operation)
      // The operation has ended, presumably in time: the step ends the same way.
      if (standing && isEnded(standing)) return
      progress.cancels.set(operation, reason)
    }
    progress.fail(place, reason)
    // Steps of a group start only where all its runs are known: when the end of the operation is read.
    await beginSteps(queue, progress, {
      knownOnly: progress.graph.plan.group !== undefined,
      ...(refusal ? { turnOf: noTurn(refusal) } : {}),
    })
    try {
      await queue.ledger.transaction(writes => writeProgress(writes, progress))
    } catch (error) {
      // Otherwise other steps whose time has run out would wait for this one.
      if (refusal || !isRefusal(error)) throw error
      return this.#expire(id, place, error)
    }
    await queue.engine.wake()
  }

  async #tellIdle(): Promise<void> {
    const { ledger, time } = this.#deps.queue
    // This scans all running runs, so it is not done after every change.
    const now = time.monotonic()
    if (now - this.#askedForIdleAt < LOOK_EVERY_MS) return
    this.#askedForIdleAt = now
    const { items } = await ledger.workflowRuns(
      { idleBefore: time.now() - IDLE_AFTER_MS },
      { limit: AT_ONCE },
    )
    for (const { id, workflow, version, updatedAt } of items)
      await ledger.transaction(function* (writes) {
        const about = { workflow_run: id, workflow, since: updatedAt }
        if (yield* answerOf(writes.markIdleTold(id, version)))
          yield* answerOf(writes.tell('workflow_idle', about))
      })
  }
}
