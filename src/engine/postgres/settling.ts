import { isLedgerError } from '../../ledger/error.ts'
import type { Fence } from '../../ledger/operation.ts'
import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import type { Ending } from '../../ledger/postgres/run-ends.ts'
import { UnsureCommit } from '../../ledger/postgres/unsure-commit.ts'
import type { Settled, Settlement } from '../../ledger/settlement.ts'
import { STARTS_PER_SERVED } from '../provider-access-state.ts'

interface Asked extends Ending {
  resolve: (settled: Settled) => void
  reject: (error: unknown) => void
}

/** Most ends of runs in one transaction. */
const MOST = 200
/** Most transactions that write ends at the same time. */
const AT_ONCE = 2

/** A provider that serves while it opens lets more runs start. */
const SERVED = `UPDATE provider_gates g SET taken = g.taken - ${STARTS_PER_SERVED} * s.n FROM
  (SELECT u.provider, count(*)::int AS n FROM unnest($1::text[], $2::bigint[]) AS u(provider, started_at)
    JOIN provider_gates x ON x.provider = u.provider AND x.freed_at <= u.started_at GROUP BY 1) s WHERE g.provider = s.provider`

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
    try {
      const settled = await this.#together(some)
      for (const [place, { resolve }] of some.entries()) resolve(settled[place] as Settled)
    } catch (error) {
      if (some.length === 1 || isOfAll(error)) for (const { reject } of some) reject(error)
      // One of them is at fault, and must not fail the others.
      else for (const each of some) await this.#write([each])
    }
  }

  #together(some: readonly Asked[]): Promise<Settled[]> {
    return this.#ledger.transaction(async writes => {
      const settled = await writes.settleAll(some)
      const served = some.flatMap(({ settlement }, place) =>
        settlement.succeeded && settled[place]?.settled && settlement.attempt?.provider !== undefined
          ? [settlement.attempt]
          : [],
      )
      if (served.length > 0)
        await writes.sql.run(SERVED, [
          served.map(({ provider }) => provider),
          served.map(({ startedAt }) => startedAt),
        ])
      return settled
    })
  }
}
