import { present } from '../failure/present.ts'
import { BlockCell } from './block-cell.ts'
import type { StoredCell } from './cell.ts'
import type { CellMaker } from './cell-maker.ts'
import { keys } from './keys.ts'
import { StrikesCell } from './strikes-cell.ts'

/** One login at a provider: its block, and how many times in a row it was refused. */
export class LoginCell {
  readonly block: BlockCell
  readonly strikes: StrikesCell

  /** @param credential its hash; undefined for calls with an unknown credential */
  constructor(provider: string, credential: string | undefined, cells: CellMaker) {
    const scope = { provider, ...present({ credential }) }
    this.block = new BlockCell(keys.login(provider, credential), scope, cells)
    this.strikes = new StrikesCell(keys.loginStrikes(provider, credential), cells)
  }

  /** Whether it was refused and has not served since, even if the block is over. */
  get isRefused(): boolean {
    return this.strikes.cell.value !== undefined || this.block.cell.value?.until === null
  }

  *cells(): Iterable<StoredCell> {
    for (const cell of [this.block.cell, this.strikes.cell]) yield cell
  }
}
