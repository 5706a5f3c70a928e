import { CodedError, isCoded } from './coded-error.ts'

/** Why a ledger cannot do what it was asked. */
export type LedgerErrorCode =
  | 'locked'
  | 'full'
  | 'read_only'
  | 'corrupt'
  | 'gone'
  | 'newer'
  | 'not_a_ledger'
  | 'io'
  | 'closed'
  | 'key_conflict'
  | 'invalid'
  | 'exists'

/** The ledger cannot do what it was asked; `code` says why, the message what to do about it. */
export class LedgerError extends CodedError<LedgerErrorCode> {
  override name = 'LedgerError'
}

/** True for errors of a ledger, also of another copy of this package. */
export function isLedgerError(error: unknown): error is LedgerError {
  return isCoded(error, 'LedgerError')
}
