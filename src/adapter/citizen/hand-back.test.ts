import { expect, it } from 'vitest'
import { readRecord, startNumber } from '../job/record.ts'
import { jobOf } from './hand-back.ts'

const operation = {
  id: 'op_1',
  capability: 'engine:mine/q',
  params: { prompt: 'hi' },
  attempts: 3,
  context: { job_id: '7' },
} as never

it('data that a person changed keeps the starts before the job was added again', () => {
  const stored = { prompt: 'hello', mulligan: { starts: 5, starts_before: 4 } }
  const data = jobOf(operation, [], undefined).data(stored)
  expect(data).toMatchObject({ prompt: 'hi' })
  expect(readRecord(data)).toMatchObject({ startsBefore: 4, tries: 3, operation: 'op_1' })
  // The engine counts from 1 again, the ledger goes on.
  expect(startNumber(data, 2)).toBe(6)
})
