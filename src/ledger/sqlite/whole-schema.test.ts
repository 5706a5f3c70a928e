import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { wholeSchema } from '../../../scripts/built-modules.ts'
import { migrate, takeSteps } from './migrations.ts'
import { WHOLE_SCHEMA } from './whole-schema.ts'

/** All that a database has: its tables and indexes as they were written, and how many rows each table has. */
function contentOf(make: (db: DatabaseSync) => void): unknown[] {
  const db = new DatabaseSync(':memory:')
  make(db)
  const content = db
    .prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name')
    .all()
    .map(made => ({
      ...made,
      rows: made.type === 'table' && db.prepare(`SELECT count(*) AS rows FROM "${made.name}"`).get()?.rows,
    }))
  db.close()
  return content
}

it('the schema that the build makes is the one that all steps make', () => {
  const stepwise = contentOf(db => takeSteps(db, 0))
  expect(stepwise.length).toBeGreaterThan(50)
  expect(contentOf(db => db.exec(wholeSchema()))).toEqual(stepwise)
})

it('a new ledger is made by it', () => {
  expect(WHOLE_SCHEMA).toBe(wholeSchema())
  expect(contentOf(db => migrate(db, ':memory:'))).toEqual(contentOf(db => takeSteps(db, 0)))
})
