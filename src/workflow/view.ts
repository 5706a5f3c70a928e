import type { Pauses } from '../engine/engine.ts'
import { present } from '../failure/present.ts'
import type { Operation } from '../ledger/operation.ts'
import { operationsById } from '../ledger/pages.ts'
import type { StepRecord, WorkflowRun } from '../ledger/workflow-run.ts'
import type { PlanStep } from '../plan/plan.ts'
import type { Queue } from '../queue/queue.ts'
import { PARKED_FOR } from '../queue/run-result.ts'
import { questionOf, valuesFor } from './begin-steps.ts'
import type { Graph } from './graph.ts'
import { Progress } from './progress.ts'
import { recordedStateOf, type StepState } from './step-state.ts'

/** What a step waits for, and until when if that is known. */
export interface Wait {
  /** In words: `a retry`, `an answer`, `the login of claude`. */
  what: string
  /** When it continues automatically, epoch milliseconds; absent if that is unknown. */
  until?: number
  /** When its time runs out, epoch milliseconds; absent without a limit. */
  deadline?: number
  /** Steps that it waits for. */
  steps?: readonly string[]
}

/** The current state of a step. */
export interface StepView {
  step: PlanStep
  state: StepState
  /** Its record, if it has one. */
  record?: StepRecord
  /** The operation that runs it, as long as that is stored. */
  operation?: Operation
  /** What it waits for, if anything. */
  wait?: Wait
  /** The question, with its places filled in; only while it waits for an answer. */
  question?: string
  /** Why it failed, was skipped or will never start. */
  reason?: string
}

/** The state of a run as shown to people. `blocked`: it is running, but no step can continue now. */
export type RunStatus = 'running' | 'blocked' | 'succeeded' | 'failed' | 'cancelled'

/** The current state of a run. */
export interface RunView {
  run: WorkflowRun
  graph: Graph
  status: RunStatus
  /** In the order of the plan. */
  steps: readonly StepView[]
}

/** What decides whether an operation can run now. */
export interface Prospects {
  /** Capabilities of live runners. */
  served: ReadonlySet<string>
  pauses: Pauses
  /** When unavailable providers will be back, epoch milliseconds, if known. */
  backAt: ReadonlyMap<string, number>
}

/** Reads the {@link Prospects} of this moment. */
export async function prospectsOf({ ledger, engine, health }: Queue): Promise<Prospects> {
  const [runners, pauses, providers] = await Promise.all([ledger.runners(), engine.pauses(), health.status()])
  return {
    served: new Set(runners.flatMap(({ capabilities }) => capabilities)),
    pauses,
    backAt: new Map(
      providers.flatMap(({ id, until }) => (until === undefined ? [] : [[id, until] as const])),
    ),
  }
}

/** The view of a run: each step with its state, by the table of states, and what it waits for. */
export async function viewOf(
  queue: Queue,
  run: WorkflowRun,
  graph: Graph,
  prospects: Prospects,
): Promise<RunView> {
  const records = new Map(run.steps.map(record => [record.step, record]))
  const states: StepState[] = []
  const steps: StepView[] = []
  const operations = await operationsById(
    queue.ledger,
    run.steps.flatMap(({ operation }) => operation ?? []),
  )
  for (const [place, step] of graph.steps.entries()) {
    const record = records.get(place)
    const operation = record?.operation === undefined ? undefined : operations.get(record.operation)
    states[place] = recordedStateOf(record?.state, operation)
    steps.push({
      step,
      state: states[place],
      ...present({ record, operation }),
      ...(record?.reason === undefined ? {} : { reason: record.reason }),
    })
  }
  const progress = new Progress(run, graph)
  for (const [place, view] of steps.entries()) {
    if (run.state !== 'running' && view.record === undefined) {
      view.state = 'skipped'
      view.reason = run.state === 'cancelled' ? 'the run was cancelled' : 'the run was aborted'
      continue
    }
    if (view.record?.state === 'asked')
      view.question = questionOf(view.step, await valuesFor(queue, progress, view.step))
    if (view.state === 'pending' && graph.before(place).every(each => isEnd(states[each] as StepState))) {
      if (graph.plan.group && prospects.served.size > 0) {
        view.wait = { what: 'a place in its group' }
        continue
      }
      // It could start, but the process that acted last does not have its capability.
      view.state = 'ready'
      view.wait = { what: 'a runner that continues workflows' }
      continue
    }
    const wait = waitOf(view, graph, place, steps, prospects, queue.time.now())
    if (wait) view.wait = wait
  }
  return { run, graph, steps, status: statusOf(run, steps, queue.time.now()) }
}

function statusOf(run: WorkflowRun, steps: readonly StepView[], now: number): RunStatus {
  if (run.state !== 'running') return run.state
  const canGoOn = steps.some(
    ({ state, wait, record }) =>
      // A step whose operation has ended continues as soon as that is read.
      state === 'running' ||
      (state === 'ready' && !wait) ||
      (state === 'retry_pending' && (wait?.until ?? Infinity) <= now) ||
      (record?.state === 'open' && isEnd(state)),
  )
  return canGoOn ? 'running' : 'blocked'
}

function isEnd(state: StepState): boolean {
  return state === 'succeeded' || state === 'failed' || state === 'skipped'
}

function waitOf(
  { state, operation, record, step }: StepView,
  graph: Graph,
  place: number,
  steps: readonly StepView[],
  prospects: Prospects,
  now: number,
): Wait | undefined {
  const deadline = record?.deadline === undefined ? {} : { deadline: record.deadline }
  switch (state) {
    case 'pending': {
      const waiting = graph.before(place).filter(each => !isEnd(steps[each]?.state as StepState))
      const ids = waiting.map(each => graph.at(each).id)
      return { what: ids.join(', '), steps: ids }
    }
    case 'ready': {
      const what = nobodyRuns(step, operation, prospects, now)
      return what && { ...what, ...deadline }
    }
    case 'retry_pending':
      return operation?.state === 'scheduled'
        ? { what: `a retry${because(operation)}`, until: operation.dueAt, ...deadline }
        : undefined
    case 'waiting':
      if (operation?.state === 'parked')
        return { what: `${PARKED_FOR[operation.parkedFor]}${because(operation)}`, ...deadline }
      if (operation?.state === 'scheduled' && operation.heldBy !== undefined)
        return {
          what: `the provider ${operation.heldBy}${because(operation)}`,
          ...untilBack(operation.heldBy, prospects),
          ...deadline,
        }
      return { what: 'an answer', ...deadline }
    default:
      return undefined
  }
}

function untilBack(provider: string, { backAt }: Prospects): { until?: number } {
  const until = backAt.get(provider)
  return until === undefined ? {} : { until }
}

function because({ reason, failure }: Operation): string {
  const said = failure?.message ?? reason
  return said === undefined ? '' : `: ${said}`
}

/** Why an operation that is ready does not run. */
function nobodyRuns(
  { run }: PlanStep,
  operation: Operation | undefined,
  { served, pauses }: Prospects,
  now: number,
): Wait | undefined {
  if (run === undefined) return undefined
  if (pauses.queue) return { what: 'the queue, which is paused' }
  if (pauses.capabilities.includes(run)) return { what: `the capability ${run}, which is paused` }
  if (!served.has(run)) return { what: `a runner that has ${run}` }
  if (operation?.state === 'scheduled' && operation.dueAt > now)
    return { what: 'its time', until: operation.dueAt }
  return undefined
}
