import type { Failure } from '../failure/failure.ts'
import { present } from '../failure/present.ts'
import type { HealthMark } from '../verdict/policy.ts'
import { type Block, endOf, modelsOf, namesModel } from './block.ts'
import { BlockCell } from './block-cell.ts'
import type { Caller } from './caller.ts'
import type { StoredCell } from './cell.ts'
import type { CellMaker } from './cell-maker.ts'
import { keys } from './keys.ts'
import { rateAt } from './learned-rate.ts'
import { isLongWait } from './pace.ts'
import { PaceCell } from './pace-cell.ts'
import type { ProviderStatus } from './provider-status.ts'
import { ByModel, QuotaWindows } from './quota-windows.ts'
import { type Refusal, refusedByBlock, refusedByWindow } from './refusal.ts'
import type { Cap } from './settings.ts'
import { strikeKindOf } from './strikes.ts'
import { StrikesCell } from './strikes-cell.ts'
import { Traffic } from './traffic.ts'

/** More models than anybody asks for: the traffic of all others is watched together, so that no caller fills the memory. */
const MOST_MODELS = 1_000
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
  readonly windows: QuotaWindows
  /** Also of tools, see {@link toolPart}. */
  readonly blocks: ByModel<BlockCell>
  readonly strikes: ByModel<StrikesCell>
  readonly paces: ByModel<PaceCell>
  readonly #traffic = new ByModel(() => new Traffic())
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
    this.#cells = cells
    this.windows = new QuotaWindows(name, caps, cells)
    const isUnnamed = ({ cell }: { cell: { readonly value: { isUnnamed?: true } | undefined } }) =>
      cell.value?.isUnnamed === true
    const scopeOf = (model: string | undefined) => ({ quota: name, ...present({ model }) })
    this.blocks = new ByModel(
      model => new BlockCell(keys.quotaBlock(name, model), scopeOf(model), cells),
      isUnnamed,
    )
    this.strikes = new ByModel(model => new StrikesCell(keys.quotaStrikes(name, model), cells), isUnnamed)
    this.paces = new ByModel(model => new PaceCell(keys.pace(name, model), scopeOf(model), cells), isUnnamed)
  }

  /** @param own the failure whose own block does not hold up the retry it was set for */
  refusal(provider: string, caller: Caller, now: number, own?: Failure): Refusal | undefined {
    const { model } = caller
    if (this.blocks.size > 0) {
      const refusal = this.#refusedByBlock(provider, model, now, own)
      if (refusal) return refusal
    }
    if (this.paces.size > 0) {
      const refusal = this.#refusedByPace(provider, caller, now, own)
      if (refusal) return refusal
    }
    if (this.strikes.size > 0 && own === undefined) {
      const refusal = this.#refusedByTrial(provider, model, now)
      if (refusal) return refusal
    }
    const full = this.windows.exhausted(model, now)
    return full && refusedByWindow(provider, full, now)
  }

  /** Whether it refused calls lately, and nobody knows what it takes now: then a call is safer with somebody else. */
  isLimited(model: string | undefined, now: number): boolean {
    if (this.paces.size === 0) return false
    return this.paces.concerning(model).some(pace => pace.isUnknown(now))
  }

  /** Why calls of this tool are not admitted, although the server itself admits. */
  refusalOfTool(provider: string, tool: string, now: number, own?: Failure): Refusal | undefined {
    const block = this.blocks.get(toolPart(tool))?.at(now)
    return block && !isOwn(block, own) ? refusedByBlock(provider, block, now) : undefined
  }

  /** A tool said that it cannot work until then; its server can. */
  blockTool(
    failure: Failure,
    now: number,
    until: number | 'cleared' | undefined,
    tool: string | undefined,
  ): void {
    if (tool !== undefined && until !== undefined) this.blocks.of(toolPart(tool)).set(failure, now, until)
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
      this.blocks.of(of).set(failure, now, until, of === undefined ? {} : { isUnnamed })
      const way = strikeKindOf(failure)
      if (way !== undefined)
        this.strikes.of(of).struck(way, startedAt, now, until === 'cleared' ? null : until, isUnnamed)
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
    for (const [of, cell] of this.blocks) {
      const block = of === model ? undefined : cell.at(now)
      if (block && isAlike(block)) return false
    }
    // Nothing shows that it works again, except the next council that asks.
    const end = until === 'cleared' ? now + (failure.class === 'throttle' ? MONEY_MS : LOGIN_MS) : until
    this.blocks.of(model).set(failure, now, end, { isOfMember: true })
    return true
  }

  /** What became of the last calls of a model. */
  trafficOf(model: string | undefined): Traffic {
    const isOwn = this.#traffic.size < MOST_MODELS || this.#traffic.get(model) !== undefined
    return this.#traffic.of(isOwn ? model : undefined)
  }

  /**
   * Lets calls through one after another, unless only a few of many are refused. Returns whether others must wait.
   * @param until when the provider said that it works again; undefined if it did not
   */
  pace(
    failure: Failure,
    now: number,
    until: number | undefined,
    { model, startedAt }: { model?: string | undefined; startedAt: number },
  ): boolean {
    const traffic = this.trafficOf(model)
    traffic.refused()
    const isForAll = until !== undefined && isLongWait(until, now)
    const isScattered = !isForAll && (until === undefined ? traffic.isScattered : traffic.isAlone)
    const isByChance = !isForAll && traffic.isByChance
    const isUnnamed = model === undefined
    const random = this.#cells.random()
    const learns = this.#learns
    let isForOthers = false
    for (const of of modelsOf(failure, model)) {
      const pace = this.paces.get(of)
      // A limit whose rate is known is met now and then.
      if (isScattered && !pace?.hasRate(now)) continue
      if (isByChance && !pace?.at(now)) continue
      const cell = this.paces.of(of)
      cell.refused({
        failure,
        startedAt,
        now,
        random,
        isUnnamed: isUnnamed && of !== undefined,
        statedUntil: until,
        learns,
      })
      isForOthers ||= cell.at(now)?.isChance !== true
    }
    return isForOthers
  }

  /** How many times in a row any caller hit the limit before. */
  strikesBefore(failure: Failure, startedAt: number, now: number): number {
    const way = strikeKindOf(failure)
    if (way === undefined) return 0
    const [of] = modelsOf(failure, undefined)
    return this.strikes.get(of)?.before(way, startedAt, now) ?? 0
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
    if (this.strikes.size === 0 && this.paces.size === 0) return undefined
    const struck = this.strikes.concerning(model).filter(({ cell }) => cell.value !== undefined)
    const paced = this.paces.concerning(model).filter(({ cell }) => cell.value !== undefined)
    if (struck.length === 0 && paced.length === 0) return undefined
    const by = id()
    for (const strikes of struck) strikes.tryFirst(by, now)
    for (const pace of paced) pace.began(by, now, onAdmitted)
    return by
  }

  /** The answer to a call has begun: the next one may go. */
  admitted(model: string | undefined, by: string | undefined, startedAt: number, isWaitedFor: boolean): void {
    for (const pace of this.paces.concerning(model)) pace.admitted(by, startedAt, isWaitedFor)
  }

  /** The call that went ahead has ended. */
  ended(model: string | undefined, by: string): void {
    for (const strikes of this.strikes.concerning(model)) strikes.ended(by)
    for (const pace of this.paces.concerning(model)) pace.ended(by)
  }

  takeTest(model: string | undefined, now: number): void {
    for (const block of this.blocks.concerning(model)) block.takeTest(now)
  }

  /**
   * Ends blocks that were set before a successful call began.
   * @param isWaitedFor whether other calls wait
   */
  succeeded(model: string | undefined, permit: Served, isWaitedFor: boolean): void {
    const { startedAt, tool } = permit
    if (tool !== undefined) this.blocks.get(toolPart(tool))?.clearSetBefore(startedAt)
    if (this.paces.size > 0) this.#tookTurn(model, permit, isWaitedFor)
    if (this.blocks.size > 0)
      for (const block of this.blocks.concerning(model)) block.clearSetBefore(startedAt)
    this.windows.succeeded(model, startedAt)
    if (this.strikes.size > 0) {
      const now = this.#cells.time.now()
      for (const strikes of this.strikes.concerning(model)) strikes.succeeded(startedAt, now)
    }
  }

  #tookTurn(model: string | undefined, { startedAt, trial, isAdmitted }: Served, isWaitedFor: boolean): void {
    const ms = this.#cells.time.now() - startedAt
    for (const pace of this.paces.concerning(model)) pace.answered(ms)
    if (!isAdmitted) this.admitted(model, trial, startedAt, isWaitedFor)
  }

  /** A probe was answered: clears blocks without an end. Limits with a stated time keep it. */
  answered(): void {
    for (const block of this.blocks.values()) block.clearOpenEnded('probe')
    for (const strikes of this.strikes.values()) strikes.clear()
    for (const pace of this.paces.values()) pace.clear()
  }

  /** Ends every block and fill, by hand. */
  clear(): void {
    for (const block of this.blocks.values()) block.clear('reset')
    for (const strikes of this.strikes.values()) strikes.clear()
    for (const pace of this.paces.values()) pace.clear()
    this.windows.clear()
  }

  /** Every pace in force, the whole quota's first. */
  *paced(now: number): Iterable<ProviderStatus['paced'][number]> {
    for (const [model, cell] of this.paces) {
      const pace = cell.at(now)
      if (!pace || pace.isChance) continue
      const { at, until, rate, failure } = pace
      const perMinute = rate && rateAt(rate, now)
      yield {
        ...present({ model }),
        at,
        until,
        ...(perMinute === undefined ? {} : { perMinute: Math.round(perMinute * 60) }),
        failure,
      }
    }
  }

  *cells(): Iterable<StoredCell> {
    for (const cells of [this.blocks, this.strikes, this.paces])
      for (const { cell } of cells.values()) yield cell
    yield* this.windows.cells()
  }

  #refusedByPace(
    provider: string,
    { model, remainingMs = Infinity, triesLeft = Infinity }: Caller,
    now: number,
    own: Failure | undefined,
  ): Refusal | undefined {
    let last: Refusal | undefined
    for (const pace of this.paces.concerning(model)) {
      const refusal = pace.refusal(provider, now, own, { remainingMs, triesLeft })
      if (refusal && (!last || refusal.until > last.until)) last = refusal
    }
    return last
  }

  #refusedByTrial(provider: string, model: string | undefined, now: number): Refusal | undefined {
    for (const strikes of this.strikes.concerning(model)) {
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
    const blocks = this.blocks
      .concerning(model)
      .map(cell => cell.at(now))
      .filter(block => block !== undefined && !isOwn(block, own))
    const longest = blocks.reduce(
      (best, block) =>
        best && block && (best.until ?? Infinity) >= (block.until ?? Infinity) ? best : block,
      undefined,
    )
    return longest && refusedByBlock(provider, longest, now)
  }
}

/** Whether the block was set by the retry's own failure. A block that another failure extended still holds it up. */
function isOwn(block: Block, own: Failure | undefined): boolean {
  if (own === undefined || block.failure.kind !== own.kind) return false
  const isSame = block.failure.fingerprint === own.fingerprint
  return isSame && (own.resetAt === undefined || endOf(block) <= own.resetAt)
}
