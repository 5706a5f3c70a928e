import { expect, it } from 'vitest'
import { onAbort } from './on-abort.ts'

it('calls back when the signal is aborted, and at once if it is already', () => {
  const ending = new AbortController()
  const heard: string[] = []
  onAbort(ending.signal, () => heard.push('later'))
  expect(heard).toEqual([])
  ending.abort()
  onAbort(ending.signal, () => heard.push('at once'))
  expect(heard).toEqual(['later', 'at once'])
})

it('hears no more once it has ended', () => {
  const ending = new AbortController()
  let heard = 0
  const stop = onAbort(ending.signal, () => heard++)
  stop()
  ending.abort()
  expect(heard).toBe(0)
})
