import type { Failure } from '../failure/failure.ts'
import { present } from '../failure/present.ts'
import { type Block, blockAt, blocking, type ClearedBy, endOf, longer, testAtOf, tested } from './block.ts'
import type { Cell } from './cell.ts'
import type { CellMaker } from './cell-maker.ts'
import type { BlockScope } from './event.ts'

/** What else a block records about its scope. */
export interface BlockOf {
  credential?: string | undefined
  isConfigured?: boolean
  isUnnamed?: boolean
  isOfMember?: boolean
}

/** The block of one scope, as all processes see it. */
export class BlockCell {
  readonly cell: Cell<Block>
  readonly scope: BlockScope
  readonly #cells: CellMaker
  /** What we cleared it by, until that is written. */
  #clearedBy: ClearedBy = 'time'

  constructor(key: string, scope: BlockScope, cells: CellMaker) {
    this.scope = scope
    this.#cells = cells
    this.cell = cells.make<Block>(key, (before, after) => this.#report(before, after))
  }

  /** The block in force. One whose time is over is cleared for all processes. */
  at(now: number): Block | undefined {
    const block = this.cell.value
    if (!block) return undefined
    const current = blockAt(block, now)
    if (!current) this.#clear('time', present => blockAt(present, now) === undefined)
    else if (current !== block) this.cell.update(present => present && blockAt(present, now))
    return current
  }

  /** @param until epoch milliseconds, or until cleared */
  set(failure: Failure, now: number, until: number | 'cleared', of: BlockOf = {}): void {
    const { credential, isConfigured, isUnnamed, isOfMember } = of
    const block: Block = {
      from: now,
      until: until === 'cleared' || !Number.isFinite(until) ? null : until,
      failure: blocking(failure),
      ...present({ credential }),
      ...(isConfigured ? { isConfigured } : {}),
      ...(isUnnamed ? { isUnnamed } : {}),
      ...(isOfMember ? { isOfMember } : {}),
    }
    if (endOf(block) > now) this.cell.update(present => longer(present, block))
  }

  /** A call goes through to find out whether it is over: the next one may only after a while, in any process. */
  takeTest(now: number): void {
    const isDue = (block: Block) => (testAtOf(block) ?? Infinity) <= now
    if (this.cell.value && isDue(this.cell.value))
      this.cell.update(present => (present && isDue(present) ? tested(present, now) : present))
  }

  /** Ends the block at once. */
  clear(by: ClearedBy): void {
    this.#clear(by, () => true)
  }

  /** Ends the block if it has no end of its own. */
  clearOpenEnded(by: ClearedBy): void {
    this.#clear(by, ({ until }) => until === null)
  }

  /** Ends a block that was set before a successful call began. */
  clearSetBefore(startedAt: number): void {
    this.#clear('success', ({ from }) => from < startedAt)
  }

  #clear(by: ClearedBy, ends: (block: Block) => boolean): void {
    if (this.cell.value && ends(this.cell.value)) this.#clearedBy = by
    this.cell.update(present => (present && ends(present) ? undefined : present))
  }

  #report(before: Block | undefined, after: Block | undefined): void {
    if (!after) {
      const by = this.#clearedBy
      if (before) this.#cells.emit({ type: 'cleared', scope: this.scope, by, failure: before.failure })
    } else if (!before || endOf(after) > endOf(before) || after.credential !== before.credential) {
      const ends = after.until === null ? {} : { until: after.until }
      this.#cells.emit({ type: 'blocked', scope: this.scope, ...ends, failure: after.failure })
    }
  }
}
