import { expect, it } from 'vitest'
import { authorInWords } from './author-words.ts'

it.each([
  ['anna', 'by anna'],
  ['http', 'over HTTP'],
  ['dashboard', 'in the dashboard'],
])('what %s did is done %s', (by, words) => {
  expect(authorInWords(by)).toBe(words)
})
