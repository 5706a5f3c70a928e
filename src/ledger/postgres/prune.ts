import type { Time } from '../../time/time.ts'
import { checkPrunePolicy, EVENTS_AT_LEAST_MS, PRUNE_STEP_DEFAULT } from '../prune-bounds.ts'
import {
  DEAD_AFTER_DEFAULT_MS,
  EVENTS_AFTER_DEFAULT_MS,
  type Pruned,
  type PrunePolicy,
  SUCCEEDED_AFTER_DEFAULT_MS,
  WORKFLOWS_AFTER_DEFAULT_MS,
} from '../upkeep.ts'
import { OLD_MARKERS } from './commit-marker.ts'
import type { PostgresTransaction } from './postgres-transaction.ts'

const EVER = Number.MAX_SAFE_INTEGER

type Ended = 'succeeded' | 'dead'

/**
 * An operation stays while its key is valid, because the same key must not run it again; and while it is a workflow step
 * whose end has not been recorded.
 */
const ENDED = `SELECT id FROM operations WHERE state = $1 AND state IN ('succeeded', 'dead') AND ended_at < $2 AND id > $3
  AND (key IS NULL OR ended_at + key_retention_ms < $4) AND NOT (source = 'workflow' AND EXISTS
  (SELECT 1 FROM workflow_steps s WHERE s.operation = operations.id AND s.state = 'open')) ORDER BY id LIMIT $5 FOR UPDATE SKIP LOCKED`

/** Events that a consumer has not read stay. So does the highest number, which readers need to know the last one. */
const OLD_EVENTS = `DELETE FROM events WHERE id IN (SELECT id FROM events
  WHERE (operation IS NULL OR type = 'discarded') AND at < $1
  AND id <= (SELECT coalesce(min(event), ${EVER}) FROM cursors)
  AND id < greatest((SELECT coalesce(max(id), 0) FROM operations), (SELECT coalesce(max(id), 0) FROM events))
  ORDER BY at LIMIT $2)`

/** Deletes old ended operations, events, notices and workflow runs in steps; each step is one transaction. */
export async function prune(
  policy: PrunePolicy,
  {
    time,
    transaction,
    count,
  }: {
    time: Time
    transaction: <T>(work: (writes: PostgresTransaction) => Promise<T>) => Promise<T>
    count: (state: Ended) => Promise<number>
  },
  signal?: AbortSignal,
): Promise<Pruned> {
  checkPrunePolicy(policy)
  const { succeededAfterMs, deadAfterMs, keepSucceeded, keepDead, step = PRUNE_STEP_DEFAULT } = policy
  const eventsAfterMs = Math.max(policy.eventsAfterMs ?? EVENTS_AFTER_DEFAULT_MS, EVENTS_AT_LEAST_MS)

  const forget = async (state: Ended, endedBefore: number, most: number) => {
    let total = 0
    for (let last = 0; total < most; ) {
      signal?.throwIfAborted()
      const limit = Math.min(step, most - total)
      const found = await transaction(async writes => {
        const rows = await writes.sql.rows<{ id: number }>(ENDED, [
          state,
          endedBefore,
          last,
          time.now(),
          limit,
        ])
        const ids = rows.map(({ id }) => id)
        await writes.prune(ids)
        return ids
      })
      total += found.length
      if (found.length < limit) break
      last = found.at(-1) as number
    }
    return total
  }
  const all = async (state: Ended, afterMs: number, keep = Infinity) => {
    const old = await forget(state, time.now() - afterMs, Infinity)
    const beyond = keep === Infinity ? 0 : (await count(state)) - keep
    return old + (await forget(state, EVER, Math.max(0, beyond)))
  }
  const bySteps = async (work: (writes: PostgresTransaction) => Promise<number>) => {
    for (let total = 0; ; ) {
      signal?.throwIfAborted()
      const forgotten = await transaction(work)
      total += forgotten
      if (forgotten < step) return total
    }
  }
  const workflowsBefore = time.now() - (policy.workflowsAfterMs ?? WORKFLOWS_AFTER_DEFAULT_MS)
  const eventsBefore = time.now() - eventsAfterMs
  await bySteps(writes => writes.sql.run(OLD_MARKERS, [step]))
  return {
    succeeded: await all('succeeded', succeededAfterMs ?? SUCCEEDED_AFTER_DEFAULT_MS, keepSucceeded),
    dead: await all('dead', deadAfterMs ?? DEAD_AFTER_DEFAULT_MS, keepDead),
    events: await bySteps(writes => writes.sql.run(OLD_EVENTS, [eventsBefore, step])),
    notices: await bySteps(writes => writes.notices.forgetOld(step)),
    workflows: await bySteps(writes => writes.workflows.forgetOld(workflowsBefore, step)),
  }
}
