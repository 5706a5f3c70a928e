import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type AccessRow, type AccessState, STARTS_PER_SERVED, stateOf } from '../provider-access-state.ts'

/** Which providers the engine may use now; a provider without a row may be used. */
export class ProviderAccess {
  readonly #all: StatementSync
  readonly #one: StatementSync
  readonly #write: StatementSync
  readonly #take: StatementSync
  readonly #served: StatementSync
  readonly #delete: StatementSync
  /** The providers that were opening at the last read: only for them it matters whether they serve. */
  #opening: ReadonlySet<string> = new Set()

  constructor(db: DatabaseSync) {
    this.#all = db.prepare('SELECT * FROM provider_gates')
    this.#one = db.prepare('SELECT * FROM provider_gates WHERE provider = ?')
    this.#write =
      db.prepare(`INSERT OR REPLACE INTO provider_gates (provider, blocked_until, paused, freed_at, taken)
      VALUES (?, ?, ?, ?, ?)`)
    this.#take = db.prepare('UPDATE provider_gates SET taken = taken + 1 WHERE provider = ?')
    this.#served = db.prepare(`UPDATE provider_gates SET taken = taken - ${STARTS_PER_SERVED}
      WHERE provider = ? AND freed_at <= ?`)
    this.#delete = db.prepare('DELETE FROM provider_gates WHERE provider = ?')
  }

  read(now: number): Map<string, AccessState> {
    const rows = this.#all.all() as unknown as AccessRow[]
    const states = new Map(rows.map(row => [row.provider, stateOf(row, now)] as const))
    const opening = [...states].flatMap(([provider, { state }]) => (state === 'opening' ? [provider] : []))
    this.#opening = new Set(opening)
    return states
  }

  paused(): string[] {
    return (this.#all.all() as unknown as AccessRow[])
      .filter(row => row.paused === 1)
      .map(row => row.provider)
  }

  /** True if this changed anything. */
  block(provider: string, until: number): boolean {
    const row = this.#get(provider)
    if (row?.blocked_until === until && row.freed_at === null) return false
    this.#write.run(provider, until, row?.paused ?? 0, null, 0)
    return true
  }

  /** True if this changed anything. */
  unblock(provider: string, now: number): boolean {
    const row = this.#get(provider)
    if (!row || row.blocked_until === null || row.freed_at !== null) return false
    this.#write.run(provider, null, row.paused, row.paused === 1 ? null : now, 0)
    return true
  }

  /** Whether this change would open it because nothing else keeps it closed. */
  opensBy(change: 'unblock' | 'resume', provider: string): boolean {
    const row = this.#get(provider)
    if (!row) return false
    const isBlocked = row.blocked_until !== null && row.freed_at === null
    return change === 'unblock' ? isBlocked && row.paused === 0 : !isBlocked && row.paused === 1
  }

  pause(provider: string): boolean {
    const row = this.#get(provider)
    if (row?.paused === 1) return false
    this.#write.run(provider, row?.blocked_until ?? null, 1, row?.freed_at ?? null, row?.taken ?? 0)
    return true
  }

  resume(provider: string, now: number): boolean {
    const row = this.#get(provider)
    if (row?.paused !== 1) return false
    const blocked = row.blocked_until !== null && row.freed_at === null
    this.#write.run(provider, row.blocked_until, 0, blocked ? null : now, 0)
    return true
  }

  /** Ends an expired block: from its end on, waiting operations return gradually. */
  free(provider: string, now: number): void {
    const row = this.#get(provider)
    if (row) this.#write.run(provider, null, row.paused, Math.min(row.blocked_until ?? now, now), 0)
  }

  take(provider: string): void {
    this.#take.run(provider)
  }

  /** Records a success that started at this time: if that was after the provider was freed, more may start. */
  served(provider: string, startedAt: number): void {
    if (this.#opening.has(provider)) this.#served.run(provider, startedAt)
  }

  forget(provider: string): void {
    this.#delete.run(provider)
  }

  #get(provider: string): AccessRow | undefined {
    return this.#one.get(provider) as unknown as AccessRow | undefined
  }
}
