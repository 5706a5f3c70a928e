import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { topFieldsOf } from './top-fields.ts'

const NAMES = new Set(['model', 'stream', 'metadata', 'store'])
const read = (text: string) => topFieldsOf(Buffer.from(text), NAMES)?.values

describe('fields of a body', () => {
  it('are those that JSON.parse finds, whatever is around them and however it is written', () => {
    const body = fc.tuple(
      fc.dictionary(fc.oneof(fc.string(), fc.constantFrom(...NAMES)), fc.jsonValue()),
      fc.nat(4),
    )
    fc.assert(
      fc.property(body, ([given, indent]) => {
        const text = JSON.stringify(given, undefined, indent)
        const expected = Object.entries(JSON.parse(text) as object).filter(([name]) => NAMES.has(name))
        expect(read(text)).toEqual(Object.fromEntries(expected))
      }),
    )
  })

  it('are found behind texts that hold quotes, brackets and backslashes', () => {
    expect(read(String.raw`{"messages":["a\"}]","\\","\\\"{"],"model":"é\"x","n":-1.5e3}`)).toEqual({
      model: 'é"x',
    })
  })

  it('are found behind long texts, wherever a quote or a backslash stands in them', () => {
    for (let plain = 100; plain < 300; plain++) {
      const text = `${'x'.repeat(plain)}\\\\"\\${'y'.repeat(plain)}"`
      expect(read(JSON.stringify({ text, model: plain }))).toEqual({ model: plain })
    }
  })

  it('count as often as they are there, the last by its value', () => {
    const fields = topFieldsOf(Buffer.from('{"model":"a","mod\\u0065l": "b" }'), NAMES)
    expect(fields?.values).toEqual({ model: 'b' })
    expect(fields?.spans.model).toHaveLength(2)
  })

  it.each([
    '',
    '[]',
    'null',
    '"model"',
    '{',
    '{"model":"a"',
    '{"model":}',
    '{"model":tru}',
    '{"model" "a"}',
    '{"a":1}}',
    '{"a":[1}',
    '{"a":"',
    '{a:1}',
    '{"a":1,}',
  ])('are none in %j, which is no object', text => {
    expect(read(text)).toBeUndefined()
  })
})
