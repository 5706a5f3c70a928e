import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Mask } from './mask.ts'

describe('a mask', () => {
  it('leaves no secret in any text, plain, in JSON, in a URL or in base64', () => {
    const secrets = fc.array(
      fc.string({ minLength: 6, unit: 'grapheme' }).filter(text => !/^[*REDACT\s]*$/.test(text)),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    fc.assert(
      fc.property(secrets, fc.string(), (values, around) => {
        const mask = new Mask(values)
        for (const value of values) {
          const forms = [value, JSON.stringify({ value }), Buffer.from(value).toString('base64')]
          if (value.isWellFormed()) forms.push(encodeURIComponent(value))
          for (const form of forms) expect(mask.text(`${around}|${form}|${around}`)).not.toContain(form)
          expect(mask.text(`${around}|${value}`)).not.toContain(value)
        }
      }),
    )
  })

  it('hides short secrets as whole words, but not inside other words', () => {
    const mask = new Mask(['42', 'a.b', ''])
    expect(mask.text('pin 42, not 1420 or x42; a.b but axb')).toBe(
      'pin ***REDACTED***, not 1420 or x42; ***REDACTED*** but axb',
    )
  })

  it('hides longer secrets first, so nothing of them is left', () => {
    expect(new Mask(['token', 'token-and-more']).text('token-and-more token')).toBe(
      '***REDACTED*** ***REDACTED***',
    )
  })

  it('hides all strings and numbers within a secret', () => {
    const mask = new Mask([{ user: 'somebody', codes: [123456], on: true }])
    expect(mask.value({ a: 'somebody', b: [123456, 7], c: true })).toEqual({
      a: '***REDACTED***',
      b: ['***REDACTED***', 7],
      c: true,
    })
  })

  it('searches everything with fields, names included, and keeps errors errors', () => {
    class Refused extends Error {
      readonly body = { hunter2: 'is hunter2' }
    }
    const error = new Refused('login hunter2', { cause: new Error('hunter2 again') })
    const hidden = new Mask(['hunter2']).value(error)
    expect(hidden).toBeInstanceOf(Refused)
    expect(hidden.message).toBe('login ***REDACTED***')
    expect((hidden.cause as Error).message).toBe('***REDACTED*** again')
    expect(hidden.stack).not.toContain('hunter2')
    expect(hidden.body).toEqual({ '***REDACTED***': 'is ***REDACTED***' })
    expect(error.message).toBe('login hunter2')
  })

  it('returns the same object if there is nothing to hide, cycles included', () => {
    const circle: Record<string, unknown> = { list: [1, 'x'], when: new Date(0) }
    circle.self = circle
    expect(new Mask(['hunter2']).value(circle)).toBe(circle)
    expect(new Mask([]).isEmpty).toBe(true)
    expect(new Mask([true, null, undefined]).isEmpty).toBe(true)
  })
})
