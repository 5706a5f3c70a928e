import { expect, it } from 'vitest'
import { durationInWords } from './duration-words.ts'

it.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [1_000, '1 s'],
  [7_540, '7.5 s'],
  [59_999, '60 s'],
  [60_000, '1 min'],
  [61_000, '1 min 1 s'],
  [119_999, '1 min 59 s'],
  [3_600_000, '1 h'],
  [5_400_000, '1 h 30 min'],
  [3_659_000, '1 h'],
  [86_400_000, '1 d'],
  [187_200_000, '2 d 4 h'],
])('%d ms read %s', (ms, words) => {
  expect(durationInWords(ms)).toBe(words)
})
