import type { NewOperation } from '../ledger/operation.ts'
import type { NewWorkflowAction, StepRecord, WorkflowRun, WorkflowRunState } from '../ledger/workflow-run.ts'
import type { OnFail } from '../plan/plan.ts'
import type { Graph } from './graph.ts'

/** What a step returned, to be kept. */
export interface KeptResult {
  result?: unknown
  resultCut?: true
}

/** What is to be recorded of a step. An operation that is not written yet has no id. */
export type NewStanding =
  | { state: 'none' }
  | { state: 'open'; operation: string; operations: number; deadline?: number }
  | { state: 'open'; starts: NewOperation; operations: number; deadline?: number }
  | { state: 'asked'; deadline?: number }
  | ({ state: 'succeeded'; by?: string } & KeptResult)
  | { state: 'failed'; reason: string; by?: string }
  | { state: 'skipped'; reason: string; cause?: number; by?: string }

type Standing = { state: StepRecord['state'] | 'none'; cause?: number | undefined }

/** What the end of a step means for those who depend on it. */
export function onFailOf({ onFail, optional }: { onFail: OnFail; optional?: boolean }): OnFail {
  // Nobody waits for what may fail.
  return optional === true && onFail === 'abort' ? 'continue' : onFail
}

/**
 * How a run goes on: what is recorded of it, and what is to be recorded. It decides and writes nothing; whoever writes
 * does so in one transaction.
 */
export class Progress {
  #run: WorkflowRun
  readonly graph: Graph
  /** By place. */
  readonly changes = new Map<number, NewStanding>()
  /** Operations that nobody waits for any more, and why. */
  readonly cancels = new Map<string, string>()
  /** Dead operations that are to run again. */
  readonly revives = new Set<string>()
  /** Operations that are to run now, not when their time comes. */
  readonly hastens = new Set<string>()
  action: NewWorkflowAction | undefined
  /** By place; most runs are read once for each end of a step, so that making this is to cost little. */
  readonly #records: StepRecord[] = []
  #state: WorkflowRunState
  #reason: string | undefined
  #isMoved = false
  #settled: Set<number> | undefined

  constructor(run: WorkflowRun, graph: Graph) {
    this.#run = run
    this.graph = graph
    for (const record of run.steps) this.#records[record.step] = record
    this.#state = run.state
  }

  /** As it was read. */
  get run(): WorkflowRun {
    return this.#run
  }

  /** The same for a run that is written only now, and so has its id only now. */
  as(id: string): this {
    this.#run = { ...this.#run, id }
    return this
  }

  /** How the run stands after the changes. */
  get state(): WorkflowRunState {
    return this.#state
  }

  /** Why it ended, if these changes ended it. */
  get reason(): string | undefined {
    return this.#reason
  }

  /** Whether the run's own state is to be written. */
  get isMoved(): boolean {
    return this.#isMoved
  }

  /** Whether there is anything to write. */
  get hasChanged(): boolean {
    return this.changes.size > 0 || this.#isMoved || this.action !== undefined || this.hastens.size > 0
  }

  /** What was recorded of a step. */
  record(place: number): StepRecord | undefined {
    return this.#records[place]
  }

  /** How a step stands after the changes. */
  standing(place: number): Standing {
    return this.changes.get(place) ?? this.#records[place] ?? { state: 'none' }
  }

  /** A step succeeded: by its operation, or because somebody said so. */
  succeed(place: number, kept: KeptResult, by?: string): void {
    this.#letGo(place, 'its result was supplied')
    this.changes.set(place, { state: 'succeeded', ...kept, ...(by === undefined ? {} : { by }) })
  }

  /** A step failed; `onFail` says what that means for the rest. */
  fail(place: number, reason: string, by?: string): void {
    const step = this.graph.at(place)
    this.changes.set(place, { state: 'failed', reason, ...(by === undefined ? {} : { by }) })
    if (this.#state === 'running' && onFailOf(step) === 'abort')
      this.end('failed', `${step.id} failed: ${reason}`, `the run was aborted, because ${step.id} failed`)
  }

  /** A step is not run. Those who depend on it are, unless a failure is the cause. */
  skip(place: number, reason: string, { cause, by }: { cause?: number; by?: string } = {}): void {
    this.#letGo(place, `its step was skipped: ${reason}`)
    this.changes.set(place, {
      state: 'skipped',
      reason,
      ...(cause === undefined ? {} : { cause }),
      ...(by === undefined ? {} : { by }),
    })
  }

  /** A step is run by a new operation. */
  start(place: number, starts: NewOperation, deadline?: number): void {
    const operations = (this.#records[place]?.operations ?? 0) + 1
    this.changes.set(place, {
      state: 'open',
      starts,
      operations,
      ...(deadline === undefined ? {} : { deadline }),
    })
  }

  /** A step waits for an answer. */
  ask(place: number, deadline?: number): void {
    this.changes.set(place, { state: 'asked', ...(deadline === undefined ? {} : { deadline }) })
  }

  /** A step that failed is run again by the operation that it has. */
  reopen(place: number, deadline?: number): void {
    const { operation, operations } = this.#records[place] as StepRecord
    this.changes.set(place, {
      state: 'open',
      operation: operation as string,
      operations,
      ...(deadline === undefined ? {} : { deadline }),
    })
    this.release(place)
    this.open()
  }

  /** Nothing has happened to a step: it begins when its dependencies have ended. */
  forget(place: number, why: string): void {
    this.#letGo(place, why)
    if (this.#records[place] !== undefined) this.changes.set(place, { state: 'none' })
    else this.changes.delete(place)
  }

  /** What was skipped because of a step waits for it again. */
  release(place: number): void {
    for (const each of this.graph.dependents(place))
      if (this.standing(each).state === 'skipped' && this.standing(each).cause === place)
        this.forget(each, 'the step that it depends on is run again')
  }

  /** The run goes on, if it had ended. */
  open(): void {
    if (this.#state === 'running') return
    this.#state = 'running'
    this.#reason = undefined
    this.#isMoved = this.run.state !== 'running'
  }

  /** Ends the run. What is under way is told to end; what has not begun never does. */
  end(state: Exclude<WorkflowRunState, 'running'>, reason: string, why: string): void {
    this.#state = state
    this.#reason = reason
    this.#isMoved = true
    for (const place of this.graph.steps.keys()) {
      const standing = this.standing(place)
      if (standing.state === 'asked') this.forget(place, why)
      if (standing.state !== 'open') continue
      const change = this.changes.get(place)
      // One that was to start in this very moment does not.
      if (change && 'starts' in change) this.forget(place, why)
      else {
        const operation = this.#records[place]?.operation
        if (operation !== undefined && !this.revives.has(operation)) this.cancels.set(operation, why)
      }
    }
  }

  /**
   * Steps whose dependencies have ended, and that can begin now. Those that a failure keeps from it are skipped on the way,
   * and when nothing is left the run ends.
   */
  ready(): number[] {
    if (this.#state !== 'running') return []
    const ready: number[] = []
    // In an order in which dependencies come first, a skip is passed on in one go; any order takes some rounds.
    for (let again = true; again; ) {
      again = false
      ready.length = 0
      for (const place of this.graph.steps.keys()) {
        if (this.standing(place).state !== 'none') continue
        const before = this.graph.before(place)
        const cause = before.map(each => this.#failureOf(each)).find(each => each !== undefined)
        if (cause !== undefined) {
          this.skip(place, `${this.graph.at(cause).id} failed`, { cause })
          again = true
        } else if (before.every(each => this.#isEnded(each))) ready.push(place)
      }
    }
    if (ready.length === 0) this.#endIfDone()
    return ready
  }

  /** Place of the step whose failure keeps the dependents of this one from running. */
  #failureOf(place: number): number | undefined {
    const { state, cause } = this.standing(place)
    if (state === 'skipped') return cause
    return state === 'failed' && onFailOf(this.graph.at(place)) === 'skip_dependents' ? place : undefined
  }

  #isEnded(place: number): boolean {
    const { state } = this.standing(place)
    return state === 'succeeded' || state === 'failed' || state === 'skipped'
  }

  #endIfDone(): void {
    const places = [...this.graph.steps.keys()]
    if (!places.every(place => this.#isEnded(place))) return
    const failed = places.filter(
      place => this.standing(place).state === 'failed' && this.graph.at(place).optional !== true,
    )
    this.#isMoved = true
    this.#state = failed.length > 0 ? 'failed' : 'succeeded'
    this.#reason =
      failed.length > 0 ? `${failed.map(place => this.graph.at(place).id).join(', ')} failed` : undefined
  }

  /** Nobody waits for its operation any more. */
  #letGo(place: number, why: string): void {
    const record = this.#records[place]
    if (record?.state === 'open' && record.operation !== undefined && !this.#settled?.has(place))
      this.cancels.set(record.operation, why)
  }

  /** The operation of a step has ended by itself: there is nothing to cancel. */
  settled(place: number): void {
    this.#settled ??= new Set()
    this.#settled.add(place)
  }
}
