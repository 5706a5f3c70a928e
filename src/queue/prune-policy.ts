import type { Config } from '../config/schema/config.ts'
import type { PrunePolicy } from '../ledger/upkeep.ts'

/** The config's limits for deleting old history. */
export function prunePolicy({ queue }: Config): PrunePolicy {
  const { succeededMs, deadMs, eventsMs, workflowsMs } = queue.prune
  return {
    succeededAfterMs: succeededMs,
    deadAfterMs: deadMs,
    eventsAfterMs: eventsMs,
    workflowsAfterMs: workflowsMs,
  }
}
