import type { Failure } from '../../failure/failure.ts'
import { searchable } from '../../ledger/row/failed-attempt.ts'
import { readJson } from '../../ledger/row/rows.ts'
import { checkFile } from '../../ledger/sqlite/check-file.ts'
import { DatabaseSync } from '../../ledger/sqlite/node-sqlite.ts'
import { rollBack } from '../../ledger/sqlite/snapshot.ts'
import { openLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import { behind, MARK, MOVED, type Row, type Side, type Table } from './table.ts'

/** SQLite stores leases in a table of their own. */
const OPERATIONS = `(SELECT o.*, l.runner, l.expires_at AS lease_until, l.length_ms AS lease_ms, l.renewals FROM operations o
  LEFT JOIN leases l ON l.operation = o.id AND l.run = o.run)`
const LEASE_COLUMNS = ['runner', 'lease_until', 'lease_ms', 'renewals']

/** A ledger in a file, created if missing. Nothing else may use it meanwhile. */
export async function sqliteSide(file: string): Promise<Side> {
  await (await openLedger({ file })).close()
  const db = new DatabaseSync(file, { timeout: 10_000 })
  let isFrozen = false
  const within = (work: () => void) => {
    db.exec('BEGIN IMMEDIATE')
    try {
      work()
      db.exec('COMMIT')
    } catch (error) {
      rollBack(db)
      throw error
    }
  }
  const insert = (name: string, rows: readonly Row[]) => {
    for (const row of rows) {
      const columns = Object.keys(row)
      db.prepare(
        `INSERT OR IGNORE INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      ).run(...(Object.values(row) as (string | number | null)[]))
    }
  }
  return {
    place: file,
    freeze: async () => {
      db.exec('BEGIN IMMEDIATE')
      isFrozen = true
    },
    setMoved: async to => {
      db.prepare('INSERT OR REPLACE INTO settings VALUES (?, ?)').run(MOVED, JSON.stringify(to))
      db.exec('COMMIT')
      isFrozen = false
    },
    read: async (table, after, limit) => {
      const from = table.name === 'operations' ? OPERATIONS : table.name
      const where = [
        ...(after
          ? [
              behind(
                table.key,
                table.key.map(() => '?'),
              ),
            ]
          : []),
        ...(table.name === 'settings' ? [`name NOT IN ('${MARK}', '${MOVED}')`] : []),
      ]
      const rows = db
        .prepare(
          `SELECT * FROM ${from} WHERE ${where.join(' AND ') || 'TRUE'} ORDER BY ${table.key.join(', ')} LIMIT ${limit}`,
        )
        .all(...(after ?? []))
      return rows.map(row => ({ ...row })) as unknown as Row[]
    },
    last: async table => lastOf(db, table),
    write: async (table, rows) =>
      within(() => {
        if (table.name !== 'operations') insert(table.name, rows)
        else {
          insert(
            'operations',
            rows.map(row =>
              Object.fromEntries(Object.entries(row).filter(([name]) => !LEASE_COLUMNS.includes(name))),
            ),
          )
          insert('leases', rows.filter(({ lease_until }) => lease_until !== null).map(leaseOf))
        }
      }),
    finish: async () =>
      within(() => {
        db.exec(`DELETE FROM failure_texts; DELETE FROM clock_jumps;
          INSERT INTO clock_jumps SELECT id FROM (SELECT id, created_at, lag(created_at) OVER (ORDER BY id) AS before
            FROM operations) WHERE created_at < before`)
        const text = db.prepare('INSERT INTO failure_texts (rowid, text) VALUES (?, ?)')
        for (const { id, failure } of db
          .prepare('SELECT id, failure FROM attempts WHERE failure IS NOT NULL')
          .iterate() as Iterable<{ id: number; failure: string }>)
          text.run(id, searchable(readJson<Failure>(failure) as Failure))
      }),
    check: async () => checkFile(file).findings.map(({ rule, message }) => `${rule}: ${message}`),
    mark: async () => {
      const row = db.prepare('SELECT value FROM settings WHERE name = ?').get(MARK)
      return row && (JSON.parse(row.value as string) as string)
    },
    setMark: async from => {
      if (from === undefined) db.prepare('DELETE FROM settings WHERE name = ?').run(MARK)
      else db.prepare('INSERT OR REPLACE INTO settings VALUES (?, ?)').run(MARK, JSON.stringify(from))
    },
    close: async () => {
      if (isFrozen) rollBack(db)
      db.close()
    },
  }
}

function leaseOf(row: Row): Row {
  const { id, run, runner, capability, provider, lease_until, lease_ms, renewals } = row
  return {
    operation: id as number,
    run: run as number,
    runner: runner ?? '',
    capability: capability as string,
    provider: provider as string,
    expires_at: lease_until as number,
    length_ms: lease_ms as number,
    renewals: renewals ?? 0,
  }
}

function lastOf(db: DatabaseSync, { name, key }: Table): number | undefined {
  if (key.length > 1 || key[0] !== 'id') return undefined
  return (db.prepare(`SELECT max(id) AS id FROM ${name}`).get() as { id: number | null }).id ?? undefined
}
