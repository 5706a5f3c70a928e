import type { Sql } from './sql.ts'

/** How far consumers have read the events. */
export class Cursors {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  async of(consumer: string): Promise<number> {
    const row = await this.#sql.row<{ event: number }>('SELECT event FROM cursors WHERE consumer = $1', [
      consumer,
    ])
    return row?.event ?? 0
  }

  /** Returns false if the cursor is not at `from`. If two move it at the same time, one waits and finds it moved. */
  async move(consumer: string, from: number, to: number): Promise<boolean> {
    const moved =
      from === 0
        ? await this.#sql.run(
            'INSERT INTO cursors (consumer, event) VALUES ($1, $2) ON CONFLICT (consumer) DO NOTHING',
            [consumer, to],
          )
        : await this.#sql.run('UPDATE cursors SET event = $2 WHERE consumer = $1 AND event = $3', [
            consumer,
            to,
            from,
          ])
    if (to === 0) await this.#sql.run('DELETE FROM cursors WHERE consumer = $1 AND event = 0', [consumer])
    if (moved > 0) await this.#sql.run("SELECT nextval('changes')")
    return moved > 0
  }
}
