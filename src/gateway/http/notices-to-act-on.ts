import type { z } from 'zod'
import { present } from '../../failure/present.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Notice, NoticeGroup } from '../../ledger/notice.ts'
import type { WorkflowRun } from '../../ledger/workflow-run.ts'
import { workflowRunOf } from '../../notice/about-workflow.ts'
import { filterOfCause } from '../../notice/cause-filter.ts'
import { timeToJson } from '../../time/time-json.ts'
import { MOST_CAUSES, MOST_NOTICES, type noticesToActOn as noticesShape } from './overview-shape.ts'

/** Types of notices whose cause an overview tells by other means: what is parked, providers, unknowns, workflow runs. */
const TOLD_BY_STATE = ['parked', 'login', 'billing', 'unknown', 'workflow']

/** Unread notices that need action, by cause, and the workflow runs that are failed. */
export async function noticesToActOn(
  ledger: Pick<Ledger, 'noticesToActOn' | 'notices' | 'get' | 'events' | 'workflowRun'>,
  toldOf: Promise<readonly WorkflowRun[]> = toldRuns(ledger),
): Promise<z.output<typeof noticesShape>> {
  const [{ total, groups, largest }, told] = await Promise.all([ledger.noticesToActOn(TOLD_BY_STATE), toldOf])
  const runs = told.filter(({ state }) => state === 'failed')
  return {
    to_act_on: total,
    causes: await Promise.all(largest.slice(0, MOST_CAUSES).map(group => causeOf(ledger, group))),
    more_causes: Math.max(0, groups - MOST_CAUSES),
    failed_runs: runs.map(({ id, workflow, reason, endedAt, updatedAt }) => ({
      run: id,
      workflow,
      ...present({ reason }),
      at: timeToJson(endedAt ?? updatedAt),
    })),
  }
}

async function causeOf(ledger: Pick<Ledger, 'get'>, { type, cause, count, newest }: NoticeGroup) {
  const found = newest.operation === undefined ? undefined : await ledger.get(newest.operation)
  const deadAs = found?.state === 'dead' ? found.deadAs : undefined
  const own = deadAs && { state: ['dead'], capability: [found?.capability ?? ''], as: deadAs }
  const filter = type === 'dead' ? (cause === undefined ? own : filterOfCause(cause)) : undefined
  return {
    notice: newest.id,
    event: type,
    title: newest.title,
    count,
    at: timeToJson(newest.createdAt),
    ...present({ operation: newest.operation, dead_as: deadAs, message: found?.failure?.message, filter }),
  }
}

/** The workflow runs that unread notices are about, each once. */
export async function toldRuns(
  ledger: Pick<Ledger, 'notices' | 'events' | 'workflowRun'>,
): Promise<WorkflowRun[]> {
  const filter = { unread: true, disposition: 'actionable', type: 'workflow' } as const
  const { items } = await ledger.notices(filter, { limit: MOST_NOTICES })
  const ids = await Promise.all(items.map(notice => runOf(ledger, notice)))
  const runs = await Promise.all([...new Set(ids)].map(id => id && ledger.workflowRun(id)))
  return runs.filter(run => typeof run === 'object')
}

async function runOf(ledger: Pick<Ledger, 'events'>, { event = 0 }: Notice): Promise<string | undefined> {
  const [told] = await ledger.events({ after: event - 1, limit: 1 })
  return told?.id === event ? workflowRunOf(told) : undefined
}
