import { nearestOrKnown } from '../option/nearest.ts'
import { shellWord } from '../option/shell-word.ts'
import type { Queue } from '../queue/queue.ts'
import { isWorkflowError, WorkflowError } from './error.ts'
import { groupOfWorkflow } from './group-name.ts'
import { openRunsOfGroup, roundOf } from './group-share.ts'
import { Plans } from './plans.ts'
import { type MemberResult, memberResult } from './started-group.ts'
import { prospectsOf, type StepView, viewOf } from './view.ts'
import { type By, Workflows } from './workflows.ts'

/** Workflow runs that are searched for names of groups. */
const MOST_RUNS = 1_000

/** One run of a group. */
export interface GroupMember {
  /** Position in the group, from 1, in the order of the inputs. */
  number: number
  /** Id of the workflow run that it belongs to. */
  run: string
  /** The state of its step. */
  view: StepView
  /** Its parameters. */
  input: unknown
}

/** The current state of a group. */
export interface GroupView {
  name: string
  state: 'running' | 'ended'
  /** In the order of the inputs. */
  members: readonly GroupMember[]
  /** Cost so far of the operations that are still stored, in US dollars. */
  costUsd: number
  /** Cost limit in US dollars, as set when its last run was started. Absent without a limit. */
  maxCostUsd?: number
  /** Limit on runs at once, as set when its last run was started. Absent without a limit. */
  maxRunning?: number
  /**
   * When it will probably end, epoch milliseconds: estimated from how long successful runs took, starting after the last
   * known wait. Absent until a run has succeeded, and once all runs have ended.
   */
  expectedEndAt?: number
}

/** Reads groups and acts on them. */
export class Groups {
  readonly #queue: Queue
  readonly #workflows: Workflows
  readonly #plans: Plans

  constructor(queue: Queue) {
    this.#queue = queue
    this.#workflows = new Workflows(queue)
    this.#plans = new Plans(queue.ledger)
  }

  /** Names of the groups among the last 1,000 workflow runs, newest first. */
  async names(): Promise<string[]> {
    const { items } = await this.#queue.ledger.workflowRuns({}, { limit: MOST_RUNS })
    return [...new Set(items.flatMap(({ workflow }) => groupOfWorkflow(workflow) ?? []))]
  }

  /**
   * The state of a group: each run, cost so far, expected end. Shows the current round: a run started after all earlier
   * ones have ended begins a new round. Earlier runs are in the list of workflow runs.
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

  /** The result or state of each run so far, in the order of the inputs. */
  async results(name: string): Promise<readonly MemberResult[]> {
    const { members } = await this.show(name)
    const results: MemberResult[] = []
    for (const { run, view } of members) results.push(await memberResult(this.#workflows, run, view))
    return results
  }

  /** Cancels every open run of a group and its operations. Returns how many runs had not ended. */
  async cancel(name: string, by: By = {}): Promise<number> {
    const { members } = await this.show(name)
    const running = await openRunsOfGroup(this.#queue.ledger, name)
    if (running.length === 0)
      throw new WorkflowError('ended', `all runs of group ${JSON.stringify(name)} have ended`)
    for (const { id } of running)
      await this.#workflows.cancel(id, by).catch((error: unknown) => {
        // It ended in the meantime; continue with the others.
        if (!isWorkflowError(error) || error.code !== 'ended') throw error
      })
    const ended = new Set(['succeeded', 'failed', 'skipped'])
    return members.filter(({ view }) => !ended.has(view.state)).length
  }

  async #missing(name: string): Promise<WorkflowError> {
    const ifNone = `start one with "mulligan run --group ${shellWord(name)} --queue -- PROMPT…"`
    const remedy = nearestOrKnown(name, await this.names(), ifNone)
    return new WorkflowError('missing', `there is no group ${JSON.stringify(name)}; ${remedy}`)
  }
}

/** Estimates the end from the average duration of successful runs and the limit on runs at once. */
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
