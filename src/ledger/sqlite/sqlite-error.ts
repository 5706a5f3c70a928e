import { LedgerError, type LedgerErrorCode } from '../error.ts'

/** SQLite's primary result codes, and what a person should do about them. */
const CODES: Record<number, { code: LedgerErrorCode; remedy: string }> = {
  5: { code: 'locked', remedy: 'another process holds the write lock' },
  6: { code: 'locked', remedy: 'another connection of this process holds the lock' },
  8: { code: 'read_only', remedy: 'the file or its folder is not writable: check owner and permissions' },
  10: { code: 'io', remedy: 'the disk reported an error' },
  11: { code: 'corrupt', remedy: 'the file is damaged: stop everything and restore a backup' },
  13: { code: 'full', remedy: 'the disk is full: free some space; nothing of this write was stored' },
  14: { code: 'io', remedy: 'the file cannot be opened: check path and permissions' },
  23: { code: 'io', remedy: 'access was refused' },
  26: { code: 'not_a_ledger', remedy: 'this is not a SQLite file' },
}

/** File system codes that mean the same as one of SQLite's. */
const SYSTEM_CODES: Record<string, number> = { ENOSPC: 13, EDQUOT: 13, EACCES: 8, EPERM: 8, EROFS: 8 }

/** Converts an error of SQLite or the file system to ours; our own errors pass unchanged. */
export function toLedgerError(error: unknown, what: string): LedgerError {
  if (error instanceof LedgerError) return error
  const { errcode, code, message } = error as { errcode?: number; code?: string; message: string }
  const known = CODES[errcode === undefined ? (SYSTEM_CODES[code ?? ''] ?? 0) : errcode & 0xff]
  if (known) return new LedgerError(known.code, `${what}: ${known.remedy} (${message})`, { cause: error })
  return new LedgerError('io', `${what}: ${message}`, { cause: error })
}

/** True for errors of SQLite or the file system, as opposed to bugs in our own code. */
export function isStorageError(error: unknown): boolean {
  return error instanceof Error && ('errcode' in error || 'errno' in error)
}

/** Whether another process holds the lock. */
export function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: number }
  return errcode !== undefined && ((errcode & 0xff) === 5 || (errcode & 0xff) === 6)
}
