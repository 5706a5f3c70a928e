import { type BillRow, billDay } from '../../ledger/bill.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Time } from '../../time/time.ts'

/** What may be spent through the proxy, in US dollars. Undefined means any amount. */
export interface AllowanceSettings {
  /** By one client in a day. */
  clientDayUsd?: number | undefined
  /** By one session, ever. */
  sessionUsd?: number | undefined
}

/** Who wants to spend. */
export interface Spender {
  client: string
  session: string | undefined
}

/** Nobody knows what was spent, so nothing more may be. */
export class BillUnread extends Error {
  override name = 'BillUnread'
  readonly status = 503
}

/** How long what was read from the bill counts as new, in milliseconds. */
const FRESH_MS = 1_000
/** Most sums that are kept; more spenders than these are read anew. */
const MOST_SUMS = 1_000

/** Compares what clients and sessions have spent, by the bill of all processes, with what they may. */
export class Allowance {
  readonly #settings: () => AllowanceSettings
  readonly #ledger: Pick<Ledger, 'bill'>
  readonly #time: Time
  readonly #sums = new Map<string, { at: number; usd: Promise<number> }>()

  constructor(settings: () => AllowanceSettings, ledger: Pick<Ledger, 'bill'>, time: Time) {
    this.#settings = settings
    this.#ledger = ledger
    this.#time = time
  }

  /** Why nothing more may be spent; undefined if it may. What is under way is not ended. Throws a {@link BillUnread}. */
  async exceededBy({ client, session }: Spender): Promise<string | undefined> {
    const { clientDayUsd, sessionUsd } = this.#settings()
    if (clientDayUsd !== undefined) {
      const spent = await this.#spent({ client, since: billDay(this.#time.now()) })
      if (spent >= clientDayUsd)
        return `${client} has spent ${inUsd(spent)} of ${inUsd(clientDayUsd)} today; see client_day_usd in [proxy] of mulligan.toml`
    }
    if (sessionUsd !== undefined && session !== undefined) {
      const spent = await this.#spent({ client, session })
      if (spent >= sessionUsd)
        return `this session has spent ${inUsd(spent)} of ${inUsd(sessionUsd)}; begin another, or see session_usd in [proxy] of mulligan.toml`
    }
    return undefined
  }

  #spent(query: { client: string; session?: string; since?: number }): Promise<number> {
    const now = this.#time.monotonic()
    const key = JSON.stringify(query)
    const known = this.#sums.get(key)
    if (known && now - known.at < FRESH_MS) return known.usd
    if (this.#sums.size >= MOST_SUMS) this.#sums.clear()
    const usd = this.#ledger.bill(query).then(sum, cannotRead)
    this.#sums.set(key, { at: now, usd })
    // What cannot be read now is read again for the next.
    usd.catch(() => this.#sums.delete(key))
    return usd
  }
}

function cannotRead(cause: unknown): never {
  const why = cause instanceof Error ? cause.message : String(cause)
  throw new BillUnread(`Mulligan cannot read what was spent, which [proxy] limits: ${why}`, { cause })
}

function sum(rows: readonly BillRow[]): number {
  return rows.reduce((total, { usd }) => total + usd, 0)
}

function inUsd(usd: number): string {
  return `$${usd.toFixed(2)}`
}
