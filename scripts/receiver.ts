import { DatabaseSync } from 'node:sqlite'
import { rollBack } from '../src/ledger/sqlite/snapshot.ts'

/**
 * The outside system in which effects happen. It remembers the largest fencing token per key, and refuses smaller ones.
 */
export class Receiver {
  readonly #db: DatabaseSync

  constructor(file: string) {
    this.#db = new DatabaseSync(file, { timeout: 10_000 })
    this.#db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS tokens (key TEXT PRIMARY KEY, token INTEGER NOT NULL);
      CREATE TABLE IF NOT EXISTS effects (key TEXT NOT NULL, token INTEGER NOT NULL)`)
  }

  /** Records the effect, unless a larger token was seen. */
  take(key: string, token: number): void {
    this.#fenced(key, token, () => this.#db.prepare('INSERT INTO effects VALUES (?, ?)').run(key, token))
  }

  /** Whether the effect happened. From now on, smaller tokens can have no effect. */
  has(key: string, token: number): boolean {
    return this.#fenced(
      key,
      token,
      () => this.#db.prepare('SELECT 1 FROM effects WHERE key = ? LIMIT 1').get(key) !== undefined,
    )
  }

  /** How often each effect happened. */
  counts(): ReadonlyMap<string, number> {
    const rows = this.#db.prepare('SELECT key, count(*) AS n FROM effects GROUP BY key').all()
    return new Map((rows as unknown as { key: string; n: number }[]).map(({ key, n }) => [key, n]))
  }

  close(): void {
    this.#db.close()
  }

  #fenced<T>(key: string, token: number, work: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE')
    try {
      const row = this.#db.prepare('SELECT token FROM tokens WHERE key = ?').get(key)
      if (row && (row.token as number) > token) throw new Error(`token ${token} of ${key} is too old`)
      this.#db.prepare('INSERT OR REPLACE INTO tokens VALUES (?, ?)').run(key, token)
      const value = work()
      this.#db.exec('COMMIT')
      return value
    } catch (error) {
      rollBack(this.#db)
      throw error
    }
  }
}
