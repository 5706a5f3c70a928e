import type { StatementSync } from 'node:sqlite'
import { type CitizenReport, type CitizenReported, writeReport } from '../../ledger/citizen.ts'
import type { HandBack, Inserted } from '../../ledger/ledger.ts'
import type { Fence, NewOperation } from '../../ledger/operation.ts'
import { servedAccess } from '../../ledger/record/provider-access.ts'
import { poolKey } from '../../ledger/row/pool-key.ts'
import { numberOf, toId } from '../../ledger/row/rows.ts'
import type { Settled, Settlement } from '../../ledger/settlement.ts'
import type { SqliteLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import type { SqliteTransaction } from '../../ledger/sqlite/sqlite-transaction.ts'
import {
  type Begun,
  type ClaimRequest,
  type Claims,
  type Engine,
  type Interrupted,
  LEASE_DEFAULT_MS,
  type Renewal,
  type RunUnderWay,
} from '../engine.ts'
import { LedgerEngine } from '../ledger-engine.ts'
import { Claimer } from './claim.ts'
import { ClockRepair } from './clock-repair.ts'
import { Leases } from './leases.ts'

/** What an embedded engine needs. */
export interface EmbeddedEngineOptions {
  /** Its file also stores the leases, provider access and pauses. */
  ledger: SqliteLedger
}

/** An engine on the ledger's own SQLite file: claims and ledger state change in one transaction. */
export class EmbeddedEngine extends LedgerEngine implements Engine {
  readonly #ledger: SqliteLedger
  readonly #runRow: StatementSync
  readonly #leases: Leases
  readonly #claimer: Claimer
  readonly #clock: ClockRepair

  constructor({ ledger }: EmbeddedEngineOptions) {
    super(ledger)
    this.#ledger = ledger
    const parts = ledger.read((db, answers) => {
      const leases = new Leases(db, ledger.time)
      const claimer = new Claimer(ledger, db, answers, leases)
      const runRow = db.prepare('SELECT id, state, run, cancel_requested FROM operations WHERE id = ?')
      return { runRow, leases, claimer, clock: new ClockRepair(ledger, db) }
    })
    this.#runRow = parts.runRow
    this.#leases = parts.leases
    this.#claimer = parts.claimer
    this.#clock = parts.clock
  }

  begin(
    operation: NewOperation,
    { runner, leaseMs = LEASE_DEFAULT_MS }: { runner: string; leaseMs?: number },
  ): Promise<Begun> {
    return this.#ledger.transaction((writes): Begun => {
      const [inserted] = writes.insert([operation]) as [Inserted]
      const { id, created } = inserted
      const started = created ? writes.start(id) : undefined
      if (!started) return { existing: id }
      const { capability, providers, run } = started.operation
      const provider = poolKey(providers)
      const lease = {
        operation: numberOf(id) as number,
        run,
        runner,
        capability,
        provider,
        length_ms: leaseMs,
      }
      this.#leases.write(lease)
      return { claimed: { operation: started.operation, fence: { id, run }, leaseMs } }
    })
  }

  protected take(request: ClaimRequest): Promise<Claims> {
    return this.#claimer.claim(request)
  }

  renew(fences: readonly Fence[]): Promise<readonly Renewal[]> {
    return this.#ledger.transaction(() =>
      fences.map(({ id, run }): Renewal => {
        const row = this.#runOf(id)
        if (row?.state !== 'running' || row.run !== run) return { id, run, held: false }
        this.#leases.renew(row.id, run)
        return { id, run, held: true, cancelRequested: row.cancel_requested === 1 }
      }),
    )
  }

  async interrupted(fences: readonly Fence[]): Promise<readonly Interrupted[]> {
    return this.#ledger.read(() =>
      fences.flatMap(({ id, run }): Interrupted[] => {
        const row = this.#runOf(id)
        if (row?.run !== run) return [{ id, run, by: 'lost' }]
        return row.cancel_requested === 1 ? [{ id, run, by: 'cancel' }] : []
      }),
    )
  }

  release(fence: Fence, options?: HandBack): Promise<Settled> {
    return this.#end(fence, writes => writes.handBack(fence, options))
  }

  report(report: CitizenReport): Promise<CitizenReported | undefined> {
    const leases = this.#leases
    return this.#ledger.transaction(function* (writes) {
      const reported = yield* writeReport(writes, report)
      // It may have been claimed to be handed back.
      if (reported) leases.end(numberOf(reported.id) as number)
      return reported
    })
  }

  settle(fence: Fence, settlement: Settlement): Promise<Settled> {
    return this.#end(fence, writes => {
      const settled = writes.settle(fence, settlement)
      const { succeeded, attempt } = settlement
      const provider = settled.settled && succeeded ? attempt?.provider : undefined
      if (attempt && provider !== undefined && this.#claimer.isOpening(provider))
        writes.answers.of(servedAccess(provider, attempt.startedAt))
      return settled
    })
  }

  async underWay(most: number): Promise<RunUnderWay[]> {
    return this.#ledger.read(() =>
      this.#leases
        .first(most)
        .map(({ operation, runner, capability }) => ({ operation: toId(operation), runner, capability })),
    )
  }

  protected repairClock(signal: AbortSignal | undefined): Promise<number> {
    return this.#clock.run(signal)
  }

  async #end(fence: Fence, write: (writes: SqliteTransaction) => Settled): Promise<Settled> {
    const settled = await this.#ledger.transaction(writes => {
      const result = write(writes)
      if (result.settled) this.#leases.end(numberOf(fence.id) as number)
      return result
    })
    return this.ended(settled)
  }

  #runOf(id: string): RunRow | undefined {
    return this.#runRow.get(numberOf(id) ?? 0) as unknown as RunRow | undefined
  }
}

interface RunRow {
  id: number
  state: string
  run: number
  cancel_requested: number
}
