import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fill, paramsIn, problemOfPlaceholders, templateOf, variablesIn } from './template.ts'

const values = { params: { id: 'a b', n: 5, list: [1, 'x'], none: null }, env: { TOKEN: 's3cret' } }

describe('a template', () => {
  it.each<[string, string | undefined]>([
    ['{id}', 'a b'],
    ['x-{id}-{n}', 'x-a b-5'],
    ['{list}', '[1,"x"]'],
    ['{missing}', undefined],
    ['--x={missing}', undefined],
    ['{none}', undefined],
    ['env:TOKEN', 's3cret'],
    ['Bearer {env:TOKEN}', 'Bearer s3cret'],
    ['{env:NOT_SET}', undefined],
    ['{{id}}', '{id}'],
    ['a{{id}}{id}', 'a{id}a b'],
    ['{"a":{"b":1}}', '{"a":{"b":1}}'],
    ['{print $1}', '{print $1}'],
    ['{}', '{}'],
    ['', ''],
    ['{toString}', undefined],
    ['{__proto__}', undefined],
  ])('%j gives %j', (source, text) => {
    expect(fill(templateOf(source), values)).toBe(text)
  })

  it('is unchanged if it has no placeholders, with any content', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        fc.pre(!/\{[A-Za-z_]|\{env:|^env:/.test(text))
        expect(fill(templateOf(text), values)).toBe(text)
      }),
    )
  })

  it('never fills placeholders in parameter values', () => {
    fc.assert(
      fc.property(fc.string(), value => {
        expect(fill(templateOf('<{id}>'), { params: { id: value }, env: {} })).toBe(`<${value}>`)
      }),
    )
    expect(fill(templateOf('{id}'), { params: { id: '{env:TOKEN}{n}' }, env: values.env })).toBe(
      '{env:TOKEN}{n}',
    )
  })

  it('lists its placeholders, and reports one that does not exist', () => {
    const template = templateOf('{a}{env:B}{c}')
    expect(paramsIn(template)).toEqual(['a', 'c'])
    expect(variablesIn(template)).toEqual(['B'])
    expect(problemOfPlaceholders(template, ['a', 'c'])).toBeUndefined()
    expect(problemOfPlaceholders(template, undefined)).toBeUndefined()
    expect(problemOfPlaceholders(template, ['a'])).toBe(
      '"{a}{env:B}{c}" names the unknown parameter {c}; known: a; write {{c}} for the text itself',
    )
  })
})
