import { expect, it } from 'vitest'
import { z } from 'zod'
import { checked } from './request-values.ts'
import { teaching } from './unknown-schemas.ts'
import { instant, name } from './value-schemas.ts'

const schema = z.strictObject({
  limit: z.int().min(1).max(1000).optional(),
  name: name.optional(),
  list: z.array(z.string()).min(1).max(2).optional(),
  at: instant.optional(),
  flag: z.boolean().optional(),
  state: z.enum(['dead', 'parked']).optional(),
})

it.each([
  [schema, { limit: 0 }, 'body.limit: must be at least 1'],
  [schema, { limit: 1001 }, 'body.limit: must be at most 1000'],
  [schema, { limit: 1.5 }, 'body.limit: must be a whole number'],
  [schema, { limit: '5' }, 'body.limit: must be a number, not a string'],
  [schema, { limit: null }, 'body.limit: must be a number, not null'],
  [schema, { name: '' }, 'body.name: must have at least 1 character'],
  [schema, { name: 'x'.repeat(201) }, 'body.name: must have at most 200 characters'],
  [schema, { list: [] }, 'body.list: must have at least 1 entry'],
  [schema, { list: ['a', 'b', 'c'] }, 'body.list: must have at most 2 entries'],
  [schema, { list: {} }, 'body.list: must be a list, not an object'],
  [schema, { at: 'soon' }, 'body.at: must be a time such as 2026-11-15T20:00:00Z'],
  [schema, { flag: 1 }, 'body.flag: must be true or false, not a number'],
  [schema, { state: 'daed' }, 'body.state: has an unknown value; did you mean dead? one of: dead, parked'],
  [schema, { state: { toString: 0 } }, 'body.state: has an unknown value; one of: dead, parked'],
  [schema, { state: 'nothing like it' }, 'body.state: has an unknown value; one of: dead, parked'],
  [schema, [], 'body: must be an object, not a list'],
  [schema, { lmit: 1 }, 'body.lmit: unknown name; did you mean limit?'],
  [teaching, {}, 'body.class: is missing; one of: throttle'],
  [teaching, { class: 'flake' }, 'body.class: has an unknown value; did you mean transient?'],
  [teaching, { class: 'throttle', kind: 'qouta' }, 'body.kind: has an unknown value; did you mean quota?'],
  [teaching, { class: 'throttle', pattern: 5 }, 'body.pattern: matches none of the allowed forms'],
])('says what would be right: %#', (of, value, words) => {
  expect(() => checked('body', value, of)).toThrow(words)
})
