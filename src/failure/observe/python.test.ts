import fc from 'fast-check'
import { expect, it } from 'vitest'
import { classify } from '../classify.ts'
import { findJson } from './json.ts'

/** As Python prints it. */
function printed(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string')
    return value.includes("'") && !value.includes('"') ? `"${value}"` : `'${value.replaceAll("'", "\\'")}'`
  if (Array.isArray(value)) return `[${value.map(printed).join(', ')}]`
  return `{${Object.entries(value as object)
    .map(([key, content]) => `${printed(key)}: ${printed(content)}`)
    .join(', ')}}`
}

const words = fc.stringMatching(/^[a-zA-Z' {}:,]{0,20}$/)
const leaf = fc.oneof(words, fc.integer(), fc.boolean(), fc.constant(null))
const dictionary = fc.dictionary(fc.stringMatching(/^[a-z_]{1,10}$/), fc.oneof(leaf, fc.array(leaf)), {
  minKeys: 1,
})

it('reads dictionaries as Python prints them, wherever they stand in a text', () => {
  fc.assert(
    fc.property(dictionary, value => {
      expect(findJson(`Error code: 400 - ${printed(value)} (see above)`)).toEqual([{ ...value }])
    }),
  )
})

it('finds the cause that an SDK in Python passed on', () => {
  const replica =
    "not primary, full error: {'ok': 0.0, 'errmsg': 'x', 'code': 10107, 'codeName': 'NotWritablePrimary'}"
  expect(classify(new Error(replica))?.class).toBe('transient')
  const money = "Error code: 500 - {'error': {'code': 'insufficient_quota', 'message': None}}"
  expect(classify(new Error(money))?.kind).toBe('billing')
  const wait = "failed: [{'error': 'the model is currently loading', 'estimated_time': 20.0}]"
  expect(classify(new Error(wait))?.retryAfterMs).toBe(20_000)
})

it('stops at a quote that nobody closes', () => {
  expect(findJson(`{'a${"'b".repeat(10_000)}`)).toEqual([])
})
