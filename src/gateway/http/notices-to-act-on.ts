import type { z } from 'zod'
import { present } from '../../failure/present.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Notice } from '../../ledger/notice.ts'
import type { WorkflowRun } from '../../ledger/workflow-run.ts'
import { workflowRunOf } from '../../notice/about-workflow.ts'
import { timeToJson } from '../../time/time-json.ts'
import { MOST_NOTICES, type noticesToActOn as noticesShape } from './overview-shape.ts'

/**
 * Unread notices that need action. One about an operation or a workflow run that runs again is no longer about its end; one
 * about a step of a failed run is told by its run.
 */
export async function noticesToActOn(
  ledger: Pick<Ledger, 'notices' | 'list' | 'events' | 'workflowRun'>,
): Promise<z.output<typeof noticesShape>> {
  const { items } = await ledger.notices({ unread: true, disposition: 'actionable' }, { limit: MOST_NOTICES })
  const runs = await failedRuns(
    ledger,
    items.filter(({ type }) => type === 'workflow'),
  )
  const dead = items.filter(({ type, operation }) => type === 'dead' && operation !== undefined)
  const ids = dead.map(({ operation }) => operation as string)
  const still =
    ids.length === 0 ? [] : (await ledger.list({ ids, state: 'dead' }, { limit: MOST_NOTICES })).items
  const told = new Set(runs.map(({ id }) => id))
  const alone = new Set(still.filter(({ context }) => !told.has(runOf(context))).map(({ id }) => id))
  return {
    to_act_on: items.length,
    deaths: dead
      .filter(({ operation = '' }) => alone.has(operation))
      .map(({ operation = '', title, createdAt }) => ({ operation, title, at: timeToJson(createdAt) })),
    failed_runs: runs.map(({ id, workflow, reason, endedAt, updatedAt }) => ({
      run: id,
      workflow,
      ...present({ reason }),
      at: timeToJson(endedAt ?? updatedAt),
    })),
  }
}

/** The workflow runs that these notices are about and that are failed now, each once. */
async function failedRuns(
  ledger: Pick<Ledger, 'events' | 'workflowRun'>,
  notices: readonly Notice[],
): Promise<WorkflowRun[]> {
  const ids = await Promise.all(
    notices.map(async ({ event = 0 }) => {
      const [told] = await ledger.events({ after: event - 1, limit: 1 })
      return told?.id === event ? workflowRunOf(told) : undefined
    }),
  )
  const runs = await Promise.all([...new Set(ids)].map(id => id && ledger.workflowRun(id)))
  return runs.filter(run => typeof run === 'object' && run.state === 'failed') as WorkflowRun[]
}

/** The workflow run that an operation is a step of; empty if none. */
function runOf(context: unknown): string {
  const { workflow_run: run = '' } = (context ?? {}) as { workflow_run?: string }
  return run
}
