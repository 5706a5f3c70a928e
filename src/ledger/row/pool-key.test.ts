import { expect, it } from 'vitest'
import { poolKey, providersIn } from './pool-key.ts'

it.each([[[]], [['claude']], [['[odd']], [['claude', 'codex']]])('gives back the providers %o', providers => {
  expect(providersIn(poolKey(providers))).toEqual(providers)
})

it('refuses more names than an index can hold, and says how many bytes they take', () => {
  const many = Array.from({ length: 150 }, (_, index) => `provider-${index}`)
  expect(providersIn(poolKey(many.slice(0, 100)))).toHaveLength(100)
  expect(() => poolKey(many)).toThrow(
    /^the names of the 150 providers of an operation take \d+ bytes; at most 2000/,
  )
})
