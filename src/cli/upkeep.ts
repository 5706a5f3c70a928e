import type { Config } from '../config/index.ts'
import type { PrunePolicy } from '../ledger/index.ts'

/** When history is forgotten, as the config says. */
export function prunePolicy({ queue }: Config): PrunePolicy {
  return { succeededAfterMs: queue.prune.succeededMs, deadAfterMs: queue.prune.deadMs }
}
