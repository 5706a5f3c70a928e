import type { Failure } from '../failure/failure.ts'
import type { HealthMark } from '../verdict/policy.ts'
import { type Block, endOf, namesModel } from './block.ts'
import { BlockCell } from './block-cell.ts'
import type { Caller } from './caller.ts'
import type { Cell } from './cell.ts'
import type { CellMaker } from './cell-maker.ts'
import { keys, scopes } from './keys.ts'
import { rateAt } from './learned-rate.ts'
import { Meter } from './meter.ts'
import { PaceCell } from './pace-cell.ts'
import type { ProviderStatus } from './provider-status.ts'
import { type Refusal, refusedByBlock, refusedByWindow } from './refusal.ts'
import type { Reported } from './reported.ts'
import type { Cap } from './settings.ts'
import { rebased, type Span } from './span.ts'
import { strikeKindOf } from './strikes.ts'
import { StrikesCell } from './strikes-cell.ts'
import { isWorse, type Level, type WindowUse } from './window-use.ts'

/** Stands for the whole quota, in place of a model. */
const WHOLE = ''

/** Stands for one tool of an MCP server, in place of a model. */
const toolPart = (tool: string) => `tool:${tool}`

/** How long one model is blocked by a refused login, and by a bill. */
const LOGIN_MS = 60_000
const MONEY_MS = 3_600_000

/** A call that was served. */
interface Served {
  startedAt: number
  tool?: string | undefined
  /** The turn that it took. */
  trial?: string | undefined
  /** Whether its answer had begun before. */
  isAdmitted: boolean
}

/** One allowance: its blocks, what was spent of it, and what its vendor reports about it. */
export class QuotaHealth {
  readonly name: string
  readonly meter: Meter
  /** By model, or {@link WHOLE}. */
  readonly #blocks = new Map<string, BlockCell>()
  readonly #fills = new Map<string, Cell<Span>>()
  readonly #strikes = new Map<string, StrikesCell>()
  readonly #paces = new Map<string, PaceCell>()
  readonly #reported = new Map<string, Map<string, WindowUse>>()
  readonly #levels = new Map<string, Level>()
  readonly #cells: CellMaker
  readonly #learns: boolean

  /** @param learns whether the rate that it takes is learned from refusals */
  constructor(
    name: string,
    caps: readonly { cap: Cap; zone: string }[],
    cells: CellMaker,
    learns: boolean = true,
  ) {
    this.name = name
    this.#learns = learns
    this.meter = new Meter(scopes.quota(name), caps, cells.isShared)
    this.#cells = cells
  }

  /** @param own the failure whose own block does not hold up the retry it was set for */
  refusal(provider: string, caller: Caller, now: number, own?: Failure): Refusal | undefined {
    const { model } = caller
    if (this.#blocks.size > 0) {
      const refusal = this.#refusedByBlock(provider, model, now, own)
      if (refusal) return refusal
    }
    if (this.#paces.size > 0) {
      const refusal = this.#refusedByPace(provider, caller, now, own)
      if (refusal) return refusal
    }
    if (this.#strikes.size > 0 && own === undefined) {
      const refusal = this.#refusedByTrial(provider, model, now)
      if (refusal) return refusal
    }
    if (this.#reported.size === 0 && this.#fills.size === 0 && this.meter.admits(now)) return undefined
    const full = this.windows(model, now)
      .filter(({ level, source, until }) => level === 'exhausted' && (source !== 'reported' || until))
      .sort((a, b) => (b.until ?? Infinity) - (a.until ?? Infinity))[0]
    return full && refusedByWindow(provider, full, now)
  }

  /** Whether it refused calls lately, and nobody knows what it takes now: then a call is safer with somebody else. */
  isLimited(model: string | undefined, now: number): boolean {
    if (this.#paces.size === 0) return false
    return this.#pacesOf(model).some(pace => pace.isUnknown(now))
  }

  /** Why calls of this tool are not admitted, although the server itself admits. */
  refusalOfTool(provider: string, tool: string, now: number, own?: Failure): Refusal | undefined {
    const block = this.#blocks.get(toolPart(tool))?.at(now)
    return block && !isOwn(block, own) ? refusedByBlock(provider, block, now) : undefined
  }

  /** A tool said that it cannot work until then; its server can. */
  blockTool(
    failure: Failure,
    now: number,
    until: number | 'cleared' | undefined,
    tool: string | undefined,
  ): void {
    if (tool !== undefined && until !== undefined) this.blockCell(toolPart(tool)).set(failure, now, until)
  }

  /** All windows now: counted by us, filled by a limit, and reported by the vendor. */
  windows(model: string | undefined, now: number): WindowUse[] {
    const filledUntil = Math.max(this.#filledUntil(WHOLE, now), this.#filledUntil(model, now))
    const counted = this.meter
      .windows(now)
      .map(
        (use): WindowUse =>
          filledUntil > now ? { ...use, level: 'exhausted', until: filledUntil, source: 'filled' } : use,
      )
    return [...counted, ...this.#reportedOf(WHOLE, now), ...this.#reportedOf(model, now)]
  }

  /** @param tried the call that hit the limit: the name it used for the model is blocked too */
  block(
    failure: Failure,
    now: number,
    until: number | 'cleared',
    { model, startedAt }: { model?: string | undefined; startedAt: number },
  ): void {
    const isUnnamed = model === undefined
    for (const of of modelsOf(failure, model)) {
      this.blockCell(of).set(failure, now, until, of === undefined ? {} : { isUnnamed })
      const way = strikeKindOf(failure)
      if (way !== undefined)
        this.strikesCell(of).struck(way, startedAt, now, until === 'cleared' ? null : until, isUnnamed)
    }
  }

  /**
   * A model was refused in a way that may concern all of them: blocks it alone.
   * @returns false if that is not enough: another model was refused in the same way, or the limit names whom it concerns
   */
  blockMember(
    failure: Failure,
    now: number,
    until: HealthMark['blockUntil'],
    model: string | undefined,
  ): boolean {
    if (until === undefined || model === undefined || namesModel(failure)) return false
    const isAlike = ({ failure: before, isOfMember }: Block) =>
      isOfMember === true &&
      before.class === failure.class &&
      (before.kind === 'billing') === (failure.kind === 'billing')
    for (const [of, cell] of this.#blocks) {
      const block = of === model ? undefined : cell.at(now)
      if (block && isAlike(block)) return false
    }
    // Nothing shows that it works again, except the next council that asks.
    const end = until === 'cleared' ? now + (failure.class === 'throttle' ? MONEY_MS : LOGIN_MS) : until
    this.blockCell(model).set(failure, now, end, { isOfMember: true })
    return true
  }

  /**
   * Lets calls through one after another.
   * @param until when the provider said that it works again; undefined if it did not
   */
  pace(
    failure: Failure,
    now: number,
    until: number | undefined,
    { model, startedAt }: { model?: string | undefined; startedAt: number },
  ): void {
    const isUnnamed = model === undefined
    const random = this.#cells.random()
    const learns = this.#learns
    for (const of of modelsOf(failure, model))
      this.paceCell(of).refused({
        failure,
        startedAt,
        now,
        random,
        isUnnamed: isUnnamed && of !== undefined,
        statedUntil: until,
        learns,
      })
  }

  /** How many times in a row any caller hit the limit before. */
  strikesBefore(failure: Failure, startedAt: number, now: number): number {
    const way = strikeKindOf(failure)
    if (way === undefined) return 0
    const [of] = modelsOf(failure, undefined)
    return this.#strikes.get(of ?? WHOLE)?.before(way, startedAt, now) ?? 0
  }

  /**
   * A call begins. The first after a limit goes ahead of the others, and every call of a paced quota takes a turn; returns
   * its id if it does.
   * @param onAdmitted called if it is not refused for a while
   */
  began(
    model: string | undefined,
    id: () => string,
    now: number,
    onAdmitted: () => void,
  ): string | undefined {
    if (this.#strikes.size === 0 && this.#paces.size === 0) return undefined
    const struck = this.#strikesOf(model).filter(({ cell }) => cell.value !== undefined)
    const paced = this.#pacesOf(model).filter(({ cell }) => cell.value !== undefined)
    if (struck.length === 0 && paced.length === 0) return undefined
    const by = id()
    for (const strikes of struck) strikes.tryFirst(by, now)
    for (const pace of paced) pace.began(by, now, onAdmitted)
    return by
  }

  /** The answer to a call has begun: the next one may go. */
  admitted(model: string | undefined, by: string | undefined, startedAt: number, isWaitedFor: boolean): void {
    for (const pace of this.#pacesOf(model)) pace.admitted(by, startedAt, isWaitedFor)
  }

  /** The call that went ahead has ended. */
  ended(model: string | undefined, by: string): void {
    for (const strikes of this.#strikesOf(model)) strikes.ended(by)
    for (const pace of this.#pacesOf(model)) pace.ended(by)
  }

  takeTest(model: string | undefined, now: number): void {
    for (const block of this.#blocksOf(model)) block.takeTest(now)
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
      this.fillCell(of).update(present => {
        const standing = present && rebased(present, now)
        return standing && standing.until >= end ? standing : { from: now, until: end }
      })
  }

  /**
   * Ends blocks that were set before a successful call began.
   * @param isWaitedFor whether other calls wait
   */
  succeeded(model: string | undefined, permit: Served, isWaitedFor: boolean): void {
    const { startedAt, tool } = permit
    if (tool !== undefined) this.#blocks.get(toolPart(tool))?.clearSetBefore(startedAt)
    if (this.#paces.size > 0) this.#tookTurn(model, permit, isWaitedFor)
    if (this.#blocks.size > 0) for (const block of this.#blocksOf(model)) block.clearSetBefore(startedAt)
    if (this.#fills.size > 0) this.#endFillsSetBefore(model, startedAt)
    if (this.#strikes.size > 0) {
      const now = this.#cells.time.now()
      for (const strikes of this.#strikesOf(model)) strikes.succeeded(startedAt, now)
    }
  }

  #tookTurn(model: string | undefined, { startedAt, trial, isAdmitted }: Served, isWaitedFor: boolean): void {
    const ms = this.#cells.time.now() - startedAt
    for (const pace of this.#pacesOf(model)) pace.answered(ms)
    if (!isAdmitted) this.admitted(model, trial, startedAt, isWaitedFor)
  }

  /** Separate from {@link succeeded}, because a closure there would cost every success. */
  #endFillsSetBefore(model: string | undefined, startedAt: number): void {
    const ends = (present: Span | undefined) => (present && present.from < startedAt ? undefined : present)
    this.#fills.get(WHOLE)?.update(ends)
    if (model !== undefined) this.#fills.get(model)?.update(ends)
  }

  /** A probe was answered: clears blocks without an end. Limits with a stated time keep it. */
  answered(): void {
    for (const block of this.#blocks.values()) block.clearOpenEnded('probe')
    for (const strikes of this.#strikes.values()) strikes.clear()
    for (const pace of this.#paces.values()) pace.clear()
  }

  /** Ends every block and fill, by hand. */
  clear(): void {
    for (const block of this.#blocks.values()) block.clear('reset')
    for (const fill of this.#fills.values()) fill.update(() => undefined)
    for (const strikes of this.#strikes.values()) strikes.clear()
    for (const pace of this.#paces.values()) pace.clear()
    this.#reported.clear()
  }

  charge(now: number, usd: number, tokens: number, requests: number): void {
    this.meter.add(now, usd, tokens, requests)
    for (const use of this.meter.worsened(now)) this.#report(use, undefined)
  }

  /** Records what the vendor says about its own windows. */
  learn(reported: readonly Reported[], model: string | undefined): void {
    for (const { use, isOfQuota } of reported) {
      const scope = isOfQuota || model === undefined ? WHOLE : model
      const windows = this.#reported.get(scope) ?? new Map<string, WindowUse>()
      windows.set(use.window, use)
      this.#reported.set(scope, windows)
      this.#compare(use, scope === WHOLE ? undefined : scope)
    }
  }

  blockCell(model: string | undefined): BlockCell {
    let cell = this.#blocks.get(model ?? WHOLE)
    if (!cell) {
      const scope = { quota: this.name, ...(model === undefined ? {} : { model }) }
      cell = new BlockCell(keys.quotaBlock(this.name, model), scope, this.#cells)
      this.#blocks.set(model ?? WHOLE, cell)
    }
    return cell
  }

  strikesCell(model: string | undefined): StrikesCell {
    let cell = this.#strikes.get(model ?? WHOLE)
    if (!cell) {
      cell = new StrikesCell(keys.quotaStrikes(this.name, model), this.#cells)
      this.#strikes.set(model ?? WHOLE, cell)
    }
    return cell
  }

  paceCell(model: string | undefined): PaceCell {
    let cell = this.#paces.get(model ?? WHOLE)
    if (!cell) {
      const scope = { quota: this.name, ...(model === undefined ? {} : { model }) }
      cell = new PaceCell(keys.pace(this.name, model), scope, this.#cells)
      this.#paces.set(model ?? WHOLE, cell)
    }
    return cell
  }

  fillCell(model: string | undefined): Cell<Span> {
    let cell = this.#fills.get(model ?? WHOLE)
    if (!cell) {
      cell = this.#cells.make<Span>(keys.fill(this.name, model))
      this.#fills.set(model ?? WHOLE, cell)
    }
    return cell
  }

  /** Every block in force, the whole quota's first. */
  *blocks(): Iterable<BlockCell> {
    yield* this.#blocks.values()
  }

  /** Every pace in force, the whole quota's first. */
  *paces(now: number): Iterable<ProviderStatus['paced'][number]> {
    for (const [model, cell] of this.#paces) {
      const pace = cell.at(now)
      if (!pace) continue
      const { at, until, rate, failure } = pace
      const perMinute = rate && rateAt(rate, now)
      yield {
        ...(model === WHOLE ? {} : { model }),
        at,
        until,
        ...(perMinute === undefined ? {} : { perMinute: Math.round(perMinute * 60) }),
        failure,
      }
    }
  }

  *cells(): Iterable<Cell<never>> {
    for (const { cell } of this.#blocks.values()) yield cell as unknown as Cell<never>
    for (const cell of this.#fills.values()) yield cell as unknown as Cell<never>
    for (const { cell } of this.#strikes.values()) yield cell as unknown as Cell<never>
    for (const { cell } of this.#paces.values()) yield cell as unknown as Cell<never>
  }

  /** Blocks that apply to a call: of the whole quota, of its model, or, if it names no model, of other such calls. */
  #blocksOf(model: string | undefined): BlockCell[] {
    if (model !== undefined) return [this.#blocks.get(WHOLE), this.#blocks.get(model)].filter(cell => !!cell)
    return [...this.#blocks].flatMap(([of, cell]) =>
      of === WHOLE || cell.cell.value?.isUnnamed ? [cell] : [],
    )
  }

  #strikesOf(model: string | undefined): StrikesCell[] {
    if (model !== undefined)
      return [this.#strikes.get(WHOLE), this.#strikes.get(model)].filter(cell => !!cell)
    return [...this.#strikes].flatMap(([of, cell]) =>
      of === WHOLE || cell.cell.value?.isUnnamed ? [cell] : [],
    )
  }

  #pacesOf(model: string | undefined): PaceCell[] {
    if (model !== undefined) return [this.#paces.get(WHOLE), this.#paces.get(model)].filter(cell => !!cell)
    return [...this.#paces].flatMap(([of, cell]) => (of === WHOLE || cell.isUnnamed ? [cell] : []))
  }

  #refusedByPace(
    provider: string,
    { model, remainingMs = Infinity, triesLeft = Infinity }: Caller,
    now: number,
    own: Failure | undefined,
  ): Refusal | undefined {
    let last: Refusal | undefined
    for (const pace of this.#pacesOf(model)) {
      const refusal = pace.refusal(provider, now, own, { remainingMs, triesLeft })
      if (refusal && (!last || refusal.until > last.until)) last = refusal
    }
    return last
  }

  #refusedByTrial(provider: string, model: string | undefined, now: number): Refusal | undefined {
    for (const strikes of this.#strikesOf(model)) {
      const refusal = strikes.refusal(provider, now)
      if (refusal) return refusal
    }
    return undefined
  }

  #refusedByBlock(
    provider: string,
    model: string | undefined,
    now: number,
    own: Failure | undefined,
  ): Refusal | undefined {
    const blocks = this.#blocksOf(model)
      .map(cell => cell.at(now))
      .filter(block => block !== undefined && !isOwn(block, own))
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

  #reportedOf(scope: string | undefined, now: number): WindowUse[] {
    const windows = scope === undefined ? undefined : this.#reported.get(scope)
    if (!windows) return []
    for (const [window, { until }] of windows) if (until !== undefined && until <= now) windows.delete(window)
    return [...windows.values()]
  }

  /** Reports once that a vendor's window is nearly used up, and once that it is used up. */
  #compare(use: WindowUse, model: string | undefined): void {
    const key = `${model ?? WHOLE} ${use.window}`
    const before = this.#levels.get(key) ?? 'within'
    this.#levels.set(key, use.level)
    if (isWorse(use.level, before)) this.#report(use, model)
  }

  #report(use: WindowUse, model: string | undefined): void {
    const type = use.level === 'near' ? 'window.near' : 'window.exhausted'
    this.#cells.emit({ type, quota: this.name, ...(model === undefined ? {} : { model }), use })
  }
}

/** The models a limit applies to, by the names that the failure and the call used; undefined for the whole quota. */
function modelsOf(failure: Failure, called: string | undefined): readonly (string | undefined)[] {
  if (!namesModel(failure)) return [undefined]
  return called === undefined || called === failure.model ? [failure.model] : [failure.model, called]
}

/** Whether the block was set by the retry's own failure. A block that another failure extended still holds it up. */
function isOwn(block: Block, own: Failure | undefined): boolean {
  if (own === undefined || block.failure.kind !== own.kind) return false
  const isSame = block.failure.fingerprint === own.fingerprint
  return isSame && (own.resetAt === undefined || endOf(block) <= own.resetAt)
}
