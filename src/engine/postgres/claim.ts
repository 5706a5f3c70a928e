import type { Started } from '../../ledger/ledger.ts'
import { answer } from '../../ledger/postgres/answer.ts'
import { PLANS_AS_NEEDED } from '../../ledger/postgres/database.ts'
import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import type { PostgresTransaction } from '../../ledger/postgres/postgres-transaction.ts'
import type { Sql } from '../../ledger/postgres/sql.ts'
import { forgetAccess, takeAccess, tellFreed } from '../../ledger/record/provider-access.ts'
import { numberOf, toId } from '../../ledger/row/rows.ts'
import { type ClaimView, hasChanges, NOTHING, nextLook } from '../claim-view.ts'
import { type Candidate, findWork } from '../due-work.ts'
import { type ClaimedRun, type ClaimRequest, type Claims, LEASE_DEFAULT_MS } from '../engine.ts'
import { type ClaimConditions, claimConditions, isBounded } from './claim-conditions.ts'
import { dueRows } from './due-rows.ts'
import type { LeaseRow, Leases } from './leases.ts'

/** Takes due work and lost runs for a runner. */
export class Claimer {
  readonly #ledger: PostgresLedger
  readonly #leases: Leases
  #foundWork = false

  constructor(ledger: PostgresLedger, leases: Leases) {
    this.#ledger = ledger
    this.#leases = leases
  }

  async claim(request: ClaimRequest): Promise<Claims> {
    // Looks before it locks, unless the last look found work, so that idle runners cost the others nothing.
    if (!this.#foundWork) {
      const view = await this.#ledger.read(sql => this.#view(sql, request, false))
      if (!hasChanges(view)) return { runs: [], ...nextLook(view, this.#leases.nextLossAt) }
    }
    const { runs, view } = await this.#ledger.transaction(writes => this.#take(request, writes), {
      plansOnce: true,
    })
    this.#foundWork = runs.length > 0
    return { runs, ...(view ? nextLook(view, this.#leases.nextLossAt) : {}) }
  }

  async #view(
    sql: Sql,
    request: ClaimRequest,
    lock: boolean,
    known?: { conditions: ClaimConditions; now: number },
  ): Promise<ClaimView<LeaseRow>> {
    const now = known?.now ?? this.#ledger.time.now()
    const conditions = known?.conditions ?? (await claimConditions(sql, request, now))
    const { capabilities, accesses, running } = conditions
    if (request.limit <= 0 || capabilities.size === 0) return { ...NOTHING, now }
    const lost = await this.#leases.lost(sql, request.runner, capabilities, request.underWay)
    const limit = request.limit + (request.skip?.size ?? 0)
    const source = await dueRows(sql, { capabilities, limit, accesses, lock })
    const search = findWork(source, request, capabilities, accesses, by => running[by], now)
    return { now, accesses, lost, search }
  }

  /** The view for a claim. If there are limits, no other claim runs until this one commits. */
  async #viewToTake(sql: Sql, request: ClaimRequest): Promise<ClaimView<LeaseRow>> {
    if (isBounded(request)) {
      await takeTurns(sql)
      return this.#view(sql, request, true)
    }
    const now = this.#ledger.time.now()
    const conditions = await claimConditions(sql, request, now)
    if (!isBounded(request, conditions.accesses)) return this.#view(sql, request, true, { conditions, now })
    // What was read before the lock may be outdated.
    await takeTurns(sql)
    return this.#view(sql, request, true)
  }

  /** Takes the most urgent due operations in one statement, if there are no limits or lost runs to consider. */
  async #takeFirst(request: ClaimRequest, writes: PostgresTransaction): Promise<ClaimedRun[]> {
    const { capabilities, limit, runner } = request
    const isPlain = !isBounded(request) && !request.skip?.size
    if (!isPlain || limit <= 0 || capabilities.length === 0) return []
    if (!(await this.#leases.areKept(writes.sql))) return []
    const lengthsMs = capabilities.map(capability => lengthOf(request, capability))
    const started = await writes.startDue({ capabilities, lengthsMs, limit, runner })
    return started.map(each => claimed(each, lengthOf(request, each.operation.capability)))
  }

  async #take(
    request: ClaimRequest,
    writes: PostgresTransaction,
  ): Promise<{ runs: ClaimedRun[]; view?: ClaimView<LeaseRow> }> {
    const { sql } = writes
    const first = await this.#takeFirst(request, writes)
    // It took all that was due and not locked: what it left, the next claim finds.
    if (first.length > 0) return { runs: first }
    const runs: ClaimedRun[] = []
    // Values decide how the rest is best found.
    sql.send(PLANS_AS_NEEDED, [])
    const view = await this.#viewToTake(sql, request)
    for (const [provider, { state, isUntold }] of view.accesses)
      if (isUntold) await answer(sql, tellFreed(provider, view.now))
      else if (state === 'open') await answer(sql, forgetAccess(provider, view.now))
    for (const lease of view.lost) {
      if (runs.length === request.limit) break
      if (!(await this.#leases.lock(sql, lease))) continue
      const lengthMs = lengthOf(request, lease.capability)
      const started = await writes.start(toId(lease.operation), lease, { runner: request.runner, lengthMs })
      if (started) runs.push(claimed(started, lengthMs))
    }
    const found = new Map(
      view.search.take.slice(0, request.limit - runs.length).map(candidate => [candidate.id, candidate]),
    )
    const lengths = [...found.values()].map(({ capability }) => lengthOf(request, capability))
    const opened = new Map<string, number>()
    for (const started of await writes.startAll([...found.keys()], lengths, request.runner)) {
      const candidate = found.get(numberOf(started.operation.id) as number) as Candidate
      const { through } = candidate
      runs.push(claimed(started, lengthOf(request, candidate.capability)))
      if (through !== undefined) opened.set(through, (opened.get(through) ?? 0) + 1)
    }
    for (const [provider, count] of opened) await answer(sql, takeAccess(provider, count))
    return { runs, view }
  }
}

/** Claims within limits take turns, until they commit: none may come between counting what runs and taking more. */
async function takeTurns(sql: Sql): Promise<void> {
  await sql.run("SELECT pg_advisory_xact_lock(hashtextextended(current_schema || ':claims', 4))")
}

function lengthOf({ leaseMs = LEASE_DEFAULT_MS, leasesMs }: ClaimRequest, capability: string): number {
  return leasesMs?.[capability] ?? leaseMs
}

function claimed({ operation, lost }: Started, leaseMs: number): ClaimedRun {
  const fence = { id: operation.id, run: operation.run }
  return { operation, fence, leaseMs, ...(lost ? { lost } : {}) }
}
