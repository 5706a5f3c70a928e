import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Time } from '../../time/index.ts'
import {
  DEAD_AFTER_DEFAULT_MS,
  type Pruned,
  type PrunePolicy,
  SUCCEEDED_AFTER_DEFAULT_MS,
} from '../upkeep.ts'
import { toId } from './rows.ts'

const STEP_DEFAULT = 200

/** Finds what may be forgotten, and forgets it step by step; each step is a transaction of its own. */
export class Pruning {
  readonly #time: Time
  readonly #old: StatementSync
  readonly #beyond: StatementSync

  constructor(db: DatabaseSync, time: Time) {
    this.#time = time
    // A key that still stands keeps its operation: the same key must not run it a second time.
    const ended = `FROM operations INDEXED BY operations_ended WHERE state = ?
      AND (key IS NULL OR ended_at + key_retention_ms < ?)`
    this.#old = db.prepare(`SELECT id ${ended} AND ended_at < ? ORDER BY ended_at LIMIT ?`)
    this.#beyond = db.prepare(
      `SELECT ended_at FROM operations INDEXED BY operations_ended WHERE state = ? AND ended_at IS NOT NULL
       ORDER BY ended_at DESC LIMIT 1 OFFSET ?`,
    )
  }

  /** @param discard forgets operations in one transaction and says how many it did */
  async run(
    policy: PrunePolicy,
    discard: (ids: readonly string[]) => Promise<number>,
    signal?: AbortSignal,
  ): Promise<Pruned> {
    const step = policy.step ?? STEP_DEFAULT
    const forget = async (state: 'succeeded' | 'dead', afterMs: number, keep: number | undefined) => {
      const before = Math.max(this.#time.now() - afterMs, this.#cutoff(state, keep))
      for (let total = 0; ; ) {
        signal?.throwIfAborted()
        const rows = this.#old.all(state, this.#time.now(), before, step) as unknown as { id: number }[]
        const done = rows.length === 0 ? 0 : await discard(rows.map(({ id }) => toId(id)))
        total += done
        if (done === 0 || rows.length < step) return total
      }
    }
    return {
      succeeded: await forget(
        'succeeded',
        policy.succeededAfterMs ?? SUCCEEDED_AFTER_DEFAULT_MS,
        policy.keepSucceeded,
      ),
      dead: await forget('dead', policy.deadAfterMs ?? DEAD_AFTER_DEFAULT_MS, policy.keepDead),
    }
  }

  /** What ended before this is more than are to be kept. */
  #cutoff(state: string, keep: number | undefined): number {
    if (keep === undefined) return 0
    if (keep === 0) return this.#time.now() + 1
    const row = this.#beyond.get(state, keep - 1) as { ended_at: number } | undefined
    return row?.ended_at ?? 0
  }
}
