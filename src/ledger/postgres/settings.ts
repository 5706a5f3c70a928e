import type { Sql } from './sql.ts'

/** Values that all processes share, by name, as JSON. */
export class Settings {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  async of(name: string): Promise<unknown> {
    const row = await this.#sql.row<{ value: string }>('SELECT value FROM settings WHERE name = $1', [name])
    return row && (JSON.parse(row.value) as unknown)
  }

  /** @param value undefined deletes the setting */
  async set(name: string, value: unknown): Promise<void> {
    if (value === undefined) await this.#sql.run('DELETE FROM settings WHERE name = $1', [name])
    else
      await this.#sql.run(
        'INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2',
        [name, JSON.stringify(value)],
      )
    await this.#sql.run("SELECT nextval('changes')")
  }
}
