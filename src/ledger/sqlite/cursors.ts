import type { Statements } from './statements.ts'

/** How far consumers have read the events. */
export class Cursors {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  of(consumer: string): number {
    const row = this.#statements.of('SELECT event FROM cursors WHERE consumer = ?').get(consumer)
    return (row?.event as number | undefined) ?? 0
  }

  /** Call it in a transaction. False if the cursor is not at `from`. */
  move(consumer: string, from: number, to: number): boolean {
    if (this.of(consumer) !== from) return false
    if (to === 0) this.#statements.of('DELETE FROM cursors WHERE consumer = ?').run(consumer)
    else
      this.#statements.of('INSERT OR REPLACE INTO cursors (consumer, event) VALUES (?, ?)').run(consumer, to)
    return true
  }
}
