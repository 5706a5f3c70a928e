import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toJson } from './json.ts'

describe('any value as JSON', () => {
  it('is unchanged if it is JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(toJson(value)).toEqual(value)
      }),
    )
  })

  it('is valid JSON', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      withNullPrototype: true,
      withObjectString: true,
    })
    fc.assert(
      fc.property(anything, value => {
        const json = toJson(value)
        const text = JSON.stringify(json)
        // JSON itself writes -0 as 0.
        if (json !== undefined) expect(JSON.stringify(JSON.parse(text))).toBe(text)
        else expect(value).toBeUndefined()
      }),
    )
  })

  const circle: Record<string, unknown> = { name: 'a' }
  circle.self = circle
  const shared = { x: 1 }
  class Point {
    x = 1
    get y(): number {
      return 2
    }
  }

  it.each<[string, unknown, unknown]>([
    ['undefined in places', { a: undefined, b: [undefined, 1] }, { b: [null, 1] }],
    ['a bigint', { n: 12n }, { n: { $bigint: '12' } }],
    ['not a number', [Number.NaN, -Infinity], [{ $number: 'NaN' }, { $number: '-Infinity' }]],
    ['a function and a symbol', [() => 1, Symbol('x')], ['[function]', '[symbol]']],
    ['a circle', circle, { name: 'a', self: '[circular]' }],
    ['the same thing twice', [shared, shared], [{ x: 1 }, { x: 1 }]],
    ['dates', [new Date(0), new Date(Number.NaN)], ['1970-01-01T00:00:00.000Z', { $date: 'invalid' }]],
    [
      'a map and a set',
      [new Map([['a', 1n]]), new Set([1])],
      [{ $map: [['a', { $bigint: '1' }]] }, { $set: [1] }],
    ],
    ['bytes', Buffer.from('hi'), { $bytes: 'aGk=' }],
    ['an instance', new Point(), { x: 1 }],
    ['something with toJSON', { toJSON: () => ({ a: 1n }) }, { a: { $bigint: '1' } }],
    [
      'a field that throws',
      {
        get x() {
          throw new Error('no')
        },
      },
      '[unreadable]',
    ],
    ['a revoked proxy', revoked(), '[unreadable]'],
    [
      'an error with a cause',
      Object.assign(new TypeError('bad', { cause: new Error('why') }), { code: 'E' }),
      {
        $error: {
          name: 'TypeError',
          message: 'bad',
          code: 'E',
          cause: { $error: { name: 'Error', message: 'why' } },
        },
      },
    ],
  ])('describes %s', (_what, value, json) => {
    expect(toJson(value)).toEqual(json)
  })

  it('keeps a field called __proto__ a field', () => {
    const json = toJson(JSON.parse('{"__proto__": {"x": 1}}')) as object
    expect(Object.keys(json)).toEqual(['__proto__'])
    expect((json as { x?: unknown }).x).toBeUndefined()
  })

  it('leaves out what is too deep or too much', () => {
    let deep: unknown = 1
    for (let i = 0; i < 10_000; i++) deep = [deep]
    expect(JSON.stringify(toJson(deep))).toContain('[left out')
    let wide: unknown = 1
    for (let i = 0; i < 60; i++) wide = [wide, wide]
    expect(JSON.stringify(toJson(wide))).toContain('[left out')
  })
})

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
