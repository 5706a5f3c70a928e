import { describe, expect, it } from 'vitest'
import { holds, readCondition } from './condition.ts'
import { filled, partsOf, readSource, sourceInWords, sourcesIn, wrongPlaceholdersIn } from './placeholder.ts'

const values = {
  params: { repo: 'a', n: 3, list: [1, { x: 'y' }], none: null },
  result: (step: string) => ({ build: { image: 'v1', ok: true, tags: [] } })[step],
}

describe('a placeholder', () => {
  it.each([
    ['params.repo', { of: 'params', path: ['repo'] }],
    ['params', { of: 'params', path: [] }],
    ['params.list[1].x', { of: 'params', path: ['list', 1, 'x'] }],
    ['results.build', { of: 'results', step: 'build', path: [] }],
    ['results.build-2.image', { of: 'results', step: 'build-2', path: ['image'] }],
  ])('%s is read, and written the same', (text, source) => {
    expect(readSource(text)).toEqual(source)
    expect(sourceInWords(source as never)).toBe(text)
  })

  it.each(['results', 'param.x', 'params.', 'params.x y', 'results.1', 'xparams.a', ''])(
    '%j is not one',
    text => {
      expect(readSource(text)).toBeUndefined()
    },
  )

  it('alone keeps the type of the value, within text becomes text, in double braces stays literal', () => {
    expect(filled('{params.n}', values)).toBe(3)
    expect(filled('{params.list}', values)).toEqual([1, { x: 'y' }])
    expect(filled('{results.build.image} of {params.repo}', values)).toBe('v1 of a')
    expect(filled('{params.list}!', values)).toBe('[1,{"x":"y"}]!')
    expect(filled('{{params.n}} {other} {"a":1}', values)).toBe('{params.n} {other} {"a":1}')
    expect(filled({ a: ['{params.n}', { b: '{results.build.ok}' }], c: 1 }, values)).toEqual({
      a: [3, { b: true }],
      c: 1,
    })
  })

  it('without a value is null, and ignores inherited properties', () => {
    for (const placeholder of [
      '{params.no}',
      '{params.repo.length}',
      '{params.constructor}',
      '{results.gone.x}',
      '{params.none}',
    ])
      expect(filled(placeholder, values)).toBeNull()
  })

  it('that is almost valid is reported', () => {
    expect(wrongPlaceholdersIn('{results} {params.a b} {{results}} {params.ok}')).toEqual([
      '{results}',
      '{params.a b}',
    ])
    expect(sourcesIn({ a: ['{params.x}'], b: 'no', c: '{{params.y}}' })).toEqual([
      { of: 'params', path: ['x'] },
    ])
    expect(partsOf('')).toEqual([''])
  })
})

describe('a condition', () => {
  it.each([
    ['params.repo', true],
    ['params.no', false],
    ['results.build.tags', false],
    ['not params.no', true],
    ['!results.build.ok', false],
    ['params.n > 2', true],
    ['params.n >= 3', true],
    ['params.n < 3', false],
    ['params.n <= 3', true],
    ['params.n > "2"', false],
    ["params.repo == 'a'", true],
    ['params.repo != "a"', false],
    ['params.repo < "b"', true],
    ['results.build.ok == true', true],
    ['results.gone == null', true],
    ['params.no > 0', false],
    ['params.no < 0', false],
  ])('%s is %s', (text, expected) => {
    expect(holds(readCondition(text) as never, values)).toBe(expected)
  })

  it.each([
    '',
    'true',
    'params.n >',
    'params.n = 3',
    'not params.n > 2',
    'params.a == params.b',
    'params.n == [1]',
  ])('%j is not one', text => {
    expect(readCondition(text)).toBeUndefined()
  })
})
