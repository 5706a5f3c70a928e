import { ENGINE_PREFIX } from '../../ledger/hold-words.ts'
import type { Started } from '../../ledger/ledger.ts'
import { answer } from '../../ledger/postgres/answer.ts'
import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import type { PostgresTransaction } from '../../ledger/postgres/postgres-transaction.ts'
import type { Sql } from '../../ledger/postgres/sql.ts'
import { numberOf, toId } from '../../ledger/row/rows.ts'
import { type Candidate, type FoundWork, findWork, MOST_HOLDS } from '../due-work.ts'
import { type ClaimedRun, type ClaimRequest, type Claims, LEASE_DEFAULT_MS } from '../engine.ts'
import { accesses, closeAccess, forgetAccess, freeAccess, takeAccess } from '../provider-access.ts'
import { type AccessState, unrecordedOf } from '../provider-access-state.ts'
import { type ClaimConditions, claimConditions, isBounded } from './claim-conditions.ts'
import { dueRows } from './due-rows.ts'
import type { LeaseRow, Leases } from './leases.ts'
import { takeTurns } from './turns.ts'

/** Most operations that one transaction moves to another provider before that provider is freed. */
const MOST_MOVED = 500

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
    const gathered = new Set<string>()
    for (;;) {
      // Looks before it locks, unless the last look found work, so that idle runners cost the others nothing.
      if (!this.#foundWork) {
        const look = await this.#ledger.read(async sql => {
          const view = await this.#view(sql, request, false)
          return { changes: view.changes, next: view.changes ? {} : await this.#nextAt(sql, view) }
        })
        if (!look.changes) return { runs: [], ...look.next }
      }
      const round = await this.#ledger.transaction(writes => this.#take(request, writes, gathered))
      for (const provider of round.freed ?? []) {
        await this.gather(provider)
        gathered.add(provider)
      }
      this.#foundWork = round.runs.length > 0
      if (round.runs.length > 0 || !round.moved) return { runs: round.runs, ...round.next }
    }
  }

  async #view(
    sql: Sql,
    request: ClaimRequest,
    lock: boolean,
    known?: { conditions: ClaimConditions; now: number },
  ): Promise<View> {
    const now = known?.now ?? this.#ledger.time.now()
    const conditions = known?.conditions ?? (await claimConditions(sql, request, now))
    const { capabilities, accesses, running } = conditions
    if (request.limit <= 0 || capabilities.size === 0) return { ...NOTHING, now }
    const lost = await this.#leases.lost(sql, request.runner, capabilities, request.underWay)
    const isAnyClosed = [...accesses.values()].some(({ state }) => state === 'closed')
    const most = request.limit + (request.skip?.size ?? 0)
    const limit = isAnyClosed ? Math.max(most, MOST_HOLDS) : most
    const source = await dueRows(sql, { capabilities, limit, accesses, lock })
    const search = findWork(source, request, capabilities, accesses, by => running[by], now)
    const done = await this.#done(sql, accesses)
    const changes =
      lost.length > 0 ||
      search.take.length > 0 ||
      search.hold.length > 0 ||
      done.length > 0 ||
      unrecordedOf(accesses).length > 0 ||
      [...accesses.values()].some(({ state }) => state === 'freed')
    return { now, capabilities, accesses, lost, search, done, changes }
  }

  /** The view for a claim. If there are limits, no other claim runs until this one commits. */
  async #viewToTake(sql: Sql, request: ClaimRequest): Promise<View> {
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
    const isPlain = this.#leases.isQuiet && !isBounded(request) && !request.skip?.size
    if (!isPlain || limit <= 0 || capabilities.length === 0) return []
    const lengthsMs = capabilities.map(capability => lengthOf(request, capability))
    const started = await writes.startDue({ capabilities, lengthsMs, limit, runner })
    return started.map(each => claimed(each, lengthOf(request, each.operation.capability)))
  }

  async #take(
    asked: ClaimRequest,
    writes: PostgresTransaction,
    gathered: ReadonlySet<string>,
  ): Promise<{ runs: ClaimedRun[]; moved: boolean; next: { nextAt?: number }; freed?: string[] }> {
    const { sql } = writes
    const runs = await this.#takeFirst(asked, writes)
    if (runs.length > 0 && runs.length === asked.limit) return { runs, moved: false, next: {} }
    const request = { ...asked, limit: asked.limit - runs.length }
    const first = await this.#viewToTake(sql, request)
    const freed = [...first.accesses].flatMap(([id, { state }]) => (state === 'freed' ? [id] : []))
    if (freed.some(id => !gathered.has(id)))
      return { runs, moved: true, next: await this.#nextAt(sql, first), freed }
    for (const provider of first.done) await answer(sql, forgetAccess(provider, first.now))
    for (const provider of unrecordedOf(first.accesses)) await answer(sql, closeAccess(provider))
    for (const provider of freed)
      if (await answer(sql, freeAccess(provider, first.now))) await this.freed(provider, writes)
    const view = freed.length > 0 ? await this.#view(sql, request, true) : first
    for (const lease of view.lost) {
      if (runs.length === asked.limit) break
      if (!(await this.#leases.lock(sql, lease))) continue
      const lengthMs = lengthOf(request, lease.capability)
      const started = await writes.start(toId(lease.operation), lease, { runner: request.runner, lengthMs })
      if (started) runs.push(claimed(started, lengthMs))
    }
    for (const [provider, rows] of Map.groupBy(view.search.hold, row => row.provider))
      await writes.hold(
        rows.map(({ id }) => toId(id)),
        provider,
      )
    const found = new Map(
      view.search.take.slice(0, asked.limit - runs.length).map(candidate => [candidate.id, candidate]),
    )
    const lengths = [...found.values()].map(({ capability }) => lengthOf(request, capability))
    const opened = new Map<string, number>()
    for (const started of await writes.startAll([...found.keys()], lengths, request.runner)) {
      const candidate = found.get(numberOf(started.operation.id) as number) as Candidate
      const through = candidate.through ?? candidate.provider
      runs.push(claimed(started, lengthOf(request, candidate.capability)))
      if (view.accesses.get(through)?.state === 'opening') opened.set(through, (opened.get(through) ?? 0) + 1)
    }
    for (const [provider, count] of opened) await answer(sql, takeAccess(provider, count))
    const moved = freed.length > 0 || view.search.hold.length > 0
    return { runs, moved, next: await this.#nextAt(sql, view) }
  }

  /** Providers whose block is fully over: every operation may use them, and none is held for them. */
  async #done(sql: Sql, accesses: ReadonlyMap<string, AccessState>): Promise<string[]> {
    const open = [...accesses].flatMap(([id, { state }]) => (state === 'open' ? [id] : []))
    if (open.length === 0) return []
    const held = await this.#held(sql, open)
    return open.filter(id => !held.has(id))
  }

  /** The providers among these that any operation is held for. */
  async #held(sql: Sql, providers: readonly string[]): Promise<Set<string>> {
    const rows = await sql.rows<{ provider: string }>(
      `SELECT p.provider FROM unnest($1::text[]) AS p(provider) WHERE EXISTS
        (SELECT 1 FROM operations o WHERE o.held_by IS NOT NULL AND o.held_by = p.provider)`,
      [providers],
    )
    return new Set(rows.map(({ provider }) => provider))
  }

  /** Writes the event that a provider can be used again, and moves operations held for another provider to it if they can use it. */
  async freed(provider: string, writes: PostgresTransaction): Promise<void> {
    await writes.tell('provider_freed', { provider })
    await writes.hold(await this.#couldUse(writes.sql, provider), provider)
  }

  /** Before a provider is freed: moves the operations that can use it, in transactions short enough not to delay other writers. */
  async gather(provider: string): Promise<void> {
    const ids = await this.#ledger.read(sql => this.#couldUse(sql, provider))
    for (let from = 0; from < ids.length; from += MOST_MOVED)
      await this.#ledger.transaction(async writes => {
        await takeTurns(writes.sql)
        // Another host may have opened it fully meanwhile, and then no longer checks what is held for it.
        if ((await answer(writes.sql, accesses(this.#ledger.time.now()))).has(provider))
          await writes.hold(ids.slice(from, from + MOST_MOVED), provider)
      })
  }

  async #couldUse(sql: Sql, provider: string): Promise<string[]> {
    const rows = await sql.rows<{ id: number }>(
      `SELECT o.id FROM operations o WHERE o.held_by IS NOT NULL AND o.held_by <> $1
        AND NOT starts_with(o.held_by, '${ENGINE_PREFIX}') AND EXISTS
        (SELECT 1 FROM operation_providers p WHERE p.provider = $1 AND p.operation = o.id) ORDER BY o.id`,
      [provider],
    )
    return rows.map(({ id }) => toId(id))
  }

  async #nextAt(sql: Sql, { accesses, search }: View): Promise<{ nextAt?: number }> {
    const times = [search.nextAt, this.#leases.nextLossAt].filter(at => at !== undefined)
    const closed = new Map(
      [...accesses].flatMap(([id, each]) => (each.state === 'closed' ? [[id, each.until]] : [])),
    )
    if (closed.size > 0)
      for (const provider of await this.#held(sql, [...closed.keys()]))
        times.push(closed.get(provider) as number)
    return times.length === 0 ? {} : { nextAt: Math.min(...times) }
  }
}

function lengthOf({ leaseMs = LEASE_DEFAULT_MS, leasesMs }: ClaimRequest, capability: string): number {
  return leasesMs?.[capability] ?? leaseMs
}

function claimed({ operation, lost }: Started, leaseMs: number): ClaimedRun {
  const fence = { id: operation.id, run: operation.run }
  return { operation, fence, leaseMs, ...(lost ? { lost } : {}) }
}

/** Everything a claim depends on, read at one moment. */
interface View {
  now: number
  capabilities: ReadonlySet<string>
  accesses: ReadonlyMap<string, AccessState>
  lost: readonly LeaseRow[]
  search: FoundWork
  /** Providers whose block is fully over. */
  done: readonly string[]
  /** Whether there is anything to write. */
  changes: boolean
}

const NOTHING: Omit<View, 'now'> = {
  capabilities: new Set(),
  accesses: new Map(),
  lost: [],
  search: { take: [], hold: [], nextAt: undefined },
  done: [],
  changes: false,
}
