import type { Ledger } from '../ledger/ledger.ts'
import { operationsById, pagesOf } from '../ledger/pages.ts'
import type { WorkflowRun } from '../ledger/workflow-run.ts'
import type { GroupLimits } from '../plan/plan.ts'
import type { Turn } from './begin-steps.ts'
import { workflowOfGroup } from './group-name.ts'
import type { Progress } from './progress.ts'

/** Page size; small, because each run comes with all its steps. */
const RUNS_AT_ONCE = 20

/** The open runs of a group, oldest first. */
export async function openRunsOfGroup(
  ledger: Pick<Ledger, 'workflowRuns'>,
  group: string,
): Promise<WorkflowRun[]> {
  const runs: WorkflowRun[] = []
  const filter = { workflow: workflowOfGroup(group), state: 'running' } as const
  for await (const page of pagesOf(request => ledger.workflowRuns(filter, request), RUNS_AT_ONCE))
    runs.push(...page)
  return runs.reverse()
}

/**
 * The runs of a group that share its cost limit, oldest first: those since it was last idle. A run started after all
 * others have ended begins a new round, so that a nightly group has its full limit every night.
 */
export async function roundOf(
  ledger: Pick<Ledger, 'workflowRuns'>,
  group: string,
  open: readonly WorkflowRun[],
): Promise<WorkflowRun[]> {
  const round: WorkflowRun[] = []
  let since = open[0]?.createdAt ?? Infinity
  const filter = { workflow: workflowOfGroup(group) }
  for await (const page of pagesOf(request => ledger.workflowRuns(filter, request), RUNS_AT_ONCE)) {
    const before = round.length
    for (const run of page) {
      const isOfRound = round.length === 0 || run.endedAt === undefined || run.endedAt >= since
      if (!isOfRound) continue
      round.push(run)
      since = Math.min(since, run.createdAt)
    }
    if (round.length === before) break
  }
  return round.reverse()
}

/** What the runs of a group have left to share: places to run in, and money to spend. */
export class GroupShare {
  #underWay: number
  readonly #spentUsd: number

  private constructor(underWay: number, spentUsd: number) {
    this.#underWay = underWay
    this.#spentUsd = spentUsd
  }

  /**
   * @param group name of the group
   * @param running its open runs
   */
  static async of(
    ledger: Pick<Ledger, 'list' | 'workflowRuns'>,
    group: string,
    running: readonly Progress[],
  ): Promise<GroupShare> {
    const limits = running.map(({ graph }) => graph.plan.group)
    const underWay = limits.some(each => each?.maxRunning !== undefined)
      ? await countUnderWay(ledger, running)
      : 0
    const spentUsd = limits.some(each => each?.maxCostUsd !== undefined)
      ? await costOf(ledger, await roundOf(ledger, group, await openRunsOfGroup(ledger, group)))
      : 0
    return new GroupShare(underWay, spentUsd)
  }

  /** Whether another step may start, by the limits of its own run. */
  turn({ maxRunning = Infinity, maxCostUsd }: GroupLimits): Turn {
    if (maxCostUsd !== undefined && this.#spentUsd >= maxCostUsd)
      return {
        begin: 'never',
        why: `stopped: the group has spent ${usd(this.#spentUsd)} of ${usd(maxCostUsd)}`,
      }
    if (this.#underWay >= maxRunning) return { begin: 'later' }
    return maxCostUsd === undefined
      ? { begin: 'now' }
      : { begin: 'now', maxCostUsd: maxCostUsd - this.#spentUsd }
  }

  /** Counts a started step. Do not call it for a step that failed to start: that one takes no place. */
  began(): void {
    this.#underWay++
  }
}

/** Cost of the stored operations of these runs, in US dollars. */
async function costOf(ledger: Pick<Ledger, 'list'>, runs: readonly WorkflowRun[]): Promise<number> {
  const ids = runs.flatMap(({ steps }) => steps.flatMap(({ operation }) => operation ?? []))
  const operations = await operationsById(ledger, ids)
  return operations.values().reduce((sum, { costUsd }) => sum + costUsd, 0)
}

/** Counts open steps. One that waits for a person takes no place: otherwise the others would wait for that person too. */
async function countUnderWay(ledger: Pick<Ledger, 'list'>, running: readonly Progress[]): Promise<number> {
  const open = running.flatMap(progress =>
    [...progress.graph.steps.keys()]
      .filter(place => progress.standing(place).state === 'open')
      .map(place => progress.record(place)?.operation),
  )
  const operations = await operationsById(
    ledger,
    open.filter(id => id !== undefined),
  )
  return open.filter(id => id === undefined || operations.get(id)?.state !== 'parked').length
}

function usd(amount: number): string {
  return `$${Number(amount.toFixed(4))}`
}
