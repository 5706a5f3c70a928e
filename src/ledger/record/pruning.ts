import type { Time } from '../../time/time.ts'
import { BILL_AFTER_MS } from '../bill.ts'
import { checkPrunePolicy, EVENTS_AT_LEAST_MS, PRUNE_STEP_DEFAULT } from '../prune-bounds.ts'
import {
  DEAD_AFTER_DEFAULT_MS,
  EVENTS_AFTER_DEFAULT_MS,
  type Pruned,
  type PrunePolicy,
  SUCCEEDED_AFTER_DEFAULT_MS,
  WORKFLOWS_AFTER_DEFAULT_MS,
} from '../upkeep.ts'
import { type Asking, rows, written } from './asking.ts'
import { hasOldBill, sumUpBill } from './bill.ts'
import { forgetOldNotices, hasOldNotices } from './notices.ts'
import { forgetOldWorkflows, hasOldWorkflows } from './workflows.ts'

export type Ended = 'succeeded' | 'dead'

/** Ended operations to delete, the oldest first. */
export interface Old {
  state: Ended
  /** Epoch milliseconds. */
  endedBefore: number
  /** Most of them. */
  most: number
  /** Most in one transaction. */
  step: number
}

/** What pruning needs from a ledger. */
export interface PrunedLedger {
  time: Time
  /** Deletes such operations in steps. Returns how many. */
  forget: (old: Old) => Promise<number>
  count: (state: Ended) => Promise<number>
  ask: <T>(questions: () => Asking<T>) => Promise<T>
  write: <T>(questions: () => Asking<T>) => Promise<T>
}

const EVER = Number.MAX_SAFE_INTEGER

/** Deletes old ended operations, events, notices and workflow runs in steps; each step is one transaction. */
export async function prune(
  policy: PrunePolicy,
  { time, forget, count, ask, write }: PrunedLedger,
  signal?: AbortSignal,
): Promise<Pruned> {
  checkPrunePolicy(policy)
  const { succeededAfterMs, deadAfterMs, keepSucceeded, keepDead, step = PRUNE_STEP_DEFAULT } = policy
  const all = async (state: Ended, afterMs: number, keep = Infinity) => {
    const old = await forget({ state, endedBefore: time.now() - afterMs, most: Infinity, step })
    const beyond = keep === Infinity ? 0 : (await count(state)) - keep
    return old + (beyond > 0 ? await forget({ state, endedBefore: EVER, most: beyond, step }) : 0)
  }
  // Looks first: most of the time there is nothing, and a write would make others wait.
  const bySteps = async (has: () => Asking<boolean>, forgetSome: () => Asking<number>) => {
    for (let total = 0; ; ) {
      signal?.throwIfAborted()
      const forgotten = (await ask(has)) ? await write(forgetSome) : 0
      total += forgotten
      if (forgotten < step) return total
    }
  }
  const billBefore = time.now() - BILL_AFTER_MS
  if (await ask(() => hasOldBill(billBefore))) await write(() => sumUpBill(billBefore))
  const eventsAfterMs = Math.max(policy.eventsAfterMs ?? EVENTS_AFTER_DEFAULT_MS, EVENTS_AT_LEAST_MS)
  const eventsBefore = time.now() - eventsAfterMs
  const workflowsBefore = time.now() - (policy.workflowsAfterMs ?? WORKFLOWS_AFTER_DEFAULT_MS)
  return {
    succeeded: await all('succeeded', succeededAfterMs ?? SUCCEEDED_AFTER_DEFAULT_MS, keepSucceeded),
    dead: await all('dead', deadAfterMs ?? DEAD_AFTER_DEFAULT_MS, keepDead),
    events: await bySteps(
      () => hasOldEvents(eventsBefore),
      () => forgetOldEvents(eventsBefore, step),
    ),
    notices: await bySteps(
      () => hasOldNotices(time.now()),
      () => forgetOldNotices(step, time.now()),
    ),
    workflows: await bySteps(
      () => hasOldWorkflows(workflowsBefore),
      () => forgetOldWorkflows(workflowsBefore, step),
    ),
  }
}

/**
 * Events that no operation needs: those of the queue, of a capability or a provider as a whole, and those of discarded
 * operations. What a consumer has not read stays, and so does the highest number: readers need it to know the last one, and it
 * must not be used again.
 */
const OLD = `SELECT id FROM events WHERE (operation IS NULL OR type = 'discarded') AND at < $1
  AND id <= (SELECT coalesce(min(event), ${Number.MAX_SAFE_INTEGER}) FROM cursors)
  AND id < greatest((SELECT coalesce(max(id), 0) FROM operations), (SELECT coalesce(max(id), 0) FROM events))
  ORDER BY at LIMIT $2`

/** Whether there are any older than this time, epoch milliseconds. */
function* hasOldEvents(before: number): Asking<boolean> {
  return (yield* rows(OLD, before, 1)).length > 0
}

/** Deletes the oldest of them, at most `most`. Returns how many. */
function forgetOldEvents(before: number, most: number): Asking<number> {
  return written(`DELETE FROM events WHERE id IN (${OLD}) RETURNING id`, before, most)
}
