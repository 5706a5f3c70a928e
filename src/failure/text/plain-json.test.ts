import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'
import { plainJson } from './plain-json.ts'

describe('a value shown as plain JSON', () => {
  it('equals JSON.stringify for plain data', () => {
    const data = fc.letrec(tie => ({
      tree: fc.oneof(fc.string({ maxLength: 5 }), fc.integer(), fc.boolean(), fc.constant(null), tie('list')),
      list: fc.array(tie('tree'), { maxLength: 2 }),
    })).tree
    fc.assert(
      fc.property(fc.dictionary(fc.string({ maxLength: 5 }), data, { maxKeys: 3 }), value => {
        const text = plainJson(value) as string
        if (!text.includes('…')) expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(text.length).toBeLessThanOrEqual(300)
      }),
    )
  })

  it("runs none of the value's code, and shows what JSON cannot express", () => {
    let read = 0
    const lazy = {
      code: 'E_X',
      get response() {
        read++
        throw new Error('lazy')
      },
      toJSON: () => read++,
    }
    expect(plainJson(lazy)).toBe('{"code":"E_X","toJSON":null}')
    expect(read).toBe(0)
    const circular: Record<string, unknown> = { n: 1n }
    circular.self = circular
    expect(plainJson(circular)).toBe('{"n":1,"self":"[circular]"}')
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no')
        },
      },
    )
    expect(plainJson(hostile)).toBe('{}')
  })

  it('is the message of a failure that says nothing else, without its secrets', () => {
    expect(classify({ code: 'E_OBJECT' })?.message).toBe('{"code":"E_OBJECT"}')
    expect(classify({ at: 3, api_key: 'sk-abcdefghijklmnopqrstuvwx' })?.message).not.toContain('sk-abc')
    expect(classify({})?.message).toBe('{}')
  })
})
