import { LedgerError } from '../error.ts'

/** The answer to a commit was lost, and it is no longer possible to find out whether it was stored. */
export class UnsureCommit extends LedgerError {
  constructor(message: string, options?: ErrorOptions) {
    super('io', message, options)
  }
}
