import { describe, expect, it } from 'vitest'
import { inAscii } from './ascii.ts'

describe('code in ASCII', () => {
  it('means the same in strings, templates and regular expressions', () => {
    const code = [
      "({ text: 'déjà \\\\…', template: `über größer`, form: /^[^💡]+💡$/u,",
      "range: new RegExp(String.raw`^[à-ÿ]+$`), two: /[à-ÿ]💡/.test('é💡') })",
    ].join('\n')
    const written = inAscii(code)
    expect(written).toMatch(/^[\x00-\x7f]*$/)
    const [before, after] = [code, written].map(text => new Function(`return ${text}`)())
    expect(after.text).toBe('déjà \\…')
    expect(after).toMatchObject({ text: before.text, template: before.template, two: true })
    expect([after.form.test('tip💡'), after.form.test('💡💡')]).toEqual([true, false])
    expect([after.range.test('éàÿ'), after.range.test('été')]).toEqual([true, false])
  })

  it('refuses a backslash that would make the escape a text', () => {
    expect(() => inAscii(String.raw`/\é/`)).toThrow('A backslash stands before é')
    expect(inAscii(String.raw`'\\é'`)).toBe(String.raw`'\\\u00e9'`)
  })
})
