import type { Failure } from '../failure/failure.ts'
import { present } from '../failure/present.ts'
import { modelsOf } from './block.ts'
import type { Cell, StoredCell } from './cell.ts'
import type { CellMaker } from './cell-maker.ts'
import { keys, scopes } from './keys.ts'
import { Meter } from './meter.ts'
import type { Reported } from './reported.ts'
import type { Cap } from './settings.ts'
import { rebased, type Span } from './span.ts'
import { isWorse, type Level, type WindowUse } from './window-use.ts'

/** The windows of one allowance: counted by us, filled by a limit, and reported by the vendor. */
export class QuotaWindows {
  readonly meter: Meter
  readonly #name: string
  readonly #cells: CellMaker
  readonly #fills: ByModel<Cell<Span>>
  readonly #reported = new ByModel<Map<string, WindowUse>>(() => new Map())
  readonly #levels = new Map<string, Level>()

  constructor(name: string, caps: readonly { cap: Cap; zone: string }[], cells: CellMaker) {
    this.#name = name
    this.#cells = cells
    this.meter = new Meter(scopes.quota(name), caps, cells.isShared)
    this.#fills = new ByModel(model => cells.make<Span>(keys.fill(name, model)))
  }

  /** The full window that ends last, if any keeps a call out. */
  exhausted(model: string | undefined, now: number): WindowUse | undefined {
    if (this.#reported.size === 0 && this.#fills.size === 0 && this.meter.admits(now)) return undefined
    return this.all(model, now)
      .filter(({ level, source, until }) => level === 'exhausted' && (source !== 'reported' || until))
      .sort((a, b) => (b.until ?? Infinity) - (a.until ?? Infinity))[0]
  }

  /** All windows now. */
  all(model: string | undefined, now: number): WindowUse[] {
    const scopes = model === undefined ? [undefined] : [undefined, model]
    const filledUntil = Math.max(...scopes.map(of => this.#filledUntil(of, now)))
    const counted = this.meter
      .windows(now)
      .map(
        (use): WindowUse =>
          filledUntil > now ? { ...use, level: 'exhausted', until: filledUntil, source: 'filled' } : use,
      )
    return [...counted, ...scopes.flatMap(of => [...this.#reportedOf(of, now)])]
  }

  /** Shows the windows as full until then. Recorded spending is not changed. */
  fill(
    failure: Failure,
    now: number,
    until: number | 'cleared' | undefined,
    model: string | undefined,
  ): void {
    const end = until === 'cleared' ? Number.MAX_SAFE_INTEGER : (until ?? this.meter.fullUntil(now))
    if (end === undefined || end <= now) return
    for (const of of modelsOf(failure, model))
      this.#fills.of(of).update(present => {
        const standing = present && rebased(present, now)
        return standing && standing.until >= end ? standing : { from: now, until: end }
      })
  }

  /** A call that began at this time was served. */
  succeeded(model: string | undefined, startedAt: number): void {
    if (this.#fills.size > 0) this.#endFillsSetBefore(model, startedAt)
  }

  /** Separate from {@link succeeded}, because a closure there would cost every success. */
  #endFillsSetBefore(model: string | undefined, startedAt: number): void {
    for (const fill of this.#fills.concerning(model))
      fill.update(present => (present && present.from < startedAt ? undefined : present))
  }

  /** Ends every fill, and forgets what the vendor reported. */
  clear(): void {
    for (const fill of this.#fills.values()) fill.update(() => undefined)
    this.#reported.clear()
  }

  charge(now: number, usd: number, tokens: number, requests: number): void {
    this.meter.add(now, usd, tokens, requests)
    for (const use of this.meter.worsened(now)) this.#report(use, undefined)
  }

  /** Records what the vendor says about its own windows. */
  learn(reported: readonly Reported[], model: string | undefined): void {
    for (const { use, isOfQuota } of reported) {
      const of = isOfQuota ? undefined : model
      this.#reported.of(of).set(use.window, use)
      this.#compare(use, of)
    }
  }

  fillCell(model: string | undefined): Cell<Span> {
    return this.#fills.of(model)
  }

  cells(): Iterable<StoredCell> {
    return this.#fills.values()
  }

  #filledUntil(model: string | undefined, now: number): number {
    const cell = this.#fills.get(model)
    const fill = cell?.value
    if (!fill) return 0
    const current = rebased(fill, now)
    if (current.until <= now) cell.update(present => (present && present.until <= now ? undefined : present))
    else if (current !== fill) cell.update(present => present && rebased(present, now))
    return current.until
  }

  #reportedOf(model: string | undefined, now: number): Iterable<WindowUse> {
    const windows = this.#reported.get(model)
    if (!windows) return []
    for (const [window, { until }] of windows) if (until !== undefined && until <= now) windows.delete(window)
    return windows.values()
  }

  /** Reports once that a vendor's window is nearly used up, and once that it is used up. */
  #compare(use: WindowUse, model: string | undefined): void {
    const key = `${model ?? ''} ${use.window}`
    const before = this.#levels.get(key) ?? 'within'
    this.#levels.set(key, use.level)
    if (isWorse(use.level, before)) this.#report(use, model)
  }

  #report(use: WindowUse, model: string | undefined): void {
    const type = use.level === 'near' ? 'window.near' : 'window.exhausted'
    this.#cells.emit({ type, quota: this.#name, ...present({ model }), use })
  }
}

/** What is known about a quota: as a whole, under `undefined`, and about the models that a failure named. */
export class ByModel<T> extends Map<string | undefined, T> {
  readonly #make: (model: string | undefined) => T
  readonly #isUnnamed: (known: T) => boolean

  /** @param isUnnamed whether it came from a call that named no model, and so concerns other such calls */
  constructor(make: (model: string | undefined) => T, isUnnamed: (known: T) => boolean = () => false) {
    super()
    this.#make = make
    this.#isUnnamed = isUnnamed
  }

  /** What is known of the model, made if nothing is. */
  of(model: string | undefined): T {
    let known = this.get(model)
    if (known === undefined) {
      known = this.#make(model)
      this.set(model, known)
    }
    return known
  }

  /** What concerns a call: of the whole quota, of its model, or, if it names no model, of other such calls. */
  concerning(model: string | undefined): T[] {
    if (model !== undefined)
      return [this.get(undefined), this.get(model)].filter(known => known !== undefined)
    return [...this].flatMap(([of, known]) => (of === undefined || this.#isUnnamed(known) ? [known] : []))
  }
}
