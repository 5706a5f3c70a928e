import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Started } from '../../ledger/ledger.ts'
import { accesses, forgetAccess, takeAccess, tellFreed } from '../../ledger/record/provider-access.ts'
import { numberOf, toId } from '../../ledger/row/rows.ts'
import type { Answers } from '../../ledger/sqlite/answer.ts'
import type { SqliteLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import type { SqliteTransaction } from '../../ledger/sqlite/sqlite-transaction.ts'
import { type ClaimView, hasChanges, NOTHING, nextLook } from '../claim-view.ts'
import { type Candidate, findWork } from '../due-work.ts'
import { type ClaimedRun, type ClaimRequest, type Claims, LEASE_DEFAULT_MS } from '../engine.ts'
import { DueIndex } from './due-index.ts'
import type { LeaseRow, Leases } from './leases.ts'

/** Claims due work and lost runs for a runner. */
export class Claimer {
  readonly #ledger: SqliteLedger
  readonly #leases: Leases
  readonly #answers: Answers
  readonly #due: DueIndex
  readonly #pauses: StatementSync
  #foundWork = false
  /** The providers that were opening at the last look: only for them it matters whether they serve. */
  #opening: ReadonlySet<string> = new Set()

  constructor(ledger: SqliteLedger, db: DatabaseSync, answers: Answers, leases: Leases) {
    this.#ledger = ledger
    this.#leases = leases
    this.#answers = answers
    this.#due = new DueIndex(db)
    this.#pauses = db.prepare('SELECT kind, name FROM pauses')
  }

  async claim(request: ClaimRequest): Promise<Claims> {
    // Looks before it locks, unless the last look found work: runners that find nothing cost the others nothing.
    if (!this.#foundWork) {
      const view = this.#view(request)
      if (!hasChanges(view)) return { runs: [], ...nextLook(view, this.#leases.nextLossAt) }
    }
    const { runs, view } = await this.#ledger.transaction(writes => this.#take(request, writes))
    this.#foundWork = runs.length > 0
    return { runs, ...nextLook(view, this.#leases.nextLossAt) }
  }

  #view(request: ClaimRequest): ClaimView<LeaseRow> {
    const now = this.#ledger.time.now()
    const capabilities = this.#claimable(request.capabilities)
    if (request.limit <= 0 || capabilities.size === 0) return { ...NOTHING, now }
    const access = this.#answers.of(accesses(now))
    this.#opening = new Set([...access].flatMap(([id, { state }]) => (state === 'opening' ? [id] : [])))
    const lost = this.#leases.lost(request.runner, capabilities, request.underWay)
    const search = findWork(this.#due, request, capabilities, access, by => this.#leases.running(by), now)
    return { now, accesses: access, lost, search }
  }

  #take(request: ClaimRequest, writes: SqliteTransaction): { runs: ClaimedRun[]; view: ClaimView<LeaseRow> } {
    const view = this.#view(request)
    for (const [provider, { state, isUntold }] of view.accesses)
      if (isUntold) this.#answers.of(tellFreed(provider, view.now))
      else if (state === 'open') this.#answers.of(forgetAccess(provider, view.now))
    const runs: ClaimedRun[] = []
    for (const lease of view.lost) {
      if (runs.length === request.limit) break
      if (!this.#leases.isUnchanged(lease)) continue
      const started = writes.start(toId(lease.operation), lease)
      if (started) runs.push(this.#lease(request, started, lease))
    }
    const found = new Map(
      view.search.take.slice(0, request.limit - runs.length).map(candidate => [candidate.id, candidate]),
    )
    for (const started of writes.startAll([...found.keys()])) {
      const candidate = found.get(numberOf(started.operation.id) as number) as Candidate
      const { id, capability, pool, through } = candidate
      runs.push(this.#lease(request, started, { operation: id, capability, provider: pool }))
      if (through !== undefined) this.#answers.of(takeAccess(through, 1))
    }
    return { runs, view }
  }

  #lease(
    { runner, leaseMs = LEASE_DEFAULT_MS, leasesMs }: ClaimRequest,
    { operation, lost }: Started,
    { operation: number, capability, provider }: Pick<LeaseRow, 'operation' | 'capability' | 'provider'>,
  ): ClaimedRun {
    const length_ms = leasesMs?.[capability] ?? leaseMs
    this.#leases.write({ operation: number, run: operation.run, runner, capability, provider, length_ms })
    const fence = { id: operation.id, run: operation.run }
    return { operation, fence, leaseMs: length_ms, ...(lost ? { lost } : {}) }
  }

  #claimable(names: readonly string[]): Set<string> {
    const pauses = this.#pauses.all() as unknown as { kind: string; name: string }[]
    if (pauses.some(({ kind }) => kind === 'queue')) return new Set()
    const paused = new Set(pauses.map(({ name }) => name))
    return new Set(names.filter(name => !paused.has(name)))
  }

  /** Whether the provider was opening at the last look. */
  isOpening(provider: string): boolean {
    return this.#opening.has(provider)
  }
}
