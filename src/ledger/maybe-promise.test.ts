import { describe, expect, it } from 'vitest'
import { inOrder, whenThere } from './maybe-promise.ts'

describe('steps with synchronous or asynchronous results', () => {
  it('all run synchronously if none returns a promise', () => {
    expect(inOrder([1, 2, 3], n => n * 2)).toEqual([2, 4, 6])
    expect(whenThere(1, n => n + 1)).toBe(2)
  })

  it('wait for the previous step if it returns a promise', async () => {
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

  it('stop at the first failure', async () => {
    const begun: number[] = []
    const step = (n: number) => {
      begun.push(n)
      return n === 2 ? Promise.reject(new Error('no')) : n
    }
    await expect(inOrder([1, 2, 3], step)).rejects.toThrow('no')
    expect(begun).toEqual([1, 2])
  })

  it('can be very many', () => {
    const many = Array.from({ length: 50_000 }, (_, n) => n)
    expect(inOrder(many, n => n)).toEqual(many)
  })
})
