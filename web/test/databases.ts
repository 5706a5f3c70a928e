import { expect } from 'vitest'
import { hasPostgres, testSchema } from '../../test/ledger/postgres/schema.ts'

/** Long enough for a busy machine; an idle one does not wait this long. */
export const PATIENCE_MS = 30_000

export const soon = <T>(look: () => T) => expect.poll(look, { timeout: PATIENCE_MS })

/** The databases that a daemon is tested on: a URL for PostgreSQL, none for SQLite. */
export function databases(): { database: string; url: string | undefined }[] {
  return [
    { database: 'SQLite', url: undefined },
    ...(hasPostgres ? [{ database: 'PostgreSQL', url: testSchema().url }] : []),
  ]
}
