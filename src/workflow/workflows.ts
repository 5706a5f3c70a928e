import { present } from '../failure/present.ts'
import type { Page, PageRequest } from '../ledger/filter.ts'
import { isEnded } from '../ledger/operation.ts'
import type { StepResult, WorkflowAction, WorkflowRun, WorkflowRunFilter } from '../ledger/workflow-run.ts'
import { problemsOfFields } from '../plan/field.ts'
import type { RepeatOptions } from '../queue/bulk-outcome.ts'
import type { Queue } from '../queue/queue.ts'
import { authorInWords } from './author-words.ts'
import { beginSteps } from './begin-steps.ts'
import { WorkflowError } from './error.ts'
import type { Graph } from './graph.ts'
import { STEP_RESULT_LIMIT_BYTES } from './kept-result.ts'
import { Plans } from './plans.ts'
import { Progress } from './progress.ts'
import { reopenCancelled, runAgain } from './reopen.ts'
import { refuseRepeat } from './repeat.ts'
import { prospectsOf, type RunView, viewOf } from './view.ts'
import { Outdated, writeProgress } from './write.ts'

/** Who acts, and why. */
export interface By {
  /** A person, a session or a program; shown to people. Default `code`. */
  by?: string
  /** Why; shown to people. Default none. */
  reason?: string
}

/** Who continues a run, and whether that may do something twice. */
export interface Continuing extends By, RepeatOptions {}

/** How many times a change is tried when other changes to the run get in first. */
const TRIES = 10

/**
 * Reads workflow runs and acts on them; used by commands, HTTP and MCP. What continues a run rejects with `MayRepeat` if a step
 * may then do something twice, unless `mayRepeat` accepts that.
 */
export class Workflows {
  readonly #queue: Queue
  readonly #plans: Plans

  constructor(queue: Queue) {
    this.#queue = queue
    this.#plans = new Plans(queue.ledger)
  }

  /** The state of a run, and what each step waits for. Throws a {@link WorkflowError} if no run has this id. */
  async show(id: string): Promise<RunView> {
    const run = await this.#existing(id)
    return viewOf(this.#queue, run, await this.#plans.of(run), await prospectsOf(this.#queue))
  }

  /** Runs, newest first, one page at a time. */
  async list(filter: WorkflowRunFilter = {}, page: PageRequest = {}): Promise<Page<RunView>> {
    const { items, next } = await this.#queue.ledger.workflowRuns(filter, page)
    const prospects = await prospectsOf(this.#queue)
    const views: RunView[] = []
    for (const run of items) views.push(await viewOf(this.#queue, run, await this.#plans.of(run), prospects))
    return { items: views, ...present({ next }) }
  }

  /** The result of a step; undefined if none is stored. */
  async result(id: string, step: string): Promise<StepResult | undefined> {
    const run = await this.#existing(id)
    return this.#queue.ledger.stepResult(id, (await this.#plans.of(run)).placeOf(step))
  }

  /** The actions of people and programs on a run, oldest first. */
  async actions(id: string): Promise<readonly WorkflowAction[]> {
    await this.#existing(id)
    return this.#queue.ledger.workflowActions(id)
  }

  /**
   * Answers a question, or supplies the result of a step that has not succeeded; the run continues with it. Cancels the
   * step's operation if it has not ended. If the run had ended, what its end cancelled runs again.
   */
  advance(
    id: string,
    step: string,
    result: unknown,
    { by = 'code', reason, mayRepeat = false }: Continuing = {},
  ): Promise<RunView> {
    return this.#change(id, mayRepeat, async (progress, graph) => {
      const place = graph.placeOf(step)
      const { state } = progress.standing(place)
      if (state === 'succeeded') throw wrong(id, step, 'has already succeeded; its result cannot be replaced')
      if (state === 'none' && progress.run.state === 'running') throw await this.#waits(progress, place)
      if (progress.run.state === 'cancelled') throw wrongRun(progress.run, 'retry it first')
      checkResult(graph, place, result)
      progress.succeed(place, { result }, by)
      progress.release(place)
      progress.open()
      progress.action = {
        by,
        action: 'advance',
        step: place,
        ...present({ note: reason }),
      }
    })
  }

  /**
   * Runs failed steps again and continues with the steps that depend on them. A step that waits for its time or for a
   * person runs now. Without `step`, resumes the whole run. With `from`, the step and all its dependents run again from
   * the beginning, even if they have succeeded.
   */
  retry(
    id: string,
    {
      step,
      from = false,
      by = 'code',
      reason,
      mayRepeat = false,
    }: Continuing & { step?: string; from?: boolean } = {},
  ): Promise<RunView> {
    return this.#change(id, mayRepeat, async (progress, graph) => {
      if (step === undefined) {
        if (from) throw new WorkflowError('invalid', '`from` needs a step')
        await this.#resume(progress)
      } else if (from) this.#runAnew(progress, graph.placeOf(step))
      else await this.#retryStep(progress, graph.placeOf(step))
      progress.open()
      const place = step === undefined ? {} : { step: graph.placeOf(step) }
      const action = from ? 'retry_from' : 'retry'
      progress.action = { by, action, ...place, ...present({ note: reason }) }
    })
  }

  /** Continues without a step. Cancels its operation if it has not ended. If the run had ended, what its end cancelled runs again. */
  skip(
    id: string,
    step: string,
    { by = 'code', reason, mayRepeat = false }: Continuing = {},
  ): Promise<RunView> {
    return this.#change(id, mayRepeat, async (progress, graph) => {
      const place = graph.placeOf(step)
      const { state, cause } = progress.standing(place)
      if (state === 'succeeded') throw wrong(id, step, 'has already succeeded')
      if (state === 'skipped' && cause === undefined) throw wrong(id, step, 'is already skipped')
      if (progress.run.state === 'cancelled') throw wrongRun(progress.run, 'retry it first')
      progress.skip(place, reason ?? `skipped ${authorInWords(by)}`, { by })
      progress.release(place)
      progress.open()
      progress.action = { by, action: 'skip', step: place, ...present({ note: reason }) }
    })
  }

  /** Cancels a run and its open operations. Refused if the run has already succeeded or failed. */
  async cancel(id: string, { by = 'code', reason }: By = {}): Promise<RunView> {
    const { state } = await this.#existing(id)
    // Cancelling twice is harmless.
    if (state === 'cancelled') return this.show(id)
    return this.#change(id, true, async progress => {
      if (progress.run.state !== 'running') throw wrongRun(progress.run, 'there is nothing to cancel')
      const why = `cancelled ${authorInWords(by)}${reason === undefined ? '' : `: ${reason}`}`
      progress.end('cancelled', why, `its run was ${why}`)
      progress.action = { by, action: 'cancel', ...present({ note: reason }) }
    })
  }

  /** Reads, decides and writes; starts over if the run changed in between. Refuses what may happen twice. */
  async #change(
    id: string,
    mayRepeat: boolean,
    decide: (progress: Progress, graph: Graph) => Promise<void>,
  ): Promise<RunView> {
    const { ledger, engine, time } = this.#queue
    for (let tries = 1; ; tries++) {
      const run = await this.#existing(id)
      const graph = await this.#plans.of(run)
      const progress = new Progress(run, graph)
      await decide(progress, graph)
      await reopenCancelled(this.#queue, progress)
      await beginSteps(this.#queue, progress, { knownOnly: true })
      if (!mayRepeat) await refuseRepeat(this.#queue, progress)
      try {
        await ledger.transaction(writes => writeProgress(writes, progress))
      } catch (error) {
        if (!(error instanceof Outdated) || tries >= TRIES) throw error
        continue
      }
      for (const operation of progress.hastens) await hasten(this.#queue, operation, time.now())
      await engine.wake()
      return this.show(id)
    }
  }

  async #existing(id: string): Promise<WorkflowRun> {
    const run = await this.#queue.ledger.workflowRun(id)
    if (!run) {
      const hint = /^wf_\d+$/.test(id) ? '' : '; runs have ids such as wf_1'
      throw new WorkflowError('missing', `there is no workflow run ${JSON.stringify(id)}${hint}`)
    }
    return run
  }

  /** Retries every failed step, and every open one. */
  async #resume(progress: Progress): Promise<void> {
    const { run, graph } = progress
    if (run.state === 'succeeded') throw wrongRun(run, 'to run a part of it again, retry from a step')
    for (const place of graph.steps.keys()) {
      const { state } = progress.standing(place)
      if (state === 'failed' || state === 'open') await this.#retryStep(progress, place)
    }
  }

  async #retryStep(progress: Progress, place: number): Promise<void> {
    const { run, graph } = progress
    const { id } = graph.at(place)
    const { state, cause } = progress.standing(place)
    const { operation: of } = progress.record(place) ?? {}
    switch (state) {
      case 'succeeded':
        throw wrong(run.id, id, 'has already succeeded; to run it and its dependents again, retry from it')
      case 'skipped':
        if (cause !== undefined)
          throw wrong(run.id, id, `was skipped because ${graph.at(cause).id} failed; retry that step instead`)
        progress.forget(place, 'the step runs after all')
        return
      case 'asked':
        throw wrong(run.id, id, `waits for an answer; advance it instead`)
      case 'none':
        if (run.state === 'running') throw await this.#waits(progress, place)
        return
      case 'open': {
        const operation = of === undefined ? undefined : await this.#queue.ledger.get(of)
        if (!operation) return
        // It has ended, but the run does not know yet.
        if (isEnded(operation) || progress.isCancelledByEnd(place))
          await runAgain(this.#queue, progress, place)
        else progress.hastens.add(operation.id)
        return
      }
      case 'failed':
        await runAgain(this.#queue, progress, place)
    }
  }

  /** Resets the step and all its dependents, so that they run from the beginning. */
  #runAnew(progress: Progress, place: number): void {
    const { run, graph } = progress
    const why = `${graph.at(place).id} runs again`
    if (progress.standing(place).state === 'none' && run.state === 'running')
      throw wrong(run.id, graph.at(place).id, 'has not started')
    for (const each of [place, ...graph.dependents(place)]) progress.forget(each, why)
  }

  async #waits(progress: Progress, place: number): Promise<WorkflowError> {
    const { steps } = await this.show(progress.run.id)
    const { wait } = steps[place] ?? {}
    return wrong(
      progress.run.id,
      progress.graph.at(place).id,
      `has not started${wait ? `: it waits for ${wait.what}` : ''}`,
    )
  }
}

/** Makes a scheduled operation due now, and unparks a parked one. Leaves a running one alone. */
async function hasten(queue: Queue, id: string, now: number): Promise<void> {
  const operation = await queue.ledger.get(id)
  if (operation?.state === 'parked')
    await queue.engine.unpark([id], { by: 'person', reason: 'retried by hand' })
  else if (operation?.state === 'scheduled' && operation.dueAt > now)
    await queue.engine.edit(id, { dueAt: now })
}

function checkResult(graph: Graph, place: number, result: unknown): void {
  const { id, answer } = graph.at(place)
  const text = JSON.stringify(result)
  const invalid = (problem: string) =>
    new WorkflowError('invalid_result', `the result of step "${id}" ${problem}`)
  if (text === undefined) throw invalid('is missing; it must be JSON')
  if (Buffer.byteLength(text) > STEP_RESULT_LIMIT_BYTES)
    throw invalid(`has ${Buffer.byteLength(text)} bytes; the limit is ${STEP_RESULT_LIMIT_BYTES}`)
  const problems = answer ? problemsOfFields(answer, result) : []
  if (problems.length > 0) throw invalid(`is invalid: ${problems.join('; ')}`)
}

function wrong(run: string, step: string, problem: string): WorkflowError {
  return new WorkflowError('wrong_state', `step "${step}" of ${run} ${problem}`)
}

function wrongRun({ id, state }: Pick<WorkflowRun, 'id' | 'state'>, remedy: string): WorkflowError {
  return new WorkflowError(
    'ended',
    `${id} has ${state === 'cancelled' ? 'been cancelled' : state}: ${remedy}`,
  )
}
