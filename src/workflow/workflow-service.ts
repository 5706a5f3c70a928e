import type { EventType, LedgerEvent } from '../ledger/event.ts'
import { EventReader, type Projection } from '../ledger/event-reader.ts'
import { inOrder } from '../ledger/maybe-promise.ts'
import type { Operation } from '../ledger/operation.ts'
import type { Queue } from '../queue/queue.ts'
import type { Attended } from '../queue/startable.ts'
import { beginSteps, deadlineOf } from './begin-steps.ts'
import { GroupShare, groupOfWorkflow, openRunsOfGroup } from './group-share.ts'
import { keptResult } from './kept-result.ts'
import { Plans } from './plans.ts'
import { Progress } from './progress.ts'
import { WORKFLOW_KIND } from './workflow.ts'
import { WorkflowTimes } from './workflow-times.ts'
import { Outdated, writeProgress } from './write.ts'

/** Name of the cursor up to which all processes together have gone on with workflows. */
export const WORKFLOW_CONSUMER = 'workflow'
/**
 * What can happen to the operation of a step, or to a run itself, that it has to go on from. Who starts a run or acts on
 * it begins the steps of capabilities that it knows; an attendant begins the others.
 */
const TYPES: readonly EventType[] = [
  'succeeded',
  'dead',
  'revived',
  'parked',
  'workflow_started',
  'workflow_changed',
]

/** What a service works with. */
export interface WorkflowServiceOptions {
  /** Where steps are run. */
  queue: Queue
  /** Told of what went wrong; it is tried again after a while. */
  onError: (error: unknown) => void
}

/**
 * Goes on with the runs of all workflows when their steps end, from the ledger's events. Several processes may do it:
 * each end is read once, and the cursor moves in the transaction that writes what follows from it.
 */
export class WorkflowService {
  readonly #queue: Queue
  readonly #plans: Plans
  readonly #reader: EventReader
  readonly #times: WorkflowTimes
  /** Whether the last batch has operations that a runner may take. */
  #hasStarted = false

  constructor({ queue, onError }: WorkflowServiceOptions) {
    this.#queue = queue
    this.#plans = new Plans(queue.ledger)
    const report = (error: unknown) => {
      // Somebody acted on the same run at the same time: it is looked at again.
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
      projected: () => (this.#hasStarted ? queue.engine.wake() : undefined),
    })
    this.#times = new WorkflowTimes({ queue, plans: this.#plans, onError: report })
  }

  /** Goes on with what has ended, then with more as it comes, until it is stopped. */
  async start(): Promise<void> {
    await this.#reader.start()
    await this.#times.start()
  }

  /** Goes on with what has ended until now. Never rejects. */
  async look(): Promise<void> {
    await this.#reader.look()
    await this.#times.look()
  }

  /** Reads no more. Settles when what is being written is. May be called twice. */
  async stop(): Promise<void> {
    await Promise.all([this.#reader.stop(), this.#times.stop()])
  }

  async #project(events: readonly LedgerEvent[]): Promise<Projection | undefined> {
    const { ledger } = this.#queue
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
      const run = await ledger.workflowRun(id)
      if (!run) continue
      const progress = new Progress(run, await this.#plans.of(run))
      found.set(id, progress)
      for (const { step, operation: of } of steps.get(id) ?? []) {
        const operation = await ledger.get(of)
        if (operation) await this.#apply(progress, step, operation, revived.has(of))
      }
      const group = groupOfWorkflow(run.workflow)
      if (group === undefined) await beginSteps(this.#queue, progress)
      else groups.add(group)
    }
    for (const group of groups) await this.#goOnWithGroup(group, found)
    const all = [...found.values()].filter(({ hasChanged }) => hasChanged)
    if (all.length === 0) return undefined
    this.#hasStarted = all.some(({ changes }) => [...changes.values()].some(change => 'starts' in change))
    return writes => inOrder(all, progress => writeProgress(writes, progress))
  }

  /** What ended in one run of a group makes room for the others: the oldest begin first. */
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
        turnOf: () => share.turn(progress.graph.plan.group ?? {}),
        began: () => share.began(),
      })
  }

  /** What an operation, as it is now, means for its step. */
  async #apply(progress: Progress, place: number, operation: Operation, isRevived: boolean): Promise<void> {
    const record = progress.record(place)
    const step = progress.graph.at(place)
    if (record?.state === 'failed' && isRevived && operation.state !== 'dead')
      progress.reopen(place, deadlineOf(this.#queue, step))
    if (progress.standing(place).state !== 'open') return
    if (operation.state === 'succeeded') {
      progress.settled(place)
      progress.succeed(place, await keptResult(this.#queue, operation))
    } else if (operation.state === 'dead') {
      progress.settled(place)
      progress.fail(place, whyDead(operation))
    } else if (operation.state === 'parked' && step.optional === true)
      progress.skip(
        place,
        `it is optional, and would wait for ${operation.parkedFor}: ${operation.reason ?? ''}`,
      )
  }
}

/** For a queue whose runners go on with the runs of all workflows in its ledger, whoever started them. */
export const ALL_WORKFLOWS: Attended = {
  kind: WORKFLOW_KIND,
  attend: (queue, onError) => new WorkflowService({ queue, onError }),
}

/** Why an operation ended without success, in one line. */
export function whyDead(operation: Extract<Operation, { state: 'dead' }>): string {
  const { deadAs, reason, failure } = operation
  // What went wrong says more than what was decided about it.
  const said = failure?.message ?? reason
  return `${deadAs}${said === undefined ? '' : `: ${said}`}`
}
