import { expect, it } from 'vitest'
import { memoryLedger } from '../../testing/memory-ledger.ts'
import { OPERATION_COLUMNS, rowOf } from './operation-row.ts'

it('a row read as an array has every column of the table under its name', async () => {
  const names = OPERATION_COLUMNS.split(/,\s*/)
  expect(rowOf(names)).toEqual(Object.fromEntries(names.map(name => [name, name])))
  const ledger = await memoryLedger()
  const columns = ledger.read(db => db.prepare('PRAGMA table_info(operations)').all())
  expect(names.toSorted()).toEqual(columns.map(({ name }) => name as string).toSorted())
  await ledger.close()
})
