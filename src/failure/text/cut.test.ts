import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'
import { TEXT_LIMIT, trim } from './cut.ts'

const HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

describe('what is kept of a failure', () => {
  it.each([0, 1, 2, 3])('never begins or ends with half a character, shifted by %i', shift => {
    const text = `${'x'.repeat(shift)} rate limit exceeded ${'😀'.repeat(60_000)} too many requests ${'😀'.repeat(60_000)}`
    const failure = classify(new Error(text))
    for (const part of [failure?.text, failure?.message, failure?.evidence.excerpt])
      expect(HALF.test(part as string)).toBe(false)
  })
})

describe('trimming', () => {
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
})
