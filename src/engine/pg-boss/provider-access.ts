import type { Sql } from '../../ledger/postgres/sql.ts'
import { type AccessRow, type AccessState, stateOf } from '../provider-access-state.ts'

/**
 * Claims that depend on provider access take turns with transactions that open a provider, until they commit. Otherwise a claim
 * that found every provider of an operation closed would hold it for one of them while another opens.
 */
export async function takeTurns(sql: Sql): Promise<void> {
  await sql.run("SELECT pg_advisory_xact_lock(hashtextextended(current_schema || ':claims', 4))")
}

/** Which providers the engine may use now; a provider without a row may be used. All changes lock the row. */
export class ProviderAccess {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  async read(now: number): Promise<Map<string, AccessState>> {
    const rows = await this.#sql.rows<AccessRow>('SELECT * FROM provider_gates')
    return new Map(rows.map(row => [row.provider, stateOf(row, now)]))
  }

  /** Whether the provider is closed or opening. */
  async has(provider: string): Promise<boolean> {
    return (await this.#sql.row('SELECT 1 FROM provider_gates WHERE provider = $1', [provider])) !== undefined
  }

  async paused(): Promise<string[]> {
    const rows = await this.#sql.rows<AccessRow>(
      'SELECT * FROM provider_gates WHERE paused = 1 ORDER BY provider',
    )
    return rows.map(({ provider }) => provider)
  }

  /** Returns whether anything changed. */
  async block(provider: string, until: number): Promise<boolean> {
    const row = await this.#lock(provider)
    if (row?.blocked_until === until && row.freed_at === null) return false
    await this.#write(provider, until, row?.paused ?? 0, null, 0)
    return true
  }

  /** Returns whether anything changed. */
  async unblock(provider: string, now: number): Promise<boolean> {
    const row = await this.#lock(provider)
    if (!row || row.blocked_until === null || row.freed_at !== null) return false
    await this.#write(provider, null, row.paused, row.paused === 1 ? null : now, 0)
    return true
  }

  async pause(provider: string): Promise<boolean> {
    const row = await this.#lock(provider)
    if (row?.paused === 1) return false
    await this.#write(provider, row?.blocked_until ?? null, 1, row?.freed_at ?? null, row?.taken ?? 0)
    return true
  }

  async resume(provider: string, now: number): Promise<boolean> {
    const row = await this.#lock(provider)
    if (row?.paused !== 1) return false
    const blocked = row.blocked_until !== null && row.freed_at === null
    await this.#write(provider, row.blocked_until, 0, blocked ? null : now, 0)
    return true
  }

  /** A block ended: held work comes back gradually from then on. Returns false if another process was first. */
  async free(provider: string, now: number): Promise<boolean> {
    const row = await this.#lock(provider)
    if (!row || stateOf(row, now).state !== 'freed') return false
    await this.#write(provider, null, row.paused, Math.min(row.blocked_until ?? now, now), 0)
    return true
  }

  async take(provider: string, count: number): Promise<void> {
    await this.#sql.run('UPDATE provider_gates SET taken = taken + $2 WHERE provider = $1', [provider, count])
  }

  /** Opens the provider fully: nothing is held for it any more. */
  async forget(provider: string, now: number): Promise<void> {
    const row = await this.#lock(provider)
    if (row && stateOf(row, now).state === 'open')
      await this.#sql.run('DELETE FROM provider_gates WHERE provider = $1', [provider])
  }

  async #lock(provider: string): Promise<AccessRow | undefined> {
    // A provider without a row cannot be locked by its row.
    await this.#sql.run(
      "SELECT pg_advisory_xact_lock(hashtextextended(current_schema || ':gate:' || $1, 3))",
      [provider],
    )
    return this.#sql.row<AccessRow>('SELECT * FROM provider_gates WHERE provider = $1 FOR UPDATE', [provider])
  }

  async #write(
    provider: string,
    blockedUntil: number | null,
    paused: number,
    freedAt: number | null,
    taken: number,
  ): Promise<void> {
    await this.#sql.run(
      `INSERT INTO provider_gates (provider, blocked_until, paused, freed_at, taken) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (provider) DO UPDATE SET blocked_until = $2, paused = $3, freed_at = $4, taken = $5`,
      [provider, blockedUntil, paused, freedAt, taken],
    )
  }
}
