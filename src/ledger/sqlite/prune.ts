import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Time } from '../../time/time.ts'
import { checkPrunePolicy, EVENTS_AT_LEAST_MS, PRUNE_STEP_DEFAULT } from '../prune-bounds.ts'
import { toId } from '../row/rows.ts'
import {
  DEAD_AFTER_DEFAULT_MS,
  EVENTS_AFTER_DEFAULT_MS,
  type Pruned,
  type PrunePolicy,
  SUCCEEDED_AFTER_DEFAULT_MS,
  WORKFLOWS_AFTER_DEFAULT_MS,
} from '../upkeep.ts'
import type { NoticeRecords } from './notice-records.ts'
import { OldEvents } from './old-events.ts'
import { endedCapabilities } from './state-sources.ts'
import { rangesOfTime } from './time-ranges.ts'
import type { WorkflowRecords } from './workflow-records.ts'

const EVER = Number.MAX_SAFE_INTEGER

type Ended = 'succeeded' | 'dead'

interface Old {
  state: Ended
  endedBefore: number
  step: number
}

/** Finds what may be deleted, and deletes it step by step; each step is its own transaction. */
export class Pruning {
  readonly #db: DatabaseSync
  readonly #time: Time
  readonly #ended: Record<Ended, StatementSync>
  readonly #events: OldEvents
  readonly #notices: NoticeRecords
  readonly #workflows: WorkflowRecords

  constructor(db: DatabaseSync, time: Time, notices: NoticeRecords, workflows: WorkflowRecords) {
    this.#db = db
    this.#time = time
    this.#events = new OldEvents(db)
    this.#notices = notices
    this.#workflows = workflows
    // A key in force keeps its operation: the same key must not run it a second time. So does a workflow step whose end
    // is not recorded yet.
    const ended = (state: Ended) =>
      db.prepare(`SELECT id FROM operations INDEXED BY operations_ended
        WHERE state = '${state}' AND capability = ? AND id > ? AND id < ? AND ended_at < ?
        AND (key IS NULL OR ended_at + key_retention_ms < ?) AND NOT (source = 'workflow' AND EXISTS
        (SELECT 1 FROM workflow_steps s WHERE s.operation = operations.id AND s.state = 'open')) ORDER BY id LIMIT ?`)
    this.#ended = { succeeded: ended('succeeded'), dead: ended('dead') }
  }

  /**
   * @param forget deletes in one transaction what it finds there, and returns how many
   * @param write runs the work in one transaction
   * @param count how many there are
   */
  async run(
    policy: PrunePolicy,
    {
      forget,
      write,
      count,
    }: {
      forget: (find: () => readonly string[]) => Promise<number>
      write: (work: () => number) => Promise<number>
      count: (state: Ended) => Promise<number>
    },
    signal?: AbortSignal,
  ): Promise<Pruned> {
    checkPrunePolicy(policy)
    const { succeededAfterMs, deadAfterMs, keepSucceeded, keepDead, step = PRUNE_STEP_DEFAULT } = policy
    const eventsAfterMs = Math.max(policy.eventsAfterMs ?? EVENTS_AFTER_DEFAULT_MS, EVENTS_AT_LEAST_MS)
    const all = async (state: Ended, afterMs: number, keep = Infinity) => {
      const old = { state, endedBefore: this.#time.now() - afterMs, step }
      const total = await this.#forget(old, Infinity, forget, signal)
      const beyond = keep === Infinity ? 0 : (await count(state)) - keep
      return total + (await this.#forget({ ...old, endedBefore: EVER }, beyond, forget, signal))
    }
    const eventsBefore = this.#time.now() - eventsAfterMs
    const workflowsBefore = this.#time.now() - (policy.workflowsAfterMs ?? WORKFLOWS_AFTER_DEFAULT_MS)
    return {
      succeeded: await all('succeeded', succeededAfterMs ?? SUCCEEDED_AFTER_DEFAULT_MS, keepSucceeded),
      dead: await all('dead', deadAfterMs ?? DEAD_AFTER_DEFAULT_MS, keepDead),
      events: await bySteps(
        () => this.#events.isThere(eventsBefore),
        () => write(() => this.#events.forget(eventsBefore, step)),
        signal,
      ),
      notices: await bySteps(
        () => this.#notices.hasOld(),
        () => write(() => this.#notices.forgetOld(step)),
        signal,
      ),
      workflows: await bySteps(
        () => this.#workflows.hasOld(workflowsBefore),
        () => write(() => this.#workflows.forgetOld(workflowsBefore, step)),
        signal,
      ),
    }
  }

  /**
   * Deletes the oldest first, in steps. Nothing ends before it was created, so only operations created before
   * `endedBefore` must be checked.
   */
  async #forget(
    { state, endedBefore, step }: Old,
    most: number,
    forget: (find: () => readonly string[]) => Promise<number>,
    signal?: AbortSignal,
  ): Promise<number> {
    let total = 0
    for (const { from, before } of rangesOfTime(this.#db, 0, endedBefore))
      for (let last = from - 1; total < most; ) {
        signal?.throwIfAborted()
        const find = () => this.#find(state, last, before, endedBefore, Math.min(step, most - total))
        const ids = find()
        // Search again in the transaction: by then one may have been revived, and have ended again.
        if (ids.length > 0) total += await forget(() => find().map(toId))
        if (ids.length < step) break
        last = ids.at(-1) as number
      }
    return total
  }

  #find(state: Ended, after: number, before: number, endedBefore: number, most: number): number[] {
    const now = this.#time.now()
    return endedCapabilities(this.#db)
      .flatMap(capability => this.#ended[state].all(capability, after, before, endedBefore, now, most))
      .map(({ id }) => id as number)
      .sort((a, b) => a - b)
      .slice(0, most)
  }
}

/** Deletes while there is something to delete, and returns how much. */
async function bySteps(
  isThere: () => boolean,
  forget: () => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0
  while (isThere()) {
    signal?.throwIfAborted()
    total += await forget()
  }
  return total
}
