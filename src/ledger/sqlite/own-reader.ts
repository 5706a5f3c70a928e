import type { DatabaseSync } from 'node:sqlite'
import { answerer } from './answer.ts'
import type { Asking, ReaderRequest } from './reader.ts'
import { toLedgerError } from './sqlite-error.ts'

/** Reads on the ledger's own connection: what lies in the memory of a process no thread can open. */
export class OwnReader implements Asking {
  readonly #answer: (request: ReaderRequest) => unknown

  constructor(db: DatabaseSync) {
    this.#answer = answerer(db)
  }

  async ask(request: ReaderRequest): Promise<unknown> {
    try {
      return this.#answer(request)
    } catch (error) {
      throw toLedgerError(error, 'cannot read the ledger')
    }
  }

  async close(): Promise<void> {}
}
