import { expect, it } from 'vitest'
import { sizeInWords } from './size-words.ts'

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [12_345, '12.3 kB'],
  [99_960, '100 kB'],
  [999_600, '1.0 MB'],
  [2_147_483_648, '2.1 GB'],
  [5e15, '5000 TB'],
])('%d bytes are %s', (bytes, words) => {
  expect(sizeInWords(bytes)).toBe(words)
})
