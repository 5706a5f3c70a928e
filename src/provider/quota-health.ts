import type { Failure } from '../failure/failure.ts'
import { type Block, endOf, namesModel } from './block.ts'
import { BlockCell } from './block-cell.ts'
import { Cell } from './cell.ts'
import { keys, scopes } from './keys.ts'
import { Meter } from './meter.ts'
import { isWorse, type Level, type Reading } from './reading.ts'
import { type Refusal, refusedByBlock, refusedByWindow } from './refusal.ts'
import type { Reported } from './reported.ts'
import type { Cap } from './settings.ts'
import { rebased, type Span } from './span.ts'
import type { Surroundings } from './surroundings.ts'

/** Stands for the whole quota where a model could stand. */
const WHOLE = ''

/** One allowance: its blocks, what was spent of it, and what its vendor says about it. */
export class QuotaHealth {
  readonly name: string
  readonly meter: Meter
  /** By model, or {@link WHOLE}. */
  readonly #blocks = new Map<string, BlockCell>()
  readonly #fills = new Map<string, Cell<Span>>()
  readonly #reported = new Map<string, Map<string, Reading>>()
  readonly #levels = new Map<string, Level>()
  readonly #surroundings: Surroundings

  constructor(name: string, caps: readonly { cap: Cap; zone: string }[], surroundings: Surroundings) {
    this.name = name
    this.meter = new Meter(scopes.quota(name), caps, surroundings.store !== undefined)
    this.#surroundings = surroundings
  }

  /** @param own the failure whose own block does not hold up the retry that it was set for */
  refusal(provider: string, model: string | undefined, now: number, own?: Failure): Refusal | undefined {
    if (this.#blocks.size > 0) {
      const refusal = this.#refusedByBlock(provider, model, now, own)
      if (refusal) return refusal
    }
    if (this.#reported.size === 0 && this.#fills.size === 0 && this.meter.admits(now)) return undefined
    const full = this.readings(model, now)
      .filter(({ level, source, until }) => level === 'exhausted' && (source !== 'reported' || until))
      .sort((a, b) => (b.until ?? Infinity) - (a.until ?? Infinity))[0]
    return full && refusedByWindow(provider, full, now)
  }

  /** All windows at one moment: ours, filled ones where a limit says so, and those that the vendor reports. */
  readings(model: string | undefined, now: number): Reading[] {
    const filledUntil = Math.max(this.#filledUntil(WHOLE, now), this.#filledUntil(model, now))
    const counted = this.meter
      .readings(now)
      .map(
        (reading): Reading =>
          filledUntil > now
            ? { ...reading, level: 'exhausted', until: filledUntil, source: 'filled' }
            : reading,
      )
    return [...counted, ...this.#reportedOf(WHOLE, now), ...this.#reportedOf(model, now)]
  }

  block(failure: Failure, now: number, until: number | 'cleared'): void {
    this.blockCell(namesModel(failure) ? failure.model : undefined).set(failure, now, until)
  }

  /** Fills the readings until then, and leaves what was spent as it is. */
  fill(failure: Failure, now: number, until: number | 'cleared' | undefined): void {
    const end = until === 'cleared' ? Number.MAX_SAFE_INTEGER : (until ?? this.meter.fullUntil(now))
    if (end === undefined || end <= now) return
    const cell = this.fillCell(namesModel(failure) ? failure.model : undefined)
    cell.update(present => {
      const standing = present && rebased(present, now)
      return standing && standing.until >= end ? standing : { from: now, until: end }
    })
  }

  /** What a call that began then and succeeded says about blocks that were set before. */
  succeeded(model: string | undefined, startedAt: number): void {
    if (this.#blocks.size > 0) {
      this.#blocks.get(WHOLE)?.clearSetBefore(startedAt)
      if (model !== undefined) this.#blocks.get(model)?.clearSetBefore(startedAt)
    }
    if (this.#fills.size > 0) this.#endFillsSetBefore(model, startedAt)
  }

  /** Apart from {@link succeeded}, because a closure in there would be paid for by every success. */
  #endFillsSetBefore(model: string | undefined, startedAt: number): void {
    const ends = (present: Span | undefined) => (present && present.from < startedAt ? undefined : present)
    this.#fills.get(WHOLE)?.update(ends)
    if (model !== undefined) this.#fills.get(model)?.update(ends)
  }

  /** A probe was answered: what waited to be cleared is. Limits with a time keep it. */
  answered(): void {
    for (const block of this.#blocks.values()) block.clearOpenEnded('probe')
  }

  /** Ends every block and fill of it, by hand. */
  clear(): void {
    for (const block of this.#blocks.values()) block.clear('reset')
    for (const fill of this.#fills.values()) fill.update(() => undefined)
    this.#reported.clear()
  }

  charge(now: number, usd: number, tokens: number, requests: number): void {
    this.meter.add(now, usd, tokens, requests)
    for (const reading of this.meter.worsened(now)) this.#tell(reading, undefined)
  }

  /** Takes in what the vendor says about its own windows. */
  learn(reported: readonly Reported[], model: string | undefined): void {
    for (const { reading, isOfQuota } of reported) {
      const scope = isOfQuota || model === undefined ? WHOLE : model
      const readings = this.#reported.get(scope) ?? new Map<string, Reading>()
      readings.set(reading.window, reading)
      this.#reported.set(scope, readings)
      this.#notice(reading, scope === WHOLE ? undefined : scope)
    }
  }

  blockCell(model: string | undefined): BlockCell {
    let cell = this.#blocks.get(model ?? WHOLE)
    if (!cell) {
      const scope = { quota: this.name, ...(model === undefined ? {} : { model }) }
      cell = new BlockCell(keys.quotaBlock(this.name, model), scope, this.#surroundings)
      this.#blocks.set(model ?? WHOLE, cell)
    }
    return cell
  }

  fillCell(model: string | undefined): Cell<Span> {
    let cell = this.#fills.get(model ?? WHOLE)
    if (!cell) {
      const { store, problem } = this.#surroundings
      cell = new Cell<Span>(keys.fill(this.name, model), store, () => {}, problem)
      this.#fills.set(model ?? WHOLE, cell)
    }
    return cell
  }

  /** Every block that stands, the whole quota's first. */
  *blocks(): Iterable<BlockCell> {
    yield* this.#blocks.values()
  }

  *cells(): Iterable<Cell<never>> {
    for (const { cell } of this.#blocks.values()) yield cell as unknown as Cell<never>
    for (const cell of this.#fills.values()) yield cell as unknown as Cell<never>
  }

  #refusedByBlock(
    provider: string,
    model: string | undefined,
    now: number,
    own: Failure | undefined,
  ): Refusal | undefined {
    const blocks = [
      this.#blocks.get(WHOLE)?.at(now),
      model === undefined ? undefined : this.#blocks.get(model)?.at(now),
    ].filter(block => block !== undefined && !isOwn(block, own))
    const longest = blocks.reduce(
      (best, block) =>
        best && block && (best.until ?? Infinity) >= (block.until ?? Infinity) ? best : block,
      undefined,
    )
    return longest && refusedByBlock(provider, longest, now)
  }

  #filledUntil(model: string | undefined, now: number): number {
    const cell = model === undefined ? undefined : this.#fills.get(model)
    const fill = cell?.value
    if (!fill) return 0
    const current = rebased(fill, now)
    if (current.until <= now) cell.update(present => (present && present.until <= now ? undefined : present))
    else if (current !== fill) cell.update(present => present && rebased(present, now))
    return current.until
  }

  #reportedOf(scope: string | undefined, now: number): Reading[] {
    const readings = scope === undefined ? undefined : this.#reported.get(scope)
    if (!readings) return []
    for (const [window, { until }] of readings)
      if (until !== undefined && until <= now) readings.delete(window)
    return [...readings.values()]
  }

  /** Tells once of each window that the vendor reports as nearly, and once of each as fully used up. */
  #notice(reading: Reading, model: string | undefined): void {
    const key = `${model ?? WHOLE} ${reading.window}`
    const before = this.#levels.get(key) ?? 'within'
    this.#levels.set(key, reading.level)
    if (isWorse(reading.level, before)) this.#tell(reading, model)
  }

  #tell(reading: Reading, model: string | undefined): void {
    const type = reading.level === 'near' ? 'window.near' : 'window.exhausted'
    this.#surroundings.emit({ type, quota: this.name, ...(model === undefined ? {} : { model }), reading })
  }
}

/** A retry knows the block that its own failure set; one that somebody else's failure made longer holds it up. */
function isOwn(block: Block, own: Failure | undefined): boolean {
  if (own === undefined || block.failure.kind !== own.kind) return false
  const isSame = block.failure.fingerprint === own.fingerprint
  return isSame && (own.resetAt === undefined || endOf(block) <= own.resetAt)
}
