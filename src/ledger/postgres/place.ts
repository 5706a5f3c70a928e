import { nearest } from '../../option/nearest.ts'
import { LedgerError } from '../error.ts'

/** Where a ledger on PostgreSQL is. */
export interface PostgresPlace {
  /** What the driver connects to; may hold a password. */
  connectionString: string
  /** Name of the schema that holds the ledger. */
  schema: string
  /** What the address sets for each connection, as `options` of libpq; empty for nothing. */
  options: string
  /** For people: role, host, port, database and schema, without a password. */
  label: string
}

/** Schema of the ledger where the address names none. */
export const SCHEMA_DEFAULT = 'mulligan'
/** PostgreSQL cuts longer names, and the engine adds to this one. */
const LONGEST_SCHEMA = 50

/** Whether a text is the address of a PostgreSQL server. */
export function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//i.test(text)
}

/** Reads an address such as `postgres://role:password@host:5432/database?schema=mulligan&sslmode=verify-full`. */
export function placeOf(address: string, schemaGiven?: string): PostgresPlace {
  let url: URL
  try {
    url = new URL(address)
  } catch {
    // The text itself may hold a password.
    throw new LedgerError(
      'invalid',
      'the address of the database cannot be read: give postgres://ROLE@HOST:PORT/DATABASE, with special characters of a password as %XX',
    )
  }
  if (!isPostgresUrl(address))
    throw new LedgerError(
      'invalid',
      `the address of the database begins with ${url.protocol}//: give postgres://ROLE@HOST:PORT/DATABASE`,
    )
  // The server ignores names that it does not know, and the ledger would be in another schema than was meant.
  const mistyped = [...url.searchParams.keys()].find(name => name !== 'schema' && nearest(name, ['schema']))
  if (mistyped !== undefined)
    throw new LedgerError(
      'invalid',
      `the address of the database has ${JSON.stringify(mistyped)}; did you mean "schema"?`,
    )
  const schema = schemaGiven ?? url.searchParams.get('schema') ?? SCHEMA_DEFAULT
  const options = url.searchParams.get('options') ?? ''
  url.searchParams.delete('schema')
  url.searchParams.delete('options')
  if (!/^[a-z_][a-z0-9_]*$/.test(schema) || schema.length > LONGEST_SCHEMA || schema.startsWith('pg_'))
    throw new LedgerError(
      'invalid',
      `schema ${JSON.stringify(schema)}: give lower-case letters, digits and _, at most ${LONGEST_SCHEMA}, not beginning with a digit or pg_`,
    )
  const host = url.searchParams.get('host') ?? (url.hostname || 'localhost')
  const database = decodeURIComponent(url.pathname.slice(1))
  if (database === '')
    throw new LedgerError(
      'invalid',
      `the address of the database on ${host} names no database: give postgres://ROLE@HOST:PORT/DATABASE`,
    )
  const role = url.username === '' ? '' : `${decodeURIComponent(url.username)}@`
  const label = `postgres://${role}${host}:${url.port || '5432'}/${database}, schema ${schema}`
  return { connectionString: url.toString(), schema, options, label }
}
