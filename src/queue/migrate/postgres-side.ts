import type { Failure } from '../../failure/failure.ts'
import { openPostgresLedger, type PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import { type Sql, storable } from '../../ledger/postgres/sql.ts'
import { lexemes } from '../../ledger/postgres/words.ts'
import { searchable } from '../../ledger/row/failed-attempt.ts'
import { readJson } from '../../ledger/row/rows.ts'
import { type FrozenTables, freezeTables } from './frozen-tables.ts'
import { refuseRunners } from './refuse-runners.ts'
import { behind, MARK, MOVED, type Row, type Side, TABLES } from './table.ts'

/** How many attempts are indexed for text search in one transaction. */
const STEP = 500

/** A ledger on a server, created if missing. */
export async function postgresSide(address: string): Promise<Side & { ledger: PostgresLedger }> {
  const ledger = await openPostgresLedger({ database: address })
  const { database } = ledger
  let frozen: FrozenTables | undefined
  return {
    ledger,
    place: ledger.place.label,
    freeze: async () => {
      frozen = await freezeTables(ledger)
      await refuseRunners(ledger, ledger.place.label)
    },
    setMoved: async to => frozen?.setMoved(to),
    read: (table, after, limit) => {
      const where = [
        ...(after
          ? [
              behind(
                table.key,
                after.map((_, place) => `$${place + 1}`),
              ),
            ]
          : []),
        ...(table.name === 'settings' ? [`name NOT IN ('${MARK}', '${MOVED}')`] : []),
      ]
      return database.read(sql =>
        sql.rows<Row>(
          `SELECT * FROM ${table.name} WHERE ${where.join(' AND ') || 'TRUE'} ORDER BY ${table.key.join(', ')} LIMIT ${limit}`,
          after ?? [],
        ),
      )
    },
    last: async ({ name, key }) => {
      if (key.length > 1 || key[0] !== 'id') return undefined
      const row = await database.read(sql =>
        sql.row<{ id: number | null }>(`SELECT max(id) AS id FROM ${name}`),
      )
      return row?.id ?? undefined
    },
    write: async ({ name }, rows) => {
      const columns = Object.keys(rows[0] as Row).join(', ')
      await database.transaction(sql =>
        sql.run(
          `INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns}
           FROM json_populate_recordset(NULL::${name}, $1::text::json) ON CONFLICT DO NOTHING`,
          [JSON.stringify(rows.map(withoutNul))],
        ),
      )
    },
    finish: async () => {
      await database.transaction(continueNumbers)
      for (let last = 0, found = STEP; found === STEP; )
        found = await database.transaction(async sql => {
          const rows = await sql.rows<{ id: number; failure: string }>(
            `SELECT id, failure FROM attempts WHERE failure IS NOT NULL AND id > $1 ORDER BY id LIMIT ${STEP}`,
            [last],
          )
          for (const { id, failure } of rows)
            await sql.run(
              `INSERT INTO failure_texts (attempt, words) VALUES ($1, array_to_tsvector($2::text[]))
               ON CONFLICT (attempt) DO UPDATE SET words = excluded.words`,
              [id, lexemes(searchable(readJson<Failure>(failure) as Failure))],
            )
          last = rows.at(-1)?.id ?? last
          return rows.length
        })
    },
    check: async () => (await ledger.check()).map(({ rule, message }) => `${rule}: ${message}`),
    mark: async () => (await ledger.setting(MARK)) as string | undefined,
    setMark: from => ledger.setSetting(MARK, from),
    close: async () => {
      await frozen?.close()
      await ledger.close()
    },
  }
}

/** Done here, because in JSON a NUL is escaped and passes the check of the connection. */
function withoutNul(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, storable(value) as Row[string]]),
  )
}

/** Makes the next number higher than all that were moved. */
async function continueNumbers(sql: Sql): Promise<void> {
  await sql.exec(`SELECT setval('numbers', greatest(1, (SELECT coalesce(max(id), 0) FROM operations),
      (SELECT coalesce(max(id), 0) FROM events)));
    SELECT setval('changes', greatest(1, (SELECT coalesce(max(change), 0) FROM provider_state)))`)
  const identities = await sql.rows<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = current_schema AND is_identity = 'YES'`,
  )
  const known = new Set(TABLES.map(({ name }) => name))
  for (const { name } of identities)
    if (known.has(name))
      await sql.exec(
        `SELECT setval(pg_get_serial_sequence('${name}', 'id'), greatest(1, (SELECT coalesce(max(id), 0) FROM ${name})))`,
      )
}
