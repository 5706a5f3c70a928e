import { CodedError, type CodeMeanings, isCoded, MEANING, type OwnMeaning } from '../failure/own-error.ts'

/** A write that the ledger refuses is rolled back: none of it is stored, unless the disk itself failed. */
const MEANINGS = {
  locked: { kind: 'lock', status: 503 },
  full: { kind: 'disk_full', status: 507 },
  read_only: { kind: 'permission', status: 503 },
  corrupt: { kind: 'io', class: 'permanent', effect: 'maybe', status: 500 },
  gone: { kind: 'not_found', status: 503 },
  newer: { kind: 'version_mismatch', status: 503 },
  not_a_ledger: { kind: 'config', status: 500 },
  io: { kind: 'io', effect: 'maybe', status: 503 },
  closed: { kind: 'code_bug', status: 503 },
  key_conflict: { kind: 'conflict', class: 'permanent', status: 409 },
  invalid: { kind: 'invalid_request', status: 400 },
  exists: { kind: 'conflict', class: 'permanent', status: 409 },
  in_use: { kind: 'lock', status: 409 },
  unreachable: { kind: 'network', effect: 'maybe', status: 503 },
  unsupported: { kind: 'invalid_request', status: 501 },
} as const satisfies CodeMeanings

/** Why a ledger refuses a request. */
export type LedgerErrorCode = keyof typeof MEANINGS

/** The ledger cannot do what it was asked. `code` says why, the message how to fix it. */
export class LedgerError extends CodedError<LedgerErrorCode> {
  override name = 'LedgerError'

  get [MEANING](): OwnMeaning {
    return MEANINGS[this.code]
  }
}

/** True for errors of a ledger, including those of another copy of this package. */
export function isLedgerError(error: unknown): error is LedgerError {
  return isCoded(error, 'LedgerError')
}

/** What a write is told that comes after the end of its transaction. */
export const TRANSACTION_OVER = 'the transaction of this write is already over'
