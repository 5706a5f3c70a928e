import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { ENGINE_PREFIX } from '../../ledger/hold-words.ts'
import type { Started } from '../../ledger/ledger.ts'
import { numberOf, toId } from '../../ledger/row/rows.ts'
import type { Answers } from '../../ledger/sqlite/answer.ts'
import type { SqliteLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import type { SqliteTransaction } from '../../ledger/sqlite/sqlite-transaction.ts'
import type { Candidate, FoundWork } from '../due-work.ts'
import { type ClaimedRun, type ClaimRequest, type Claims, LEASE_DEFAULT_MS } from '../engine.ts'
import { accesses, closeAccess, forgetAccess, freeAccess, takeAccess } from '../provider-access.ts'
import { type AccessState, unrecordedOf } from '../provider-access-state.ts'
import { DueSearch } from './due-search.ts'
import type { LeaseRow, Leases } from './leases.ts'

/** Maximum number of operations whose hold moves to another provider in one transaction, if this can be done ahead. */
const MOST_MOVED = 500

/** Claims due work and lost runs for a runner. */
export class Claimer {
  readonly #ledger: SqliteLedger
  readonly #leases: Leases
  readonly #answers: Answers
  readonly #due: DueSearch
  readonly #pauses: StatementSync
  readonly #anyHeld: StatementSync
  readonly #heldElsewhere: StatementSync
  #foundWork = false
  /** The providers that were opening at the last look: only for them it matters whether they serve. */
  #opening: ReadonlySet<string> = new Set()

  constructor(ledger: SqliteLedger, db: DatabaseSync, answers: Answers, leases: Leases) {
    this.#ledger = ledger
    this.#leases = leases
    this.#answers = answers
    this.#due = new DueSearch(db)
    this.#pauses = db.prepare('SELECT kind, name FROM pauses')
    this.#anyHeld = db.prepare(
      'SELECT 1 FROM operations INDEXED BY operations_held WHERE held_by = ? LIMIT 1',
    )
    this.#heldElsewhere = db.prepare(`SELECT o.id FROM operations o INDEXED BY operations_held
      WHERE held_by IS NOT NULL AND held_by <> ?1 AND held_by NOT LIKE '${ENGINE_PREFIX}%' AND EXISTS (SELECT 1 FROM operation_providers p
      WHERE p.provider = ?1 AND p.operation = o.id)`)
  }

  async claim(request: ClaimRequest): Promise<Claims> {
    const gathered = new Set<string>()
    for (;;) {
      // Looks before it locks, unless the last look found work: runners that find nothing cost the others nothing.
      if (!this.#foundWork) {
        const view = this.#view(request)
        if (!view.changes) return { runs: [], ...this.#nextAt(view) }
      }
      const round = await this.#ledger.transaction(writes => this.#take(request, writes, gathered))
      for (const provider of round.freed ?? []) {
        await this.gather(provider)
        gathered.add(provider)
      }
      this.#foundWork = round.runs.length > 0
      if (round.runs.length > 0 || !round.moved) return { runs: round.runs, ...this.#nextAt(round.view) }
    }
  }

  #view(request: ClaimRequest): View {
    const now = this.#ledger.time.now()
    const capabilities = this.#claimable(request.capabilities)
    if (request.limit <= 0 || capabilities.size === 0) return { ...NOTHING, now }
    const access = this.#answers.of(accesses(now))
    this.#opening = new Set([...access].flatMap(([id, { state }]) => (state === 'opening' ? [id] : [])))
    const lost = this.#leases.lost(request.runner, capabilities, request.underWay)
    const search = this.#due.search(request, capabilities, access, by => this.#leases.running(by), now)
    const changes =
      lost.length > 0 ||
      search.take.length > 0 ||
      search.hold.length > 0 ||
      unrecordedOf(access).length > 0 ||
      [...access].some(([provider, each]) => each.state === 'freed' || this.#isDone(provider, each))
    return { now, capabilities, accesses: access, lost, search, changes }
  }

  #take(
    request: ClaimRequest,
    writes: SqliteTransaction,
    gathered: ReadonlySet<string>,
  ): { runs: ClaimedRun[]; moved: boolean; view: View; freed?: string[] } {
    const first = this.#view(request)
    const freed = [...first.accesses].flatMap(([id, { state }]) => (state === 'freed' ? [id] : []))
    if (freed.some(id => !gathered.has(id))) return { runs: [], moved: true, view: first, freed }
    for (const [provider, access] of first.accesses)
      if (this.#isDone(provider, access)) this.#answers.of(forgetAccess(provider, first.now))
    for (const provider of unrecordedOf(first.accesses)) this.#answers.of(closeAccess(provider))
    for (const provider of freed)
      if (this.#answers.of(freeAccess(provider, first.now))) this.freed(provider, writes)
    const view = freed.length > 0 ? this.#view(request) : first
    const runs: ClaimedRun[] = []
    for (const lease of view.lost) {
      if (runs.length === request.limit) break
      if (!this.#leases.isUnchanged(lease)) continue
      const started = writes.start(toId(lease.operation), lease)
      if (started) runs.push(this.#lease(request, started, lease))
    }
    for (const [provider, rows] of Map.groupBy(view.search.hold, row => row.provider))
      writes.hold(
        rows.map(({ id }) => toId(id)),
        provider,
      )
    const found = new Map(
      view.search.take.slice(0, request.limit - runs.length).map(candidate => [candidate.id, candidate]),
    )
    for (const started of writes.startAll([...found.keys()])) {
      const candidate = found.get(numberOf(started.operation.id) as number) as Candidate
      const access = candidate.through ?? candidate.provider
      runs.push(this.#lease(request, started, { ...candidate, operation: candidate.id }))
      if (view.accesses.get(access)?.state === 'opening') this.#answers.of(takeAccess(access, 1))
    }
    return { runs, moved: freed.length > 0 || view.search.hold.length > 0, view }
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

  /** True if a block is completely over: every operation may use the provider, and none is held for it. */
  #isDone(provider: string, { state }: AccessState): boolean {
    return state === 'open' && !this.#anyHeld.get(provider)
  }

  /** Whether the provider was opening at the last look. */
  isOpening(provider: string): boolean {
    return this.#opening.has(provider)
  }

  /** Writes the event that a provider can be used again, and moves operations held for another provider to it if they can use it. */
  freed(provider: string, writes: SqliteTransaction): void {
    writes.tell('provider_freed', { provider })
    writes.hold(this.#couldUse(provider), provider)
  }

  /**
   * Call it before a provider is freed: moves the operations that would wait for it, in transactions short enough not
   * to delay other writers.
   */
  async gather(provider: string): Promise<void> {
    const ids = this.#ledger.read(() => this.#couldUse(provider))
    for (let from = 0; from < ids.length; from += MOST_MOVED)
      await this.#ledger.transaction(writes => {
        // Another process may have opened it fully meanwhile, and looks no more at what is held for it.
        if (this.#answers.of(accesses(this.#ledger.time.now())).has(provider))
          writes.hold(ids.slice(from, from + MOST_MOVED), provider)
      })
  }

  #couldUse(provider: string): string[] {
    return this.#heldElsewhere.all(provider).map(row => toId(row.id as number))
  }

  #nextAt({ accesses, search }: View): { nextAt?: number } {
    const times = [search.nextAt, this.#leases.nextLossAt].filter(at => at !== undefined)
    for (const [provider, access] of accesses) {
      if (access.state === 'closed' && this.#anyHeld.get(provider)) times.push(access.until)
    }
    return times.length === 0 ? {} : { nextAt: Math.min(...times) }
  }
}

/** Everything a claim depends on, read at one moment. */
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
