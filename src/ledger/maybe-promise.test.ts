import { describe, expect, it } from 'vitest'
import { inOrder, whenThere } from './maybe-promise.ts'

describe('steps that answer at once or later', () => {
  it('are all taken at once where nothing has to be waited for', () => {
    expect(inOrder([1, 2, 3], n => n * 2)).toEqual([2, 4, 6])
    expect(whenThere(1, n => n + 1)).toBe(2)
  })

  it('wait for the one before where that answers later', async () => {
    const begun: number[] = []
    const step = (n: number) => {
      begun.push(n)
      return n === 2 ? Promise.resolve(n * 2) : n * 2
    }
    const answers = inOrder([1, 2, 3], step)
    expect(begun).toEqual([1, 2])
    expect(await answers).toEqual([2, 4, 6])
    expect(begun).toEqual([1, 2, 3])
    expect(await whenThere(Promise.resolve(1), n => n + 1)).toBe(2)
  })

  it('end at the first that fails', async () => {
    const begun: number[] = []
    const step = (n: number) => {
      begun.push(n)
      return n === 2 ? Promise.reject(new Error('no')) : n
    }
    await expect(inOrder([1, 2, 3], step)).rejects.toThrow('no')
    expect(begun).toEqual([1, 2])
  })

  it('may be very many', () => {
    const many = Array.from({ length: 50_000 }, (_, n) => n)
    expect(inOrder(many, n => n)).toEqual(many)
  })
})
