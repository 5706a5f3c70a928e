import type { LedgerError } from '../ledger/error.ts'
import type { EventType, LedgerEvent } from '../ledger/event.ts'
import { EventReader, type Projection } from '../ledger/event-reader.ts'
import type { LedgerTransaction } from '../ledger/ledger.ts'
import type { OperationStanding, StepOfOperation, WorkflowRunState } from '../ledger/workflow-run.ts'
import type { Writing } from '../ledger/writing.ts'
import type { Queue } from '../queue/queue.ts'
import { PARKED_FOR } from '../queue/run-result.ts'
import type { Attended } from '../queue/startable.ts'
import { STOPPED } from '../verdict/stop-words.ts'
import { beginSteps, deadlineOf, noTurn, type Turn } from './begin-steps.ts'
import { groupOfWorkflow } from './group-name.ts'
import { GroupShare, openRunsOfGroup } from './group-share.ts'
import { keptResult } from './kept-result.ts'
import { Plans } from './plans.ts'
import { Progress, type RunStanding } from './progress.ts'
import { RememberedRuns } from './remembered-runs.ts'
import { reopenCancelled } from './reopen.ts'
import { WORKFLOW_KIND } from './workflow.ts'
import { WorkflowTimes } from './workflow-times.ts'
import { isRefusal, Outdated, writeProgress } from './write.ts'

/** Name of the shared cursor: the last event from which any process has continued workflows. */
export const WORKFLOW_CONSUMER = 'workflow'
/**
 * Events from which a run must continue. The process that starts a run or acts on it starts the steps whose capabilities
 * it has; an attendant starts the others.
 */
const TYPES: readonly EventType[] = [
  'succeeded',
  'dead',
  'revived',
  'parked',
  'workflow_started',
  'workflow_changed',
]

/** Options of a {@link WorkflowService}. */
export interface WorkflowServiceOptions {
  /** The queue that runs the steps. */
  queue: Queue
  /** Called with each error; the work is tried again after a while. */
  onError: (error: unknown) => void
}

/**
 * Continues the runs of all workflows when their steps end, from the ledger's events. Several processes may do this at
 * once: each end is handled once, because the cursor moves in the transaction that writes what follows from it.
 */
export class WorkflowService {
  readonly #queue: Queue
  readonly #plans: Plans
  readonly #reader: EventReader
  readonly #times: WorkflowTimes
  readonly #remembered = new RememberedRuns()
  /** Whether the last batch started operations for runners to claim. */
  #movesRuns = false
  /** Runs whose next changes the ledger refused to write. */
  readonly #refused = new Map<string, LedgerError>()
  /** Runs after the last batch; empty if another process wrote that batch. */
  #written: readonly RunStanding[] = []

  constructor({ queue, onError }: WorkflowServiceOptions) {
    this.#queue = queue
    this.#plans = new Plans(queue.ledger)
    const report = (error: unknown) => {
      // Outdated: the run changed at the same time, and the events are read again.
      if (!(error instanceof Outdated)) onError(error)
    }
    this.#reader = new EventReader({
      ledger: queue.ledger,
      time: queue.time,
      consumer: WORKFLOW_CONSUMER,
      types: TYPES,
      from: 'beginning',
      onError: report,
      project: events => this.#project(events),
      projected: () => this.#projected(),
    })
    this.#times = new WorkflowTimes({ queue, plans: this.#plans, onError: report })
  }

  /** Handles all past events, then new ones as they come, until stopped. */
  async start(): Promise<void> {
    await this.#reader.start()
    await this.#times.start()
  }

  /** Handles all events up to now. Never rejects. */
  async look(): Promise<void> {
    await this.#reader.look()
    await this.#times.look()
  }

  /** Stops reading. Resolves once pending writes are done. May be called twice. */
  async stop(): Promise<void> {
    await Promise.all([this.#reader.stop(), this.#times.stop()])
  }

  async #project(events: readonly LedgerEvent[]): Promise<Projection | undefined> {
    const { ledger } = this.#queue
    this.#written = []
    const operations = [...new Set(events.flatMap(({ operation }) => operation ?? []))]
    const steps = Map.groupBy(await ledger.stepsOfOperations(operations), ({ run }) => run)
    const touched = events.flatMap(({ data }) =>
      typeof data?.workflow_run === 'string' && data.begun !== true ? [data.workflow_run] : [],
    )
    const revived = new Set(
      events.flatMap(({ type, operation }) => (type === 'revived' ? (operation ?? []) : [])),
    )
    const found = new Map<string, Progress>()
    const groups = new Set<string>()
    for (const id of new Set([...steps.keys(), ...touched])) {
      const ends = steps.get(id) ?? []
      const run = this.#remembered.of(id, ends[0]?.version ?? 0) ?? (await ledger.workflowRun(id))
      if (!run) continue
      const progress = new Progress(run, await this.#plans.of(run))
      found.set(id, progress)
      for (const end of ends) await this.#apply(progress, end, revived.has(end.operation))
      await reopenCancelled(this.#queue, progress)
      const group = groupOfWorkflow(run.workflow)
      const refusal = this.#refused.get(id)
      if (group === undefined)
        await beginSteps(this.#queue, progress, refusal ? { turnOf: noTurn(refusal) } : {})
      else groups.add(group)
    }
    for (const group of groups) await this.#goOnWithGroup(group, found)
    const all = [...found.values()].filter(({ hasChanged }) => hasChanged)
    if (all.length === 0) return undefined
    this.#movesRuns = all.some(
      ({ changes, cancels }) => cancels.size > 0 || [...changes.values()].some(change => 'starts' in change),
    )
    return writes => this.#write(writes, all)
  }

  /** Remembers a run whose write is refused, so that the next try fails that run: otherwise all others would wait for it. */
  *#write(writes: LedgerTransaction, all: readonly Progress[]): Writing<void> {
    const written: RunStanding[] = []
    for (const progress of all)
      try {
        written.push(yield* writeProgress(writes, progress))
      } catch (error) {
        if (isRefusal(error)) this.#refused.set(progress.run.id, error)
        throw error
      }
    this.#written = written
  }

  /** Called after the commit of a batch. */
  async #projected(): Promise<void> {
    for (const run of this.#written) {
      this.#remembered.remember(run)
      this.#refused.delete(run.id)
    }
    // Runners of this process do not look at what this process wrote.
    if (this.#movesRuns) await this.#queue.engine.wake()
  }

  /** Lets the other runs of a group use the places that ended steps free; the oldest start first. */
  async #goOnWithGroup(group: string, found: Map<string, Progress>): Promise<void> {
    const { ledger } = this.#queue
    for (const run of await openRunsOfGroup(ledger, group))
      if (!found.has(run.id)) found.set(run.id, new Progress(run, await this.#plans.of(run)))
    const runs = [...found.values()]
      .filter(({ run }) => groupOfWorkflow(run.workflow) === group)
      .sort(
        (a, b) =>
          a.run.createdAt - b.run.createdAt ||
          a.run.id.length - b.run.id.length ||
          (a.run.id < b.run.id ? -1 : 1),
      )
    const share = await GroupShare.of(ledger, group, runs)
    for (const progress of runs)
      await beginSteps(this.#queue, progress, {
        turnOf: this.#turnOf(progress, share),
        began: () => share.began(),
      })
  }

  #turnOf({ run, graph }: Progress, share: GroupShare): () => Turn {
    const refusal = this.#refused.get(run.id)
    return refusal ? noTurn(refusal) : () => share.turn(graph.plan.group ?? {})
  }

  /** Applies the current state of an operation to its step. */
  async #apply(
    progress: Progress,
    { step: place, operation, standing }: StepOfOperation,
    isRevived: boolean,
  ): Promise<void> {
    const record = progress.record(place)
    // The step has had another operation since this was read.
    if (record?.operation !== operation) return
    const step = progress.graph.at(place)
    if (record.state === 'failed' && isRevived && standing.state !== 'dead')
      progress.reopen(place, deadlineOf(this.#queue, step))
    if (progress.standing(place).state !== 'open') return
    if (standing.state === 'succeeded') {
      progress.settled(place)
      progress.succeed(place, await keptResult(this.#queue, operation, standing))
    } else if (standing.state === 'dead') {
      progress.settled(place)
      const isByEnd = standing.deadAs === 'cancelled' && progress.isCancelledByEnd(place)
      if (isByEnd && progress.state === 'running') {
        // The run has continued since.
        progress.revives.add(operation)
        progress.reopen(place, deadlineOf(this.#queue, step))
      } else progress.fail(place, whyDead(standing, isByEnd ? progress.run.state : 'running'), isByEnd)
    } else if (standing.state === 'parked' && step.optional === true)
      progress.skip(place, `optional, and would wait for ${PARKED_FOR[standing.parkedFor]}`)
  }
}

/** For a queue whose runners continue all workflow runs in its ledger, regardless of which process started them. */
export const ALL_WORKFLOWS: Attended = {
  kind: WORKFLOW_KIND,
  attend(queue: Queue, onError) {
    return new WorkflowService({ queue, onError })
  },
}

/** Why an operation died, in one line. */
function whyDead(
  { deadAs, reason, message }: Extract<OperationStanding, { state: 'dead' }>,
  run: WorkflowRunState,
): string {
  if (deadAs === 'cancelled' && run !== 'running')
    return `cancelled: the run was ${run === 'cancelled' ? 'cancelled' : 'aborted'}`
  // The failure says more than the verdict.
  const said = message ?? reason
  return `${STOPPED[deadAs]}${said === undefined ? '' : `: ${said}`}`
}
