import { isLedgerError } from '../../ledger/error.ts'
import type { Fence } from '../../ledger/operation.ts'
import { answer } from '../../ledger/postgres/answer.ts'
import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import type { Ending } from '../../ledger/postgres/run-ends.ts'
import { UnsureCommit } from '../../ledger/postgres/unsure-commit.ts'
import { servedAccess } from '../../ledger/record/provider-access.ts'
import { STARTS_PER_SERVED } from '../../ledger/row/provider-access.ts'
import { isPlain } from '../../ledger/row/run-end.ts'
import type { Settled, Settlement } from '../../ledger/settlement.ts'

interface Asked extends Ending {
  resolve: (settled: Settled) => void
  reject: (error: unknown) => void
}

/** Most ends of runs in one transaction. */
const MOST = 200
/** Most transactions that write ends at the same time. */
const AT_ONCE = 2

/** Whether the error concerns the server, not a single end: tried one by one, each would wait for the server as long. */
function isOfAll(error: unknown): boolean {
  return (
    error instanceof UnsureCommit ||
    (isLedgerError(error) && (error.code === 'unreachable' || error.code === 'closed'))
  )
}

/**
 * Ends runs. Ends requested while others are being written go together, because every commit waits for the server's disk, and
 * one commit serves many.
 */
export class Settling {
  readonly #ledger: PostgresLedger
  #asked: Asked[] = []
  #writing = 0

  constructor(ledger: PostgresLedger) {
    this.#ledger = ledger
  }

  settle(fence: Fence, settlement: Settlement): Promise<Settled> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ fence, settlement, resolve, reject })
      // Requests of the same moment go together.
      if (this.#asked.length === 1) queueMicrotask(() => this.#next())
    })
  }

  #next(): void {
    if (this.#writing >= AT_ONCE || this.#asked.length === 0) return
    const some = this.#asked.splice(0, MOST)
    this.#writing++
    void this.#write(some).finally(() => {
      this.#writing--
      this.#next()
    })
    this.#next()
  }

  async #write(some: readonly Asked[]): Promise<void> {
    let left = some
    try {
      left = await this.#succeed(some)
      if (left.length === 0) return
      const settled = await this.#together(left)
      for (const [place, { resolve }] of left.entries()) resolve(settled[place] as Settled)
    } catch (error) {
      if (left.length === 1 || isOfAll(error)) for (const { reject } of left) reject(error)
      // One of them is at fault, and must not fail the others.
      else for (const each of left) await this.#write([each])
    }
  }

  /** Writes the usual ends, successes of runs that nobody changed meanwhile. Returns the others. */
  async #succeed(some: readonly Asked[]): Promise<readonly Asked[]> {
    const ids = new Set<string>()
    const plain = some.filter(({ fence: { id }, settlement }) => {
      if (ids.has(id) || !isPlain(settlement)) return false
      ids.add(id)
      return true
    })
    if (plain.length === 0) return some
    let tries = 0
    const settled = await this.#ledger.transaction(
      writes => writes.succeedAll(plain, { isAgain: tries++ > 0, startsPerServed: STARTS_PER_SERVED }),
      { plansOnce: true },
    )
    const done = new Set<Asked>()
    for (const [place, each] of plain.entries()) {
      const end = settled[place]
      if (!end) continue
      each.resolve(end)
      done.add(each)
    }
    return done.size === some.length ? [] : some.filter(each => !done.has(each))
  }

  #together(some: readonly Asked[]): Promise<Settled[]> {
    return this.#ledger.transaction(async writes => {
      const settled = await writes.settleAll(some)
      for (const [place, { settlement }] of some.entries()) {
        const { provider, startedAt } = settlement.attempt ?? {}
        if (settlement.succeeded && settled[place]?.settled && provider !== undefined)
          await answer(writes.sql, servedAccess(provider, startedAt as number))
      }
      return settled
    })
  }
}
