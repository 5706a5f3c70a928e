import { describe, expect, it } from 'vitest'
import { answerOf, resultOf, type Writing } from './writing.ts'

/** Writes `items` one after the other, and returns what each was answered. */
function* all<T, U>(items: readonly T[], write: (item: T) => U | Promise<U>): Writing<U[]> {
  const answers: U[] = []
  for (const item of items) answers.push(yield* answerOf(write(item)))
  return answers
}

describe('the work of a transaction', () => {
  it('is done at once if no answer is a promise', () => {
    expect(resultOf(all([1, 2, 3], n => n * 2))).toEqual([2, 4, 6])
    expect(resultOf(5)).toBe(5)
  })

  it('waits for an answer before the next write', async () => {
    const begun: number[] = []
    const result = resultOf(
      all([1, 2, 3], n => {
        begun.push(n)
        return n === 2 ? Promise.resolve(n * 2) : n * 2
      }),
    )
    expect(begun).toEqual([1, 2])
    expect(await result).toEqual([2, 4, 6])
    expect(begun).toEqual([1, 2, 3])
  })

  it('can contain further work', () => {
    expect(resultOf(answerOf(all([1], n => n + 1)))).toEqual([2])
  })

  it('stops at the first failure, and may handle it', async () => {
    const begun: number[] = []
    const write = (n: number) => {
      begun.push(n)
      return n === 2 ? Promise.reject<number>(new Error('no')) : n
    }
    await expect(resultOf(all([1, 2, 3], write))).rejects.toThrow('no')
    expect(begun).toEqual([1, 2])
    const handled = function* (): Writing<string> {
      try {
        yield* all([2], write)
        return 'written'
      } catch {
        return 'refused'
      }
    }
    expect(await resultOf(handled())).toBe('refused')
  })

  it('can be very long', () => {
    const many = Array.from({ length: 50_000 }, (_, n) => n)
    expect(resultOf(all(many, n => n))).toEqual(many)
  })
})
