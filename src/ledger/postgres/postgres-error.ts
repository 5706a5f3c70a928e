import { LedgerError, type LedgerErrorCode } from '../error.ts'

/** What the server says, by the code of its error or the class of it, and what a person should do about it. */
const CODES: Readonly<Record<string, { code: LedgerErrorCode; remedy: string }>> = {
  '53100': {
    code: 'full',
    remedy: 'the disk of the server is full: free space, nothing of this write was kept',
  },
  '53200': { code: 'full', remedy: 'the server is out of memory' },
  '53300': {
    code: 'unreachable',
    remedy: 'the server has no connection left: raise max_connections or use fewer daemons',
  },
  '25006': {
    code: 'read_only',
    remedy: 'the server only answers reads: it is a standby, or set to be read-only',
  },
  '42501': { code: 'read_only', remedy: 'the role may not do that: see the grants in docs/postgres.md' },
  '28P01': { code: 'unreachable', remedy: 'the password is wrong' },
  '28000': { code: 'unreachable', remedy: 'the server does not let this role in' },
  '3D000': { code: 'invalid', remedy: 'there is no such database: create it first' },
  '57014': { code: 'locked', remedy: 'it took longer than the server may work on one statement' },
  '55P03': { code: 'locked', remedy: 'another transaction holds the lock' },
  '40P01': { code: 'locked', remedy: 'other transactions hold the locks' },
  '40001': { code: 'locked', remedy: 'other transactions change the same rows' },
  '42P01': { code: 'gone', remedy: 'a table of the ledger is missing' },
  '3F000': { code: 'gone', remedy: 'the schema is missing' },
  XX001: { code: 'corrupt', remedy: 'data on the server is damaged: stop everything and restore a backup' },
  XX002: { code: 'corrupt', remedy: 'an index on the server is damaged' },
}

/** What the network or the driver says without a code of the server. */
const LOST =
  /terminated|timeout|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|socket|closed|not queryable/i

/** Of the server's codes, those after which another connection may work: it stops, starts, is full, or became a standby. */
const COMES_BACK = /^(08|57P0|53300|25006|25P03)/

/** Errors that came from the driver: what the work of a transaction throws may say the same words, and means something else. */
const FROM_DRIVER = new WeakSet<object>()

/** Gives what the driver gives, and remembers the errors that are its own. */
export async function ofDriver<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (typeof error === 'object' && error !== null) FROM_DRIVER.add(error)
    throw error
  }
}

/** Whether a connection was lost, or none was to be had, and a new one may work. */
export function isLost(error: unknown): boolean {
  if (error instanceof LedgerError) return error.code === 'unreachable'
  if (typeof error !== 'object' || error === null || !FROM_DRIVER.has(error)) return false
  const { code, message } = error as { code?: string; message?: string }
  if (code !== undefined && /^[0-9A-Z]{5}$/.test(code)) return COMES_BACK.test(code)
  return LOST.test(`${code ?? ''} ${message ?? ''}`)
}

/** Whether the server undid a transaction because of others; done again, it may succeed. */
export function isCollision(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === '40001' || code === '40P01' || code === '55P03'
}

/** An error of the server or the network as ours; ours stay as they are. */
export function toLedgerError(error: unknown, what: string): LedgerError {
  if (error instanceof LedgerError) return error
  const { code, message } = error as { code?: string; message: string }
  const known = CODES[code ?? '']
  if (known) return new LedgerError(known.code, `${what}: ${known.remedy} (${message})`, { cause: error })
  // Only the message: one of the driver may have no text, and says all in its code.
  const said = message === '' || message === undefined ? (code ?? 'no answer') : message
  return new LedgerError(isLost(error) ? 'unreachable' : 'io', `${what}: ${said}`, { cause: error })
}

/** True for what the server, the network or the driver said, as opposed to a mistake in our own code. */
export function isStorageError(error: unknown): boolean {
  return error instanceof Error && FROM_DRIVER.has(error)
}
