import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Time } from '../../time/index.ts'
import {
  DEAD_AFTER_DEFAULT_MS,
  type Pruned,
  type PrunePolicy,
  SUCCEEDED_AFTER_DEFAULT_MS,
} from '../upkeep.ts'
import { toId } from './rows.ts'
import { endedCapabilities } from './state-sources.ts'
import { rangesOfTime } from './time-ranges.ts'

const STEP_DEFAULT = 200
const EVER = Number.MAX_SAFE_INTEGER

type Ended = 'succeeded' | 'dead'

/** Finds what may be forgotten, and forgets it step by step; each step is a transaction of its own. */
export class Pruning {
  readonly #db: DatabaseSync
  readonly #time: Time
  readonly #ended: Record<Ended, StatementSync>

  constructor(db: DatabaseSync, time: Time) {
    this.#db = db
    this.#time = time
    // A key that still stands keeps its operation: the same key must not run it a second time.
    const ended = (state: Ended) =>
      db.prepare(`SELECT id FROM operations INDEXED BY operations_ended
        WHERE state = '${state}' AND capability = ? AND id > ? AND id < ? AND ended_at < ?
        AND (key IS NULL OR ended_at + key_retention_ms < ?) ORDER BY id LIMIT ?`)
    this.#ended = { succeeded: ended('succeeded'), dead: ended('dead') }
  }

  /**
   * @param forget forgets operations in one transaction and says how many it did
   * @param count how many there are
   */
  async run(
    policy: PrunePolicy,
    forget: (ids: readonly string[]) => Promise<number>,
    count: (state: Ended) => Promise<number>,
    signal?: AbortSignal,
  ): Promise<Pruned> {
    const { succeededAfterMs, deadAfterMs, keepSucceeded, keepDead, step = STEP_DEFAULT } = policy
    const all = async (state: Ended, afterMs: number, keep = Infinity) => {
      let total = 0
      const before = this.#time.now() - afterMs
      for (const ids of this.#old(state, before, step, signal)) total += await forget(ids)
      let beyond = keep === Infinity ? 0 : (await count(state)) - keep
      if (beyond > 0)
        for (const ids of this.#old(state, EVER, step, signal)) {
          const forgotten = await forget(ids.slice(0, beyond))
          total += forgotten
          beyond -= forgotten
          if (beyond <= 0) break
        }
      return total
    }
    return {
      succeeded: await all('succeeded', succeededAfterMs ?? SUCCEEDED_AFTER_DEFAULT_MS, keepSucceeded),
      dead: await all('dead', deadAfterMs ?? DEAD_AFTER_DEFAULT_MS, keepDead),
    }
  }

  /** The oldest first, by steps. Nothing ends before it was made, so that only those made before have to be looked at. */
  *#old(state: Ended, endedBefore: number, step: number, signal?: AbortSignal): Iterable<string[]> {
    for (const { from, before } of rangesOfTime(this.#db, 0, endedBefore))
      for (let last = from - 1; ; ) {
        signal?.throwIfAborted()
        const now = this.#time.now()
        const ids = endedCapabilities(this.#db)
          .flatMap(capability => this.#ended[state].all(capability, last, before, endedBefore, now, step))
          .map(({ id }) => id as number)
          .sort((a, b) => a - b)
          .slice(0, step)
        if (ids.length > 0) yield ids.map(toId)
        if (ids.length < step) break
        last = ids.at(-1) as number
      }
  }
}
