import type { Started } from '../ledger.ts'
import type { OperationRow } from './operation-row.ts'

/** What a run that is taken over left behind. */
export function lostRun(row: OperationRow): NonNullable<Started['lost']> {
  return {
    run: row.run,
    startedAt: row.since,
    ...(row.agent_session === null ? {} : { agentSession: row.agent_session }),
    ...(row.folder === null ? {} : { folder: row.folder }),
    ...(row.run_provider === null ? {} : { provider: row.run_provider }),
    ...(row.run_cost_usd === 0 ? {} : { costUsd: row.run_cost_usd }),
  }
}
