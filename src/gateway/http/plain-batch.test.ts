import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainBatch } from './plain-batch.ts'
import { batchBody } from './routes/submissions.ts'

const text = (longest: number) =>
  fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom('x'.repeat(longest), 'x'.repeat(longest + 1), '€'.repeat(longest), '😀'.repeat(longest)),
  )
const time = fc.oneof(
  fc.date({ noInvalidDate: true }).map(date => date.toISOString()),
  fc.constantFrom(
    '2099-01-01T00:00:00Z',
    '2099-01-01T00:00:00+02:00',
    '2099-02-30T00:00:00Z',
    '2099-01-01',
    '2099-01-01T00:00:00',
    'soon',
  ),
)
const priority = fc.oneof(fc.integer({ min: -12, max: 12 }), fc.double(), fc.constant(-0))
/** A value of the right kind, or of any other. */
const or = (right: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: fc.jsonValue() })
const entry = fc.record(
  {
    capability: or(text(200)),
    params: or(fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue(), { maxKeys: 3 })),
    at: or(time),
    key: or(text(500)),
    session: or(text(500)),
    priority: or(priority),
  },
  { requiredKeys: ['capability'] },
)
const plain = fc.record(
  {
    capability: fc.string({ minLength: 1, maxLength: 200 }),
    params: fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue(), { maxKeys: 3 }),
    at: fc.constantFrom('2099-01-01T00:00:00Z', '2099-01-01T00:00:00.5+02:00'),
    key: fc.string({ minLength: 1, maxLength: 500 }),
    session: fc.string({ minLength: 1, maxLength: 500 }),
    priority: fc.integer({ min: -10, max: 10 }),
  },
  { requiredKeys: ['capability'] },
)
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null')

describe('a plain batch', () => {
  it('is read as the schema reads it, and whatever the schema refuses is left to it', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 3 }).map(asJson), operations => {
        const [read, expected] = [plainBatch({ operations }), batchBody.safeParse({ operations })]
        if (read) expect(read).toEqual(expected.data)
        if (!expected.success) expect(read).toBeUndefined()
      }),
    )
  })

  it('never needs the schema', () => {
    fc.assert(
      fc.property(fc.array(plain, { minLength: 1, maxLength: 3 }), operations => {
        expect(plainBatch({ operations })).toEqual(batchBody.parse({ operations }))
      }),
    )
  })

  it.each([
    ['no list', {}],
    ['null', null],
    ['a list instead of an object', [{ capability: 'a' }]],
    ['no operation', { operations: [] }],
    ['too many operations', { operations: Array(1001).fill({ capability: 'a' }) }],
    ['another name beside the list', { operations: [{ capability: 'a' }], all: true }],
    ['an entry without a capability', { operations: [{ params: {} }] }],
    ['an entry that is a list', { operations: [['capability']] }],
    ['an unknown name', { operations: [{ capability: 'a', prioritty: 1 }] }],
    ['a name of every object', { operations: [{ capability: 'a', constructor: 1 }] }],
    ['a prototype as a name', JSON.parse('{"operations":[{"capability":"a","__proto__":{"at":"x"}}]}')],
    ['a list as parameters', { operations: [{ capability: 'a', params: [] }] }],
    ['null as parameters', { operations: [{ capability: 'a', params: null }] }],
  ])('with a mistake (%s) is refused by the schema, which explains it', (_, body) => {
    expect(plainBatch(body)).toBeUndefined()
    expect(batchBody.safeParse(body).success).toBe(false)
  })

  it('with a rare field is read by the schema', () => {
    const body = { operations: [{ capability: 'a', max_retries: 1 }] }
    expect(plainBatch(body)).toBeUndefined()
    expect(batchBody.safeParse(body).success).toBe(true)
  })
})
