import type { Cell } from './cell.ts'
import type { CellMaker } from './cell-maker.ts'
import { type Refusal, refusedByTrial } from './refusal.ts'
import { afterServed, afterStrike, type StrikeKind, type Strikes, struckBefore, TRIAL_MS } from './strikes.ts'

/** Consecutive refusals of one scope, as all processes see them. */
export class StrikesCell {
  readonly cell: Cell<Strikes>

  constructor(key: string, cells: CellMaker) {
    this.cell = cells.make<Strikes>(key)
  }

  before(way: StrikeKind, startedAt: number, now: number): number {
    return struckBefore(this.cell.value, way, startedAt, now)
  }

  struck(way: StrikeKind, startedAt: number, now: number, until: number | null, isUnnamed = false): void {
    this.cell.update(present => afterStrike(present, way, startedAt, now, until, isUnnamed))
  }

  succeeded(startedAt: number, now: number): void {
    if (this.cell.value) this.cell.update(present => afterServed(present, startedAt, now))
  }

  clear(): void {
    this.cell.update(() => undefined)
  }

  /** Refuses while one call goes ahead to find out whether the limit has lifted. */
  refusal(provider: string, now: number): Refusal | undefined {
    const trial = this.cell.value?.trial
    const isUnderWay = trial && trial.until > now && trial.until <= now + TRIAL_MS
    return isUnderWay ? refusedByTrial(provider, trial.until, now) : undefined
  }

  /** Marks this call as the one that goes ahead. */
  tryFirst(by: string, now: number): void {
    this.cell.update(present => present && { ...present, trial: { by, until: now + TRIAL_MS } })
  }

  /** The call that went ahead ended without a result. */
  ended(by: string): void {
    this.cell.update(present => {
      if (present?.trial?.by !== by) return present
      const { trial: _ended, ...rest } = present
      return rest
    })
  }
}
