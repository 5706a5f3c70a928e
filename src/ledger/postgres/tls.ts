import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { LedgerError } from '../error.ts'

/** The driver's TLS options; false for no TLS. */
export type Tls = ConnectionOptions | false

/** The TLS parameters of an address. */
export const TLS_NAMES = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'] as const

/**
 * Reads `sslmode` and its files like libpq, and removes them from the address. The driver would treat `require` as
 * `verify-full`, and a misspelt mode as some other mode.
 */
export function takeTls({ searchParams }: URL): Tls {
  const [mode, rootcert, cert, key] = TLS_NAMES.map(name => searchParams.get(name) ?? undefined)
  for (const name of TLS_NAMES) searchParams.delete(name)
  const files = {
    ...(rootcert === undefined ? {} : { ca: read('sslrootcert', rootcert) }),
    ...(cert === undefined ? {} : { cert: read('sslcert', cert) }),
    ...(key === undefined ? {} : { key: read('sslkey', key) }),
  }
  switch (mode) {
    case undefined:
      // A file means that encryption is wanted, and then with full verification.
      return Object.keys(files).length === 0 ? false : files
    case 'disable':
      return false
    case 'require':
      return rootcert === undefined
        ? { ...files, rejectUnauthorized: false }
        : { ...files, checkServerIdentity: anyName }
    case 'verify-ca':
      return { ...files, checkServerIdentity: anyName }
    case 'verify-full':
      return files
    default:
      throw new LedgerError(
        'invalid',
        `sslmode ${JSON.stringify(mode)} in the address of the database must be disable, require, verify-ca or verify-full`,
      )
  }
}

function anyName(): undefined {
  return undefined
}

function read(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new LedgerError(
      'invalid',
      `${name} in the address of the database cannot be read: ${(error as Error).message}`,
    )
  }
}
