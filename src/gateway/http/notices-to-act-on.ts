import type { Ledger } from '../../ledger/ledger.ts'
import type { WorkflowRun } from '../../ledger/workflow-run.ts'
import { timeToJson } from '../../time/time-json.ts'

/** Most unread notices read. */
export const MOST_NOTICES = 100

/**
 * Unread notices that need action. One about an operation or a workflow run that runs again is no longer about its end; one
 * about a step of a failed run is told by its run.
 */
export async function noticesToActOn(
  ledger: Pick<Ledger, 'notices' | 'list' | 'workflowRun'>,
): Promise<Record<string, unknown>> {
  const { items } = await ledger.notices({ unread: true, disposition: 'actionable' }, { limit: MOST_NOTICES })
  const runs = await failedRuns(
    ledger,
    items.filter(({ type }) => type === 'workflow').map(({ body }) => body.split('\n', 1)[0] as string),
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
      .map(({ operation, title, createdAt }) => ({ operation, title, at: timeToJson(createdAt) })),
    failed_runs: runs.map(({ id, workflow, reason, endedAt, updatedAt }) => ({
      run: id,
      workflow,
      ...(reason === undefined ? {} : { reason }),
      at: timeToJson(endedAt ?? updatedAt),
    })),
  }
}

/** Those of these workflow runs that are failed now, each once. */
async function failedRuns(
  ledger: Pick<Ledger, 'workflowRun'>,
  ids: readonly string[],
): Promise<WorkflowRun[]> {
  const runs = await Promise.all([...new Set(ids)].map(id => ledger.workflowRun(id)))
  return runs.filter(run => run?.state === 'failed') as WorkflowRun[]
}

/** The workflow run that an operation is a step of; empty if none. */
function runOf(context: unknown): string {
  const { workflow_run: run = '' } = (context ?? {}) as { workflow_run?: string }
  return run
}
