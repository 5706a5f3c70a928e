import { afterAll, beforeAll, expect, it } from 'vitest'
import { TestApi } from '../../../test/gateway/http/api.ts'
import { changeInOneLine, changeInWords } from './change-words.ts'

let api: TestApi
beforeAll(async () => {
  api = await TestApi.start({ capabilities: [] })
})
afterAll(() => api.close())

it('has words for every request that changes something', () => {
  const changing = api.gateway.routes.filter(({ demand }) => demand === 'change' || demand === 'submit')
  expect(changing.length).toBeGreaterThan(30)
  expect(changing.map(({ id }) => id).filter(id => changeInWords(id) === id)).toEqual([])
})

it('says what was done to what, and leaves the names of commands alone', () => {
  expect(changeInOneLine('retryOperation', 'op_7')).toBe('retried op_7')
  expect(changeInOneLine('pauseQueue')).toBe('paused the queue')
  expect(changeInOneLine('pauseQueue', 'draft')).toBe('paused draft')
  expect(changeInOneLine('ops retry', 'op_7')).toBe('ops retry op_7')
})
