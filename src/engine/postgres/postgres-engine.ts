import { type CitizenReport, type CitizenReported, writeReport } from '../../ledger/citizen.ts'
import type { HandBack, Inserted } from '../../ledger/ledger.ts'
import type { Fence, NewOperation } from '../../ledger/operation.ts'
import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import { numberOf, toId } from '../../ledger/row/rows.ts'
import type { Settled, Settlement } from '../../ledger/settlement.ts'
import {
  type Begun,
  type ClaimRequest,
  type Claims,
  type Engine,
  type Interrupted,
  LEASE_DEFAULT_MS,
  type Maintained,
  type MaintainOptions,
  type Renewal,
  type RunUnderWay,
} from '../engine.ts'
import { LedgerEngine } from '../ledger-engine.ts'
import { Claimer } from './claim.ts'
import { ClockRepair } from './clock-repair.ts'
import { Leases, leasesOf } from './leases.ts'
import { Settling } from './settling.ts'

/** What the engine needs. */
export interface PostgresEngineOptions {
  /** Its database also holds provider access and pauses. */
  ledger: PostgresLedger
}

/**
 * An engine on PostgreSQL. The next operation comes from the ledger's index of due ones, with FOR UPDATE SKIP LOCKED, so any
 * number of hosts claim at the same time.
 */
export class PostgresEngine extends LedgerEngine implements Engine {
  readonly #ledger: PostgresLedger
  readonly #claimer: Claimer
  readonly #settling: Settling
  readonly #clock: ClockRepair

  constructor({ ledger }: PostgresEngineOptions) {
    super(ledger)
    this.#ledger = ledger
    this.#claimer = new Claimer(ledger, new Leases(ledger.time))
    this.#settling = new Settling(ledger)
    this.#clock = new ClockRepair(ledger)
  }

  begin(
    operation: NewOperation,
    { runner, leaseMs = LEASE_DEFAULT_MS }: { runner: string; leaseMs?: number },
  ): Promise<Begun> {
    return this.#ledger.transaction(async (writes): Promise<Begun> => {
      const [inserted] = (await writes.insert([operation])) as [Inserted]
      const { id, created } = inserted
      const started = created ? await writes.start(id, undefined, { runner, lengthMs: leaseMs }) : undefined
      if (!started) return { existing: id }
      return { claimed: { operation: started.operation, fence: { id, run: started.operation.run }, leaseMs } }
    })
  }

  protected take(request: ClaimRequest): Promise<Claims> {
    return this.#claimer.claim(request)
  }

  async renew(fences: readonly Fence[]): Promise<readonly Renewal[]> {
    if (fences.length === 0) return []
    const rows = await this.#ledger.database.change(sql =>
      sql.rows<{ id: number; run: number; cancel_requested: number }>(
        // Locked in the order of ids, as in every bulk change, so that they never deadlock.
        `WITH locked AS (SELECT o.id FROM unnest($1::bigint[], $2::int[]) AS g(id, run) JOIN operations o
           ON o.id = g.id AND o.run = g.run AND o.lease_until IS NOT NULL ORDER BY o.id FOR UPDATE OF o)
         UPDATE operations o SET lease_until = $3 + coalesce(o.lease_ms, ${LEASE_DEFAULT_MS}), renewals = coalesce(o.renewals, 0) + 1
         FROM locked l WHERE o.id = l.id RETURNING o.id, o.run, o.cancel_requested`,
        [...columnsOf(fences), this.time.now()],
      ),
    )
    const held = new Map(rows.map(row => [row.id, row]))
    return fences.map(({ id, run }): Renewal => {
      const row = held.get(numberOf(id) ?? 0)
      if (row?.run !== run) return { id, run, held: false }
      return { id, run, held: true, cancelRequested: row.cancel_requested === 1 }
    })
  }

  async interrupted(fences: readonly Fence[]): Promise<readonly Interrupted[]> {
    if (fences.length === 0) return []
    const rows = await this.#ledger.read(sql =>
      sql.rows<{ id: number; run: number; cancel_requested: number | null }>(
        // One that has ended under this run's number was ended by it, and is not disturbed: its runner is about to hear so.
        `SELECT g.id, g.run, o.cancel_requested FROM unnest($1::bigint[], $2::int[]) AS g(id, run)
          LEFT JOIN operations o ON o.id = g.id AND o.run = g.run WHERE o.id IS NULL OR o.cancel_requested = 1`,
        columnsOf(fences),
      ),
    )
    return rows.map(({ id, run, cancel_requested }) => ({
      id: toId(id),
      run,
      by: cancel_requested === null ? 'lost' : 'cancel',
    }))
  }

  async release(fence: Fence, options?: HandBack): Promise<Settled> {
    return this.ended(await this.#ledger.transaction(writes => writes.handBack(fence, options)))
  }

  report(report: CitizenReport): Promise<CitizenReported | undefined> {
    return this.#ledger.transaction(writes => writeReport(writes, report))
  }

  async settle(fence: Fence, settlement: Settlement): Promise<Settled> {
    return this.ended(await this.#settling.settle(fence, settlement))
  }

  underWay(most: number): Promise<RunUnderWay[]> {
    return this.#ledger.read(async sql =>
      (await leasesOf(sql, most)).map(({ operation, runner, capability }) => ({
        operation: toId(operation),
        runner,
        capability,
      })),
    )
  }

  override async maintain(options?: MaintainOptions): Promise<Maintained> {
    const tended = await super.maintain(options)
    await this.#ledger.tellOfOpenTransactions()
    return tended
  }

  protected repairClock(signal: AbortSignal | undefined): Promise<number> {
    return this.#clock.run(signal)
  }
}

function columnsOf(fences: readonly Fence[]): [number[], number[]] {
  return [fences.map(({ id }) => numberOf(id) ?? 0), fences.map(({ run }) => run)]
}
