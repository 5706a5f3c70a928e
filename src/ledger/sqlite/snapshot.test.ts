import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Page } from '../filter.ts'
import type { Operation } from '../operation.ts'
import { openForReading } from './connection.ts'
import { migrate, SCHEMA_VERSION, versionOf } from './migrations.ts'
import { requestHandler } from './reader-requests.ts'
import { readSnapshot } from './snapshot.ts'
import { openLedger, type SqliteLedger } from './sqlite-ledger.ts'

let folder: string
let file: string
let ledger: SqliteLedger
let ids: readonly string[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mulligan-moment-'))
  file = join(folder, 'ledger.db')
  ledger = await openLedger({ file })
  const operations = Array.from({ length: 40 }, () => ({ capability: 'a', params: 1, providers: ['p'] }))
  ids = (await ledger.transaction(writes => writes.insert(operations))).map(({ id }) => id)
})
afterEach(async () => {
  await ledger.close()
  rmSync(folder, { recursive: true })
})

describe('reads that belong together', () => {
  it('see one state of the file; the next reads see what was written meanwhile', async () => {
    const db = openForReading(file)
    const count = () => db.prepare('SELECT count(*) AS n FROM operations').get()?.n
    const raw = await openLedger({ file })
    try {
      const seen = readSnapshot(db, () => {
        const before = count()
        raw.read(other => other.exec('DELETE FROM operations WHERE id = (SELECT max(id) FROM operations)'))
        return [before, count()]
      })
      expect(seen).toEqual([40, 40])
      expect(count()).toBe(39)
      expect(() => readSnapshot(db, () => db.prepare('SELECT nonsense'))).toThrow('nonsense')
      expect(db.isTransaction).toBe(false)
    } finally {
      db.close()
      await raw.close()
    }
  })

  it('count and list every operation once, while operations change between two queries', async () => {
    const other = await openLedger({ file })
    const db = openForReading(file)
    const answer = requestHandler(db)
    let held = 0
    const prepare = db.prepare.bind(db)
    db.prepare = sql => {
      // What another process may do at any moment: hand all due operations to another engine, or get them back.
      const by = held++ % 2 === 0 ? "'engine:x'" : 'NULL'
      other.read(raw => raw.exec(`UPDATE operations SET held_by = ${by}`))
      return prepare(sql)
    }
    try {
      for (let i = 0; i < 4; i++) {
        expect(answer({ what: 'counts', filter: {}, now: 0 })).toMatchObject({ total: 40 })
        const page = answer({
          what: 'list',
          filter: { state: 'scheduled' },
          page: {},
          now: 0,
        }) as Page<Operation>
        expect(page.items.map(({ id }) => id)).toEqual(ids.toReversed())
      }
    } finally {
      db.close()
      await other.close()
    }
  })

  it('recognise a ledger that another process is just creating', async () => {
    const young = join(folder, 'young.db')
    const db = new DatabaseSync(young)
    db.exec('PRAGMA journal_mode = WAL')
    const prepare = db.prepare.bind(db)
    db.prepare = sql => {
      const statement = prepare(sql)
      if (sql !== 'PRAGMA application_id') return statement
      const get = statement.get.bind(statement)
      statement.get = (() => {
        const row = get()
        const other = new DatabaseSync(young)
        migrate(other, young)
        other.close()
        return row
      }) as StatementSync['get']
      return statement
    }
    try {
      expect(versionOf(db, young)).toBe(0)
      expect(versionOf(db, young)).toBe(SCHEMA_VERSION)
    } finally {
      db.close()
    }
  })
})
