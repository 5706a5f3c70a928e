import { expect } from 'vitest'
import { hasPostgres, testSchema } from '../../test/ledger/postgres/schema.ts'

/** Long enough for a busy machine; an idle one does not wait this long. */
export const PATIENCE_MS = 30_000

export const soon = <T>(look: () => T) => expect.poll(look, { timeout: PATIENCE_MS })

/** A database that a dashboard under test runs on. */
interface Database {
  name: string
  url?: string
}

const SQLITE: Database = { name: 'SQLite' }

/**
 * The databases of views that both show alike: PostgreSQL if there is one, because the API is tested on SQLite beside its
 * routes, and other views are tested on SQLite. With FC_PARTS, both.
 */
export const DATABASES: readonly Database[] = hasPostgres
  ? [{ name: 'PostgreSQL', url: testSchema().url }, ...(process.env.FC_PARTS === undefined ? [] : [SQLITE])]
  : [SQLITE]
