import { expect, it } from 'vitest'
import { handleRejection, notify } from './listener.ts'

it('gives the event to the listener', () => {
  const heard: number[] = []
  notify(event => heard.push(event), 7)
  expect(heard).toEqual([7])
})

it('does nothing without a listener', () => {
  expect(() => notify(undefined, 7)).not.toThrow()
})

it('ignores what a listener throws', () => {
  expect(() =>
    notify(() => {
      throw new Error('mine')
    }, 7),
  ).not.toThrow()
})

it('handles the rejection of an async listener, which would otherwise end the process', async () => {
  const unhandled: unknown[] = []
  const listen = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', listen)
  try {
    notify(async () => {
      throw new Error('later')
    }, 7)
    handleRejection(Promise.reject(new Error('an async policy')))
    await new Promise(resolve => setImmediate(resolve))
    expect(unhandled).toEqual([])
  } finally {
    process.off('unhandledRejection', listen)
  }
})

it('ignores anything that is not a promise', () => {
  expect(() => handleRejection({ catch: undefined })).not.toThrow()
})
