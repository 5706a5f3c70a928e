import { LedgerError, type LedgerErrorCode } from '../error.ts'

interface Meaning {
  code: LedgerErrorCode
  remedy: string
}

const UNKNOWN_AUTHORITY: Meaning = {
  code: 'invalid',
  remedy:
    "this machine does not trust the authority that issued the server's certificate: pass the authority's file as sslrootcert=FILE",
}

/** Code of the server for a write that it does not take. */
const READ_ONLY = '25006'

/** Meanings of error codes of the server and of Node's TLS, with what a person should do. */
const CODES: Readonly<Record<string, Meaning>> = {
  '53100': {
    code: 'full',
    remedy: 'the disk of the server is full: free space, nothing of this write was stored',
  },
  '53200': { code: 'full', remedy: 'the server is out of memory' },
  '53300': {
    code: 'unreachable',
    remedy: 'the server has no connection left: raise max_connections or use fewer daemons',
  },
  [READ_ONLY]: {
    code: 'read_only',
    remedy: 'the server only answers reads: it is a standby, or configured as read-only',
  },
  '42501': { code: 'read_only', remedy: 'the role may not do that: see the grants in docs/postgres.md' },
  '28P01': { code: 'unreachable', remedy: 'the password is wrong' },
  '28000': { code: 'unreachable', remedy: 'the server does not let this role in' },
  '3D000': { code: 'invalid', remedy: 'there is no such database: create it first' },
  '57014': { code: 'locked', remedy: 'it took longer than the time limit for one statement' },
  '55P03': { code: 'locked', remedy: 'another transaction holds the lock' },
  '40P01': { code: 'locked', remedy: 'other transactions hold the locks' },
  '40001': { code: 'locked', remedy: 'other transactions are changing the same rows' },
  '42P01': { code: 'gone', remedy: 'a table of the ledger is missing' },
  '3F000': { code: 'gone', remedy: 'the schema is missing' },
  XX001: { code: 'corrupt', remedy: 'data on the server is damaged: stop everything and restore a backup' },
  // Codes of Node's TLS.
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    code: 'invalid',
    remedy: "the server's certificate is for another host: connect by the name in the certificate",
  },
  CERT_HAS_EXPIRED: { code: 'invalid', remedy: "the server's certificate has expired" },
  XX002: { code: 'corrupt', remedy: 'an index on the server is damaged' },
}

/** Errors of the network or the driver that have no code of the server. */
const LOST =
  /terminated|timeout|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|socket|closed|not queryable/i

/** Server codes after which another connection may work: it is stopping, starting, full, or became a standby. */
const COMES_BACK = /^(08|57P0|53300|25006|25P03)/

/** A code of the server; each has a digit, so EPIPE is none. */
const SERVER_CODE = /^(?=.*\d)[0-9A-Z]{5}$/

/** Errors thrown by the driver: an error of the work may have the same text but another meaning. */
const FROM_DRIVER = new WeakSet<object>()

/** Returns the driver's answer, and marks its errors as the driver's. */
export async function ofDriver<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (typeof error === 'object' && error !== null) FROM_DRIVER.add(error)
    throw error
  }
}

/** A standby refuses to begin a write in other words than it refuses the write. */
function codeOf(error: object): string | undefined {
  const { code, routine } = error as { code?: string; routine?: string }
  return code === '0A000' && routine === 'call_bool_check_hook' ? READ_ONLY : code
}

/** Whether the connection was lost or could not be made, and a new one may work. */
export function isLost(error: unknown): boolean {
  if (error instanceof LedgerError) return error.code === 'unreachable'
  if (typeof error !== 'object' || error === null || !FROM_DRIVER.has(error)) return false
  const { message } = error as { message?: string }
  const code = codeOf(error)
  if (code !== undefined && SERVER_CODE.test(code)) return COMES_BACK.test(code)
  return LOST.test(`${code ?? ''} ${message ?? ''}`)
}

/** After a statement that was not awaited fails, later ones only report that fact: returns the error of the first. */
export function firstError(sql: { sent(): Promise<void> }, error: unknown): Promise<unknown> {
  if ((error as { code?: string }).code !== '25P02') return Promise.resolve(error)
  return sql.sent().then(
    () => error,
    (first: unknown) => first,
  )
}

/** Whether a plan cached by the server no longer fits the tables, because they were changed. */
export function isStalePlan(error: unknown): boolean {
  const { code, routine } = error as { code?: string; routine?: string }
  return code === '0A000' && routine === 'RevalidateCachedQuery'
}

/** Whether the server rolled back a transaction because of concurrent ones; repeated, it may succeed. */
export function isCollision(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === '40001' || code === '40P01' || code === '55P03' || isStalePlan(error)
}

/** Turns an error of the server or the network into a `LedgerError`; a `LedgerError` stays unchanged. */
export function toLedgerError(error: unknown, what: string): LedgerError {
  if (error instanceof LedgerError) return error
  const { message } = error as { message: string }
  const code = codeOf(error as object)
  const known = CODES[code ?? '']
  if (known) return new LedgerError(known.code, `${what}: ${known.remedy} (${message})`, { cause: error })
  // An error of the driver may have an empty message and only a code.
  const said = message === '' || message === undefined ? (code ?? 'no answer') : message
  return new LedgerError(isLost(error) ? 'unreachable' : 'io', `${what}: ${said}`, { cause: error })
}

/** True for errors of the server, the network or the driver, as opposed to bugs in our own code. */
export function isStorageError(error: unknown): boolean {
  return error instanceof Error && FROM_DRIVER.has(error)
}
