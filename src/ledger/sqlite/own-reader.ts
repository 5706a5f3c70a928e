import type { DatabaseSync } from 'node:sqlite'
import { answerer } from './answer.ts'
import type { Asking, ReaderRequest } from './reader.ts'
import { toLedgerError } from './sqlite-error.ts'

/**
 * Reads on a connection of this thread: what lies in the memory of a process no
 * thread can open, and a bundle may have left the thread behind.
 */
export class OwnReader implements Asking {
  readonly #answer: (request: ReaderRequest) => unknown

  readonly #close: () => void

  /** @param closes whether the connection is closed with it. Default false. */
  constructor(db: DatabaseSync, { closes = false }: { closes?: boolean } = {}) {
    this.#answer = answerer(db)
    this.#close = () => {
      if (closes) db.close()
    }
  }

  async ask(request: ReaderRequest): Promise<unknown> {
    try {
      return this.#answer(request)
    } catch (error) {
      throw toLedgerError(error, 'cannot read the ledger')
    }
  }

  async close(): Promise<void> {
    this.#close()
  }
}
