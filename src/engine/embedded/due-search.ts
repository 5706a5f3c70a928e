import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type DueRow, type FoundWork, findWork, type Group } from '../due-work.ts'
import type { ClaimRequest } from '../engine.ts'
import type { AccessState } from '../provider-access-state.ts'

/** Lower than any rank. */
const LOWEST_RANK = -1_000

/**
 * Finds due work. The index has a stretch for each capability, provider and priority, ordered by time: a search jumps
 * from stretch to stretch and reads only due entries, no matter how much is stored. Operations held for a provider that
 * can be used again are found in the same way, and claimed directly: freeing them first would cost as much again.
 */
export class DueSearch {
  readonly #nextRank: StatementSync
  readonly #nextProvider: StatementSync
  readonly #first: StatementSync
  readonly #firstWithProviders: StatementSync
  readonly #nextHeldRank: StatementSync
  readonly #firstHeld: StatementSync

  constructor(db: DatabaseSync) {
    const due = `FROM operations INDEXED BY operations_due WHERE state = 'scheduled' AND held_by IS NULL
      AND capability = ?`
    // Each of these is one jump. Comparing both columns at once would walk through the whole stretch.
    this.#nextRank = db.prepare(`SELECT min(rank) AS rank ${due} AND provider = ? AND rank > ?`)
    this.#nextProvider = db.prepare(`SELECT min(provider) AS provider ${due} AND provider > ?`)
    // With the plus it is an expression: SQLite plans a statement anew each time a bare limit is bound.
    const most = 'LIMIT +?'
    const inGroup = `${due} AND provider = ? AND rank = ? ORDER BY due_at ${most}`
    this.#first = db.prepare(`SELECT id, due_at ${inGroup}`)
    this.#firstWithProviders = db.prepare(`SELECT id, due_at, providers ${inGroup}`)
    const held = `FROM operations INDEXED BY operations_held WHERE capability = ? AND held_by = ?`
    this.#nextHeldRank = db.prepare(`SELECT min(rank) AS rank ${held} AND rank > ?`)
    this.#firstHeld = db.prepare(
      `SELECT id, due_at, provider, providers ${held} AND rank = ? ORDER BY due_at ${most}`,
    )
  }

  search(
    request: ClaimRequest,
    capabilities: Iterable<string>,
    accesses: ReadonlyMap<string, AccessState>,
    running: (by: 'capability' | 'provider') => ReadonlyMap<string, number>,
    now: number,
  ): FoundWork {
    const source = {
      groups: (capability: string) => this.#groups(capability, accesses),
      rows: (group: Group, limit: number) => this.#rows(group, limit, accesses.size > 0),
    }
    return findWork(source, request, capabilities, accesses, running, now)
  }

  /** The stretches of a capability: of due operations, and of operations held for a provider that can be used. */
  *#groups(capability: string, accesses: ReadonlyMap<string, AccessState>): Iterable<Group> {
    for (let provider: string | null = ''; provider !== null; ) {
      yield* this.#ranks(this.#nextRank, { capability, provider, isHeld: false })
      provider = (this.#nextProvider.get(capability, provider) as { provider: string | null }).provider
    }
    for (const [provider, { state }] of accesses)
      if (state === 'opening' || state === 'open')
        yield* this.#ranks(this.#nextHeldRank, { capability, provider, isHeld: true })
  }

  *#ranks(next: StatementSync, group: Omit<Group, 'rank'>): Iterable<Group> {
    for (let last = LOWEST_RANK; ; ) {
      const { rank } = next.get(group.capability, group.provider, last) as { rank: number | null }
      if (rank === null) return
      yield { ...group, rank }
      last = rank
    }
  }

  #rows({ capability, provider, rank, isHeld }: Group, limit: number, withProviders: boolean): DueRow[] {
    const due = withProviders && provider === '' ? this.#firstWithProviders : this.#first
    const statement = isHeld ? this.#firstHeld : due
    return statement.all(capability, provider, rank, limit) as unknown as DueRow[]
  }
}
