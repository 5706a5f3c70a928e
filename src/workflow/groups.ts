import { nearest } from '../option/nearest.ts'
import type { Queue } from '../queue/queue.ts'
import { isWorkflowError, WorkflowError } from './error.ts'
import { groupOfWorkflow, openRunsOfGroup, roundOf } from './group-share.ts'
import { Plans } from './plans.ts'
import { type MemberResult, memberResult } from './started-group.ts'
import { prospectsOf, type StepView, viewOf } from './view.ts'
import { type By, Workflows } from './workflows.ts'

/** Runs of groups that are looked through for their names. */
const MOST_RUNS = 1_000

/** One run of a group. */
export interface GroupMember {
  /** Place in the group, from 1, in the order of the inputs. */
  number: number
  /** The workflow run that it belongs to. */
  run: string
  /** How its step stands. */
  view: StepView
  /** What it is run with. */
  input: unknown
}

/** A group as it stands. */
export interface GroupView {
  name: string
  state: 'running' | 'ended'
  /** In the order of the inputs. */
  members: readonly GroupMember[]
  /** US dollars that it has cost so far, as far as operations are kept. */
  costUsd: number
  /** US dollars that it may cost, as its last run was started. Absent without a limit. */
  maxCostUsd?: number
  /** Runs at once, as its last run was started. Absent without a limit. */
  maxRunning?: number
  /**
   * When it will probably have ended, epoch milliseconds: as long as those that ended took, after the last known wait.
   * Absent while none has ended, and once all have.
   */
  expectedEndAt?: number
}

/** Looks at groups and acts on them. */
export class Groups {
  readonly #queue: Queue
  readonly #workflows: Workflows
  readonly #plans: Plans

  constructor(queue: Queue) {
    this.#queue = queue
    this.#workflows = new Workflows(queue)
    this.#plans = new Plans(queue.ledger)
  }

  /** Names of the groups among the last thousand runs of workflows, the newest first. */
  async names(): Promise<string[]> {
    const { items } = await this.#queue.ledger.workflowRuns({}, { limit: MOST_RUNS })
    return [...new Set(items.flatMap(({ workflow }) => groupOfWorkflow(workflow) ?? []))]
  }

  /**
   * How a group stands: who is where, what it cost, when it will have ended. What is started after all have ended begins
   * anew; those before are in the list of workflow runs.
   */
  async show(name: string): Promise<GroupView> {
    const { ledger } = this.#queue
    const runs = await roundOf(ledger, name, await openRunsOfGroup(ledger, name))
    if (runs.length === 0) throw await this.#missing(name)
    const prospects = await prospectsOf(this.#queue)
    const members: GroupMember[] = []
    let limits = {}
    for (const run of runs) {
      const graph = await this.#plans.of(run)
      limits = graph.plan.group ?? {}
      const { inputs } = run.params as { inputs: readonly unknown[] }
      for (const [place, view] of (await viewOf(this.#queue, run, graph, prospects)).steps.entries())
        members.push({ number: members.length + 1, run: run.id, view, input: inputs[place] })
    }
    const state = runs.some(run => run.state === 'running') ? 'running' : 'ended'
    const costUsd = members.reduce((sum, { view }) => sum + (view.operation?.costUsd ?? 0), 0)
    const group = { name, state, members, costUsd, ...limits } as const
    const expectedEndAt = state === 'running' ? expectedEnd(group, this.#queue.time.now()) : undefined
    return expectedEndAt === undefined ? group : { ...group, expectedEndAt }
  }

  /** What each input has come to so far, in their order. */
  async results(name: string): Promise<readonly MemberResult[]> {
    const { members } = await this.show(name)
    const results: MemberResult[] = []
    for (const { run, view } of members) results.push(await memberResult(this.#workflows, run, view))
    return results
  }

  /** Ends every run of a group; what is under way is told to end. Returns how many had not ended. */
  async cancel(name: string, by: By = {}): Promise<number> {
    const { members } = await this.show(name)
    const running = await openRunsOfGroup(this.#queue.ledger, name)
    if (running.length === 0)
      throw new WorkflowError('ended', `all runs of group ${JSON.stringify(name)} have ended`)
    for (const { id } of running)
      await this.#workflows.cancel(id, by).catch((error: unknown) => {
        // It ended by itself meanwhile; the others are still to be ended.
        if (!isWorkflowError(error) || error.code !== 'ended') throw error
      })
    const ended = new Set(['succeeded', 'failed', 'skipped'])
    return members.filter(({ view }) => !ended.has(view.state)).length
  }

  async #missing(name: string): Promise<WorkflowError> {
    const names = await this.names()
    const guess = nearest(name, names)
    const remedy =
      guess !== undefined
        ? `did you mean ${JSON.stringify(guess)}?`
        : names.length > 0
          ? `known: ${names.join(', ')}`
          : `start one with "mulligan run --group ${name} --queue -- PROMPT…"`
    return new WorkflowError('missing', `there is no group ${JSON.stringify(name)}; ${remedy}`)
  }
}

/** By what those that succeeded took, as many at once as there may be. */
function expectedEnd(
  { members, maxRunning }: Omit<GroupView, 'expectedEndAt'>,
  now: number,
): number | undefined {
  const took = members.flatMap(({ view: { state, record } }) =>
    state === 'succeeded' && record?.endedAt !== undefined ? [record.endedAt - record.startedAt] : [],
  )
  if (took.length === 0) return undefined
  const open = members.filter(({ view }) => !['succeeded', 'failed', 'skipped'].includes(view.state))
  const average = took.reduce((sum, ms) => sum + ms, 0) / took.length
  const rounds = Math.ceil(open.length / Math.min(maxRunning ?? open.length, open.length))
  const latestWait = Math.max(now, ...open.map(({ view }) => view.wait?.until ?? now))
  return Math.round(latestWait + rounds * average)
}
