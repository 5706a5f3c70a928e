import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Started } from '../../ledger/ledger.ts'
import { numberOf, toId } from '../../ledger/sqlite/rows.ts'
import type { SqliteLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import type { SqliteTransaction } from '../../ledger/sqlite/sqlite-transaction.ts'
import { type ClaimedRun, type ClaimRequest, type Claims, LEASE_DEFAULT_MS } from '../engine.ts'
import { type Candidate, DueSearch, type FoundWork } from './due-search.ts'
import type { LeaseRow, Leases } from './leases.ts'
import type { AccessState, ProviderAccess } from './provider-access.ts'

/** Operations put back in one transaction at most, once a provider is wholly open. */
const MOST_FREED = 200

/** Takes due work and lost runs for a runner. */
export class Claimer {
  readonly #ledger: SqliteLedger
  readonly #leases: Leases
  readonly #access: ProviderAccess
  readonly #due: DueSearch
  readonly #pauses: StatementSync
  readonly #held: StatementSync
  readonly #anyHeld: StatementSync
  readonly #heldElsewhere: StatementSync
  #foundWork = false

  constructor(ledger: SqliteLedger, db: DatabaseSync, leases: Leases, access: ProviderAccess) {
    this.#ledger = ledger
    this.#leases = leases
    this.#access = access
    this.#due = new DueSearch(db)
    this.#pauses = db.prepare('SELECT kind, name FROM pauses')
    const held = 'FROM operations INDEXED BY operations_held WHERE held_by = ?'
    this.#held = db.prepare(`SELECT id ${held} AND capability = ? ORDER BY rank, due_at LIMIT ?`)
    this.#anyHeld = db.prepare(`SELECT 1 ${held} LIMIT 1`)
    this.#heldElsewhere = db.prepare(`SELECT o.id FROM operations o INDEXED BY operations_held
      WHERE held_by IS NOT NULL AND held_by <> ?1 AND EXISTS (SELECT 1 FROM operation_providers p
      WHERE p.provider = ?1 AND p.operation = o.id)`)
  }

  async claim(request: ClaimRequest): Promise<Claims> {
    for (;;) {
      // Looks before it locks, unless the last look found work: runners that find nothing cost the others nothing.
      if (!this.#foundWork) {
        const view = this.#view(request)
        if (!view.changes) return { runs: [], ...this.#nextAt(view) }
      }
      const round = await this.#ledger.transaction(writes => this.#take(request, writes))
      this.#foundWork = round.runs.length > 0
      if (round.runs.length > 0 || !round.moved) return { runs: round.runs, ...this.#nextAt(round.view) }
    }
  }

  #view(request: ClaimRequest): View {
    const now = this.#ledger.time.now()
    const capabilities = this.#claimable(request.capabilities)
    if (request.limit <= 0 || capabilities.size === 0) return { ...NOTHING, now }
    const accesses = this.#access.read(now)
    const lost = this.#leases.lost(request.runner, capabilities, request.dropped)
    const search = this.#due.search(request, capabilities, accesses, by => this.#leases.running(by), now)
    const changes =
      lost.length > 0 ||
      search.take.length > 0 ||
      search.hold.length > 0 ||
      this.#hasMoves(accesses, capabilities)
    return { now, capabilities, accesses, lost, search, changes }
  }

  #take(
    request: ClaimRequest,
    writes: SqliteTransaction,
  ): { runs: ClaimedRun[]; moved: boolean; view: View } {
    const first = this.#view(request)
    const isMoved = this.#moveHeld(first, writes)
    const view = isMoved ? this.#view(request) : first
    const runs: ClaimedRun[] = []
    for (const lease of view.lost) {
      if (runs.length === request.limit) break
      if (!this.#leases.isUnchanged(lease)) continue
      const started = writes.start(toId(lease.operation), lease)
      if (started) runs.push(this.#lease(request, started, lease))
    }
    for (const { id, provider } of view.search.hold) writes.hold(toId(id), provider)
    const found = new Map(
      view.search.take.slice(0, request.limit - runs.length).map(candidate => [candidate.id, candidate]),
    )
    for (const started of writes.startAll([...found.keys()])) {
      const candidate = found.get(numberOf(started.operation.id) as number) as Candidate
      const access = candidate.through ?? candidate.provider
      runs.push(this.#lease(request, started, { ...candidate, operation: candidate.id }))
      if (view.accesses.get(access)?.state === 'opening') this.#access.take(access)
    }
    return { runs, moved: isMoved || view.search.hold.length > 0, view }
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

  /** Whether a provider that is free again has operations to release. */
  #hasMoves(accesses: ReadonlyMap<string, AccessState>, capabilities: ReadonlySet<string>): boolean {
    for (const [provider, access] of accesses) {
      if (access.state === 'freed') return true
      if (access.state === 'open' && !this.#anyHeld.get(provider)) return true
      const mayFree = access.state === 'open' || (access.state === 'opening' && access.room > 0)
      if (mayFree && this.#heldFor(provider, capabilities, 1).length > 0) return true
    }
    return false
  }

  #moveHeld({ now, accesses, capabilities }: View, writes: SqliteTransaction): boolean {
    let moved = false
    for (const [provider, access] of accesses) {
      if (access.state === 'freed') {
        this.freed(provider, now, writes)
        moved = true
      } else if (access.state === 'opening' || access.state === 'open') {
        const room = access.state === 'open' ? MOST_FREED : access.room
        const ids = this.#heldFor(provider, capabilities, room)
        for (const id of ids) writes.free(toId(id))
        moved ||= ids.length > 0
        if (access.state === 'open' && !this.#anyHeld.get(provider)) this.#access.forget(provider)
      }
    }
    return moved
  }

  /** A provider can be used again: it is told, and what waits for another but could use it waits for it now. */
  freed(provider: string, now: number, writes: SqliteTransaction): void {
    this.#access.free(provider, now)
    writes.tell('provider_freed', { provider })
    for (const row of this.#heldElsewhere.all(provider)) writes.hold(toId(row.id as number), provider)
  }

  #heldFor(provider: string, capabilities: ReadonlySet<string>, limit: number): number[] {
    const ids: number[] = []
    for (const capability of capabilities) {
      if (ids.length >= limit) break
      for (const row of this.#held.all(provider, capability, limit - ids.length)) ids.push(row.id as number)
    }
    return ids
  }

  #nextAt({ now, accesses, search }: View): { nextAt?: number } {
    const times = [search.nextAt, this.#leases.nextLossAt].filter(at => at !== undefined)
    for (const [provider, access] of accesses) {
      if (!this.#anyHeld.get(provider)) continue
      if (access.state === 'closed') times.push(access.until)
      else if (access.state === 'opening') times.push(access.nextAt)
      else times.push(now)
    }
    return times.length === 0 ? {} : { nextAt: Math.min(...times) }
  }
}

/** Everything a claim depends on, as it stood at one moment. */
interface View {
  now: number
  capabilities: ReadonlySet<string>
  accesses: ReadonlyMap<string, AccessState>
  lost: readonly LeaseRow[]
  search: FoundWork
  /** Whether there is anything to write. */
  changes: boolean
}

const NOTHING: Omit<View, 'now'> = {
  capabilities: new Set(),
  accesses: new Map(),
  lost: [],
  search: { take: [], hold: [], nextAt: undefined },
  changes: false,
}
