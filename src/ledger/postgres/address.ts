import { nearest } from '../../option/nearest.ts'
import { LedgerError } from '../error.ts'
import { TLS_NAMES, type Tls, takeTls } from './tls.ts'

/** Where a ledger on PostgreSQL is. */
export interface PostgresAddress {
  /** The address for the driver; may contain a password. */
  connectionString: string
  /** How the connection is encrypted. */
  tls: Tls
  /** Name of the schema that holds the ledger. */
  schema: string
  /** Settings for each connection from the address, as `options` of libpq; empty for none. */
  options: string
  /** For people: role, host, port, database and schema, without a password. */
  label: string
  /** For programs that open the ledger too: the whole address with its schema, without a password. */
  address: string
}

/** Schema of the ledger if the address names none. */
export const SCHEMA_DEFAULT = 'mulligan'
/** PostgreSQL cuts long names, and the engine appends to this one. */
const LONGEST_SCHEMA = 50

/** Whether a text is the address of a PostgreSQL server. */
export function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//i.test(text)
}

/** As libpq accepts them. */
const SEVERAL_HOSTS = /^postgres(ql)?:\/\/[^/?#]*,/i

/** The parameters of an address that are ours. */
const OURS = ['schema', 'options', ...TLS_NAMES]
/** Those of the driver that look like one of ours. */
const DRIVERS: ReadonlySet<string> = new Set(['ssl', 'sslnegotiation'])

/** Unknown names are ignored: the ledger would end up in the wrong schema, or be read without encryption. */
function refuseMistyped(params: URLSearchParams): void {
  for (const name of params.keys()) {
    if (OURS.includes(name) || DRIVERS.has(name)) continue
    const meant = nearest(name, OURS)
    if (meant === undefined) continue
    const [given, right] = [JSON.stringify(name), JSON.stringify(meant)]
    throw new LedgerError('invalid', `the address of the database has ${given}; did you mean ${right}?`)
  }
}

/** Reads an address such as `postgres://role:password@host:5432/database?schema=mulligan&sslmode=verify-full`. */
export function addressOf(address: string, schemaGiven?: string): PostgresAddress {
  let url: URL
  try {
    url = new URL(address)
  } catch {
    // The text itself may contain a password.
    if (SEVERAL_HOSTS.test(address))
      throw new LedgerError(
        'invalid',
        'the address of the database names several hosts: use one that follows the server in charge, such as a virtual address, a DNS name or a proxy',
      )
    throw new LedgerError(
      'invalid',
      'the address of the database cannot be read: use postgres://ROLE@HOST:PORT/DATABASE, with special characters of a password as %XX',
    )
  }
  if (!isPostgresUrl(address))
    throw new LedgerError(
      'invalid',
      `the address of the database begins with ${url.protocol}//: use postgres://ROLE@HOST:PORT/DATABASE`,
    )
  refuseMistyped(url.searchParams)
  const schema = schemaGiven ?? url.searchParams.get('schema') ?? SCHEMA_DEFAULT
  const options = url.searchParams.get('options') ?? ''
  url.searchParams.delete('schema')
  url.searchParams.delete('options')
  if (!/^[a-z_][a-z0-9_]*$/.test(schema) || schema.length > LONGEST_SCHEMA || schema.startsWith('pg_'))
    throw new LedgerError(
      'invalid',
      `schema ${JSON.stringify(schema)}: use at most ${LONGEST_SCHEMA} lower-case letters, digits and _, not beginning with a digit or pg_`,
    )
  const shown = new URL(address)
  shown.password = ''
  shown.searchParams.delete('password')
  shown.searchParams.set('schema', schema)
  const host = url.searchParams.get('host') ?? (url.hostname || 'localhost')
  const database = decodeURIComponent(url.pathname.slice(1))
  if (database === '')
    throw new LedgerError(
      'invalid',
      `the address of the database on ${host} names no database: use postgres://ROLE@HOST:PORT/DATABASE`,
    )
  const role = url.username === '' ? '' : `${decodeURIComponent(url.username)}@`
  const label = `postgres://${role}${host}:${url.port || '5432'}/${database}, schema ${schema}`
  const tls = takeTls(url)
  return { connectionString: url.toString(), tls, schema, options, label, address: shown.href }
}
