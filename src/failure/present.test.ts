import fc from 'fast-check'
import { expect, it } from 'vitest'
import { present } from './present.ts'

it('keeps every field that is not undefined, in its order', () => {
  const values = fc.oneof(fc.constantFrom(undefined, null, 0, '', false), fc.string())
  fc.assert(
    fc.property(fc.dictionary(fc.string(), values), fields => {
      const kept = Object.entries(fields).filter(([, value]) => value !== undefined)
      expect(Object.entries(present(fields))).toEqual(kept.filter(([name]) => name !== '__proto__'))
    }),
  )
})

it('has types that tell absent from undefined', () => {
  const limit: number | undefined = undefined
  const page: { name: string; limit?: number } = present({ name: 'a', limit: limit as number | undefined })
  expect(Object.keys(page)).toEqual(['name'])
})
