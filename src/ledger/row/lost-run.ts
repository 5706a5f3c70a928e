import type { Started } from '../ledger.ts'
import { filled } from './filled.ts'
import type { OperationRow } from './operation-row.ts'

/** What a run that is taken over left behind. */
export function lostRun(row: OperationRow): NonNullable<Started['lost']> {
  return filled({
    run: row.run,
    startedAt: row.since,
    agentSession: row.agent_session,
    folder: row.folder,
    provider: row.run_provider,
    ...(row.run_cost_usd === 0 ? {} : { costUsd: row.run_cost_usd }),
  })
}
