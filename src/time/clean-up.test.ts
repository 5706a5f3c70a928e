import { describe, expect, it } from 'vitest'
import { cleaningUp, quietly } from './clean-up.ts'

const fails = (message: string) => () => {
  throw new Error(message)
}
const rejects = (message: string) => () => Promise.reject(new Error(message))

describe('cleaning up', () => {
  it.each([fails, rejects])('never hides the error of the work', async fail => {
    const work = async () => cleaningUp(fail('the disk is full'), fail('cannot rollback'))
    await expect(work).rejects.toThrow('the disk is full')
  })

  it('tells its own error if the work succeeded, the first of several', async () => {
    const close = cleaningUp(() => Promise.resolve(1), rejects('first'), fails('second'))
    await expect(close).rejects.toThrow('first')
    expect(() => cleaningUp(() => 1, fails('not closed'))).toThrow('not closed')
  })

  it('does every clean-up in order, whatever failed before, and returns what the work returned', async () => {
    const done: string[] = []
    const close = (name: string) => async () => void done.push(name)
    await expect(cleaningUp(rejects('work'), close('a'), rejects('b'), close('c'))).rejects.toThrow('work')
    expect(await cleaningUp(async () => 7, close('d'))).toBe(7)
    expect(cleaningUp(() => 8, close('e'))).toBe(8)
    expect(done).toEqual(['a', 'c', 'd', 'e'])
  })

  it('quietly ignores what it throws', async () => {
    await quietly(fails('a'))
    await quietly(rejects('b'))
  })
})
