import type { DatabaseSync } from 'node:sqlite'
import type { LongReads, ReaderRequest } from './reader-requests.ts'
import { requestHandler } from './reader-requests.ts'
import { toLedgerError } from './sqlite-error.ts'

/**
 * Reads on a connection of this thread: no thread can open an in-memory database, and a bundle may lack the thread's
 * code.
 */
export class SameThreadReader implements LongReads {
  readonly #answer: (request: ReaderRequest) => unknown

  readonly #close: () => void

  /** @param closes whether to close the connection with it. Default false. */
  constructor(db: DatabaseSync, { closes = false }: { closes?: boolean } = {}) {
    this.#answer = requestHandler(db)
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
