import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

const HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

describe('what is kept of a failure', () => {
  it.each([0, 1, 2, 3])('never begins or ends with half a character, shifted by %i', shift => {
    const text = `${'x'.repeat(shift)} rate limit exceeded ${'😀'.repeat(60_000)} too many requests ${'😀'.repeat(60_000)}`
    const failure = classify(new Error(text))
    for (const part of [failure?.text, failure?.message, failure?.evidence.excerpt])
      expect(HALF.test(part as string)).toBe(false)
  })
})
