import type { DatabaseSync } from 'node:sqlite'
import type { LongReads, ReaderRequest } from './reader.ts'
import { requestHandler } from './reader-requests.ts'
import { toLedgerError } from './sqlite-error.ts'

/**
 * Reads on a connection of this thread: what lies in the memory of a process no
 * thread can open, and a bundle may have left the thread behind.
 */
export class SameThreadReader implements LongReads {
  readonly #answer: (request: ReaderRequest) => unknown

  readonly #close: () => void

  /** @param closes whether the connection is closed with it. Default false. */
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
