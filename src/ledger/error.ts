import { MEANING, type MeaningfulError, type OwnMeaning } from '../failure/own-error.ts'
import { CodedError, isCoded } from './coded-error.ts'

/** Why a ledger refuses a request. */
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
  | 'in_use'
  | 'unreachable'
  | 'unsupported'

/** A write that the ledger refuses is rolled back: none of it is stored, unless the disk itself failed. */
const MEANINGS: Readonly<Record<LedgerErrorCode, OwnMeaning>> = {
  locked: { kind: 'lock' },
  full: { kind: 'disk_full' },
  read_only: { kind: 'permission' },
  corrupt: { kind: 'io', class: 'permanent', effect: 'maybe' },
  gone: { kind: 'not_found' },
  newer: { kind: 'version_mismatch' },
  not_a_ledger: { kind: 'config' },
  io: { kind: 'io', effect: 'maybe' },
  closed: { kind: 'code_bug' },
  key_conflict: { kind: 'conflict', class: 'permanent' },
  invalid: { kind: 'invalid_request' },
  exists: { kind: 'conflict', class: 'permanent' },
  in_use: { kind: 'lock' },
  unreachable: { kind: 'network', effect: 'maybe' },
  unsupported: { kind: 'invalid_request' },
}

/** The ledger cannot do what it was asked. `code` says why, the message how to fix it. */
export class LedgerError extends CodedError<LedgerErrorCode> implements MeaningfulError {
  override name = 'LedgerError'

  get [MEANING](): OwnMeaning {
    return MEANINGS[this.code]
  }
}

/** True for errors of a ledger, including those of another copy of this package. */
export function isLedgerError(error: unknown): error is LedgerError {
  return isCoded(error, 'LedgerError')
}
