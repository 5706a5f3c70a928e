import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Time } from '../../time/time.ts'
import type { Ended, Old } from '../record/pruning.ts'
import { endedCapabilities } from './state-sources.ts'
import { rangesOfTime } from './time-ranges.ts'

/** Finds ended operations that may be deleted. */
export class EndedOperations {
  readonly #db: DatabaseSync
  readonly #time: Time
  readonly #ended: Record<Ended, StatementSync>

  constructor(db: DatabaseSync, time: Time) {
    this.#db = db
    this.#time = time
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
   * Deletes the oldest first, in steps. Nothing ends before it was created, so only operations created before
   * `endedBefore` must be checked.
   *
   * @param forget deletes in one transaction what it finds there, and returns how many
   */
  async forget(
    { state, endedBefore, most, step }: Old,
    forget: (find: () => readonly number[]) => Promise<number>,
    signal?: AbortSignal,
  ): Promise<number> {
    let total = 0
    for (const { from, before } of rangesOfTime(this.#db, 0, endedBefore))
      for (let last = from - 1; total < most; ) {
        signal?.throwIfAborted()
        const find = () => this.#find(state, last, before, endedBefore, Math.min(step, most - total))
        const found = find()
        // Search again in the transaction: by then one may have been revived, and have ended again.
        if (found.length > 0) total += await forget(find)
        if (found.length < step) break
        last = found.at(-1) as number
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
