import { expect, it } from 'vitest'
import { isLost, ofDriver } from './postgres-error.ts'

const thrown = (code: string) =>
  ofDriver(Promise.reject(Object.assign(new Error(`write ${code}`), { code }))).catch(
    (error: unknown) => error,
  )

it.each([
  ['EPIPE', true],
  ['ECONNRESET', true],
  ['57P01', true],
  ['23505', false],
  ['XX001', false],
])('a connection that fails with %s is lost: %s', async (code, lost) => {
  expect(isLost(await thrown(code))).toBe(lost)
})
