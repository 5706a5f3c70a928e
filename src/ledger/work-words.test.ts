import { expect, it } from 'vitest'
import { holdInWords } from './hold-words.ts'
import { workInWords } from './work-words.ts'

it.each([
  ['review', 'review'],
  ['engine:bullmq/reviews', 'reviews (BullMQ)'],
  ['engine:pg-boss/a/b', 'a/b (pg-boss)'],
  ['engine:bullmq', 'BullMQ'],
])('calls the work of %s %s', (capability, words) => {
  expect(workInWords(capability)).toBe(words)
})

it('says which engine has a job, as the engine spells itself', () => {
  expect(holdInWords('engine:bullmq')).toBe('BullMQ has it')
})
