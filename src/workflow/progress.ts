import { present } from '../failure/present.ts'
import { listInWords } from '../ledger/list-words.ts'
import type { NewOperation } from '../ledger/operation.ts'
import type { NewWorkflowAction, StepRecord, WorkflowRun, WorkflowRunState } from '../ledger/workflow-run.ts'
import type { OnFail } from '../plan/plan.ts'
import type { Graph } from './graph.ts'

/** The result of a step, to store with the run. */
export interface KeptResult {
  result?: unknown
  resultCut?: true
}

/** The new record of a step. An operation that is not stored yet has no id. */
export type NewStanding =
  | { state: 'none' }
  | { state: 'open'; operation: string; operations: number; deadline?: number; cause?: number }
  | { state: 'open'; starts: NewOperation; operations: number; deadline?: number }
  | { state: 'asked'; question: string; deadline?: number }
  | ({ state: 'succeeded'; by?: string } & KeptResult)
  | { state: 'failed'; reason: string; cause?: number }
  | { state: 'skipped'; reason: string; cause?: number; by?: string }

type Standing = { state: StepRecord['state'] | 'none'; cause?: number | undefined }

/** The part of a step's record that decides how its run continues. */
export type StepStanding = Pick<StepRecord, 'step' | 'state' | 'operation' | 'operations' | 'cause'>

/** The part of a run that decides how it continues. */
export type RunStanding = Pick<
  WorkflowRun,
  'id' | 'workflow' | 'plan' | 'params' | 'state' | 'version' | 'createdAt'
> & { readonly steps: readonly StepStanding[] }

/** What the failure of a step means for the rest of its run. */
export function onFailOf({ onFail, optional }: { onFail: OnFail; optional?: boolean }): OnFail {
  // The failure of an optional step never aborts the run.
  return optional === true && onFail === 'abort' ? 'continue' : onFail
}

/**
 * The next changes of a run: its records, and the changes to make to them. Only decides; the caller writes all changes in
 * one transaction.
 */
export class Progress {
  #run: RunStanding
  readonly graph: Graph
  /** By position of the step. */
  readonly changes = new Map<number, NewStanding>()
  /** Operations to cancel, with the reason. */
  readonly cancels = new Map<string, string>()
  /** Dead operations to revive. */
  readonly revives = new Set<string>()
  /** Operations to run now instead of when they are due. */
  readonly hastens = new Set<string>()
  action: NewWorkflowAction | undefined
  /** By position of the step. An array, because a progress is made for each end of a step and must be cheap. */
  readonly #records: StepStanding[] = []
  #state: WorkflowRunState
  #reason: string | undefined
  #isMoved = false
  #settled: Set<number> | undefined

  constructor(run: RunStanding, graph: Graph) {
    this.#run = run
    this.graph = graph
    for (const record of run.steps) this.#records[record.step] = record
    this.#state = run.state
  }

  /** The run as it was read. */
  get run(): RunStanding {
    return this.#run
  }

  /** Sets the id of a new run, which only the transaction that stores it knows. */
  as(id: string): this {
    this.#run = { ...this.#run, id }
    return this
  }

  /** The state of the run after the changes. */
  get state(): WorkflowRunState {
    return this.#state
  }

  /** Why it ended, if these changes ended it. */
  get reason(): string | undefined {
    return this.#reason
  }

  /** Whether the run's own state must be written. */
  get isMoved(): boolean {
    return this.#isMoved
  }

  /** Whether there is anything to write. */
  get hasChanged(): boolean {
    return this.changes.size > 0 || this.#isMoved || this.action !== undefined || this.hastens.size > 0
  }

  /** The record of a step, as it was read. */
  record(place: number): StepStanding | undefined {
    return this.#records[place]
  }

  /** The state of a step after the changes. */
  standing(place: number): Standing {
    return this.changes.get(place) ?? this.#records[place] ?? { state: 'none' }
  }

  /**
   * The run after the changes are written.
   * @param started operations that were stored with them, by position of their step
   */
  written(started: ReadonlyMap<number, string>): RunStanding {
    const records = this.#records.slice()
    for (const [step, standing] of this.changes) {
      if (standing.state === 'none') {
        delete records[step]
        continue
      }
      const { operation = records[step]?.operation, operations = records[step]?.operations ?? 0 } =
        'starts' in standing
          ? { operation: started.get(step), operations: standing.operations }
          : (standing as Partial<StepStanding>)
      records[step] = {
        step,
        state: standing.state,
        operations,
        ...present({ operation }),
        ...('cause' in standing ? { cause: standing.cause } : {}),
      }
    }
    const { id, workflow, plan, params, version, createdAt } = this.#run
    const steps = records.filter(record => record !== undefined)
    return { id, workflow, plan, params, createdAt, state: this.#state, version: version + 1, steps }
  }

  /** Records the success of a step: of its operation, or with a result that `by` supplied. */
  succeed(place: number, kept: KeptResult, by?: string): void {
    this.#letGo(place, 'the result of its step was supplied')
    this.changes.set(place, { state: 'succeeded', ...kept, ...present({ by }) })
  }

  /**
   * Records the failure of a step, and ends the run if its `onFail` is `abort`.
   * @param isByEnd whether only the end of the run cancelled it. Default false.
   */
  fail(place: number, reason: string, isByEnd = false): void {
    const step = this.graph.at(place)
    this.changes.set(place, { state: 'failed', reason, ...(isByEnd ? { cause: place } : {}) })
    if (this.#state === 'running' && onFailOf(step) === 'abort')
      this.end('failed', `${step.id} failed: ${reason}`, `the run was aborted because ${step.id} failed`)
  }

  /** Skips a step. Its dependents still run, unless a failure is the cause. */
  skip(place: number, reason: string, { cause, by }: { cause?: number; by?: string } = {}): void {
    this.#letGo(place, `its step was skipped: ${reason}`)
    this.changes.set(place, {
      state: 'skipped',
      reason,
      ...present({ cause, by }),
    })
  }

  /** Starts a step with a new operation. */
  start(place: number, starts: NewOperation, deadline?: number): void {
    const operations = (this.#records[place]?.operations ?? 0) + 1
    this.changes.set(place, {
      state: 'open',
      starts,
      operations,
      ...present({ deadline }),
    })
  }

  /** Makes a step wait for an answer to its question. */
  ask(place: number, question: string, deadline?: number): void {
    this.changes.set(place, { state: 'asked', question, ...present({ deadline }) })
  }

  /**
   * Runs a failed step again with its existing operation.
   * @param isStopping whether that is still being stopped by the end of the run; it runs again once dead. Default false.
   */
  reopen(place: number, deadline?: number, isStopping = false): void {
    const { operation, operations } = this.#records[place] as StepStanding
    this.changes.set(place, {
      state: 'open',
      operation: operation as string,
      operations,
      ...present({ deadline }),
      ...(isStopping ? { cause: place } : {}),
    })
    this.release(place)
    this.open()
  }

  /** Whether only the end of the run cancelled the operation of a step. */
  isCancelledByEnd(place: number): boolean {
    const { state, cause } = this.#records[place] ?? {}
    return cause === place && (state === 'open' || state === 'failed')
  }

  /** Removes the record of a step: it starts again when its dependencies have ended. */
  forget(place: number, why: string): void {
    this.#letGo(place, why)
    if (this.#records[place] !== undefined) this.changes.set(place, { state: 'none' })
    else this.changes.delete(place)
  }

  /**
   * Resets the dependents of a step that were skipped because of any failure. The recorded cause may be only one of several
   * failed steps; a dependent that another failure still prevents is skipped again.
   */
  release(place: number): void {
    for (const each of this.graph.dependents(place))
      if (this.standing(each).state === 'skipped' && this.standing(each).cause !== undefined)
        this.forget(each, 'the step that it depends on runs again')
  }

  /** Reopens the run if it had ended. */
  open(): void {
    if (this.#state === 'running') return
    this.#state = 'running'
    this.#reason = undefined
    this.#isMoved = this.run.state !== 'running'
  }

  /** Ends the run. Cancels open operations; steps that have not started never do. */
  end(state: Exclude<WorkflowRunState, 'running'>, reason: string, why: string): void {
    this.#state = state
    this.#reason = reason
    this.#isMoved = true
    for (const place of this.graph.steps.keys()) {
      const standing = this.standing(place)
      if (standing.state === 'asked') this.forget(place, why)
      if (standing.state !== 'open') continue
      const change = this.changes.get(place)
      // Its operation is not stored yet, and need not be.
      if (change && 'starts' in change) this.forget(place, why)
      else this.#cancel(place, why)
    }
  }

  /** Cancels the operation of a step and marks the step, so that it continues if the run does. */
  #cancel(place: number, why: string): void {
    const { state, operation, operations } = this.#records[place] as StepStanding
    if (operation === undefined) return
    // It is dead and stays dead.
    if (this.revives.delete(operation)) {
      if (state === 'failed') this.changes.delete(place)
      else this.fail(place, `cancelled: ${why}`, true)
      return
    }
    this.cancels.set(operation, why)
    this.changes.set(place, { state: 'open', operation, operations, cause: place })
  }

  /**
   * Settles what needs no run, and returns the steps that can start now because their dependencies have ended: skips steps
   * that a failed dependency prevents, and ends the run if no step is left.
   */
  settleReady(): number[] {
    if (this.#state !== 'running') return []
    const ready: number[] = []
    // If dependencies come first in the plan, one pass propagates all skips; other orders take several.
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

  /** Position of the failed step that prevents the dependents of this one from running. */
  #failureOf(place: number): number | undefined {
    const { state, cause } = this.standing(place)
    if (state === 'skipped') return cause
    // A step that aborted the run counts here too, once the run is continued.
    return state === 'failed' && onFailOf(this.graph.at(place)) !== 'continue' ? place : undefined
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
      failed.length > 0 ? `${listInWords(failed.map(place => this.graph.at(place).id))} failed` : undefined
  }

  /** Cancels the operation of a step, because its result is no longer needed. */
  #letGo(place: number, why: string): void {
    const record = this.#records[place]
    if (record?.state === 'open' && record.operation !== undefined && !this.#settled?.has(place))
      this.cancels.set(record.operation, why)
  }

  /** Marks the operation of a step as ended, so that it is not cancelled. */
  settled(place: number): void {
    this.#settled ??= new Set()
    this.#settled.add(place)
  }
}
