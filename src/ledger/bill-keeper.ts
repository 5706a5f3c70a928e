import type { Bill, Spent } from '../call/bill.ts'
import { FlushTimer } from '../provider/flush-timer.ts'
import { realTime, type Time } from '../time/time.ts'
import { BILL_STEP_MS, type BillLine, type BillPlace } from './bill.ts'
import { isLedgerError } from './error.ts'
import type { Ledger } from './ledger.ts'
import { UnsureCommit } from './postgres/unsure-commit.ts'

/** Most lines that wait to be written. Further places count together. */
const MOST_LINES = 1_000
/** A name that a client chose must not fill the ledger. */
const LONGEST_NAME = 100
const OTHER = 'other'
/** More than any try uses or costs: what an answer says is not to be trusted. */
const MOST_TOKENS = 1e12
const MOST_USD = 1e9

/** Collaborators of a {@link BillKeeper}. */
export interface BillKeeperDeps {
  ledger: Pick<Ledger, 'addToBill'>
  /** Default: this machine's. */
  time?: Time | undefined
  /**
   * Called if the bill cannot be written now; it is written later, except for what the ledger never takes, or may have taken.
   * Default: ignore it.
   */
  onError?: ((error: unknown) => void) | undefined
}

/** Sums what tries used and cost, and writes it to the bill of a ledger once a second. */
export class BillKeeper {
  readonly #deps: BillKeeperDeps
  readonly #timer: FlushTimer
  #lines = new Map<string, BillLine>()
  #writing: Promise<void> = Promise.resolve()

  constructor(deps: BillKeeperDeps) {
    this.#deps = deps
    this.#timer = new FlushTimer(deps.time ?? realTime)
    this.#timer.listen(() => void this.write())
  }

  /** The bill of one client, for `bill` of its calls. @param session used where the call names none */
  of(client: string, session?: string): Bill {
    return spent => this.add({ ...spent, session: spent.session ?? session, client })
  }

  /** Takes down one try. */
  add({ at, client, session, provider, model, usage, costUsd, isFailed }: Spent & { client: string }): void {
    const place = named({ client, session, provider, model })
    this.#merge({
      at: at - (at % BILL_STEP_MS),
      ...place,
      tries: 1,
      failed: isFailed ? 1 : 0,
      unpriced: costUsd === null ? 1 : 0,
      usd: bounded(costUsd ?? 0, MOST_USD),
      usage: {
        inputTokens: tokens(usage?.inputTokens),
        outputTokens: tokens(usage?.outputTokens),
        cachedTokens: tokens(usage?.cachedTokens),
        cacheWriteTokens: tokens(usage?.cacheWriteTokens),
      },
    })
    this.#timer.touch()
  }

  /** Writes what waits. Never rejects: what cannot be written now is written with what comes next, if it ever can. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      const lines = [...this.#lines.values()]
      if (lines.length === 0) return
      this.#lines = new Map()
      const error = await this.#tryToWrite(lines)
      if (!isOfLine(error)) return
      // One line that is never taken must not keep all others from the bill.
      for (const line of lines) await this.#tryToWrite([line])
    })
    return this.#writing
  }

  /** Returns the error that says that a line among others will never be taken; the lines are then still to be written. */
  async #tryToWrite(lines: readonly BillLine[]): Promise<unknown> {
    try {
      await this.#deps.ledger.addToBill(lines)
      return undefined
    } catch (error) {
      if (isOfLine(error) && lines.length > 1) return error
      this.#deps.onError?.(error)
      // What may be on the bill already would be there twice.
      if (isOfLine(error) || error instanceof UnsureCommit) return undefined
      for (const line of lines) this.#merge(line)
      this.#timer.touch()
      return undefined
    }
  }

  /** Writes what waits, and stops. */
  async close(): Promise<void> {
    this.#timer.stop()
    await this.write()
  }

  #merge(line: BillLine): void {
    const key = keyOf(line)
    const known = this.#lines.get(key)
    if (known) this.#lines.set(key, sumOf(known, line))
    else if (this.#lines.size < MOST_LINES) this.#lines.set(key, line)
    else {
      const rest = { ...line, client: OTHER, session: '', provider: OTHER, model: OTHER }
      const other = this.#lines.get(keyOf(rest))
      this.#lines.set(keyOf(rest), other ? sumOf(other, rest) : rest)
    }
  }
}

/** Answers may say any number; the bill counts whole tokens. */
function tokens(said: number | undefined): number {
  return Math.round(bounded(said ?? 0, MOST_TOKENS))
}

function bounded(said: number, most: number): number {
  return said > 0 ? Math.min(said, most) : 0
}

/** The class of PostgreSQL's codes for values that a column does not take. */
const OF_DATA = /^22/

/** True if the ledger will never take a line, however often it is written. */
function isOfLine(error: unknown): boolean {
  const { code } = (isLedgerError(error) ? (error.cause ?? {}) : {}) as { code?: unknown }
  return typeof code === 'string' && OF_DATA.test(code)
}

function named(given: Record<keyof BillPlace, string | undefined>): BillPlace {
  const short = (name: string | undefined) =>
    (name ?? '').slice(0, LONGEST_NAME).toWellFormed().replaceAll('\0', '')
  return {
    client: short(given.client),
    session: short(given.session),
    provider: short(given.provider),
    model: short(given.model),
  }
}

function keyOf({ at, client, session, provider, model }: BillLine): string {
  return JSON.stringify([at, client, session, provider, model])
}

function sumOf(a: BillLine, b: BillLine): BillLine {
  return {
    ...a,
    tries: a.tries + b.tries,
    failed: a.failed + b.failed,
    unpriced: a.unpriced + b.unpriced,
    usd: a.usd + b.usd,
    usage: {
      inputTokens: a.usage.inputTokens + b.usage.inputTokens,
      outputTokens: a.usage.outputTokens + b.usage.outputTokens,
      cachedTokens: a.usage.cachedTokens + b.usage.cachedTokens,
      cacheWriteTokens: a.usage.cacheWriteTokens + b.usage.cacheWriteTokens,
    },
  }
}
