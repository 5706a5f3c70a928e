import { expect, it } from 'vitest'
import { TEXT_LIMIT, trim } from './trim.ts'

it('leaves a short text alone', () => {
  expect(trim('short')).toBe('short')
  expect(trim('x'.repeat(TEXT_LIMIT))).toHaveLength(TEXT_LIMIT)
})

it('keeps the beginning and the end of a long text, cut at lines', () => {
  const text = `${'head\n'.repeat(10)}${'middle line\n'.repeat(100_000)}the final error`
  const kept = trim(text)
  expect(kept.length).toBeLessThanOrEqual(TEXT_LIMIT + 1)
  expect(kept.startsWith('head\nhead')).toBe(true)
  expect(kept.endsWith('\nmiddle line\nthe final error')).toBe(true)
})

it('keeps the end of a text without lines', () => {
  expect(trim(`${'x'.repeat(TEXT_LIMIT * 3)}END`).endsWith('END')).toBe(true)
})
