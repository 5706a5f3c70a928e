import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openLedger } from '../src/ledger/sqlite/sqlite-ledger.ts'
import { sqliteSide } from '../src/queue/migrate/sqlite-side.ts'
import { TABLES } from '../src/queue/migrate/table.ts'
import { Receiver } from './receiver.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mulligan-rollback-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** As on a full disk: the write fails, and SQLite has rolled back by itself. */
function fill(file: string, table: string): void {
  const db = new DatabaseSync(file)
  db.exec(
    `CREATE TRIGGER full BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ROLLBACK, 'the disk is full'); END`,
  )
  db.close()
}

it('a receiver whose write made SQLite roll back reports that error', () => {
  const file = join(folder, 'receiver.db')
  const receiver = new Receiver(file)
  fill(file, 'effects')
  expect(() => receiver.take('a', 1)).toThrow('the disk is full')
  expect(receiver.has('a', 1)).toBe(false)
  receiver.close()
})

it('moving a ledger whose write made SQLite roll back reports that error', async () => {
  const file = join(folder, 'ledger.db')
  await (await openLedger({ file })).close()
  fill(file, 'cursors')
  const side = await sqliteSide(file)
  const table = TABLES.find(({ name }) => name === 'cursors')
  if (!table) throw new Error('there is no table of cursors')
  await expect(side.write(table, [{ consumer: 'x', event: 1 }] as never)).rejects.toThrow('the disk is full')
  await side.close()
})
