import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEnvelope, keyIdOf, seal, unseal } from './envelope.ts'
import { type Key, keyOf } from './key.ts'

const key = keyOf(randomBytes(32).toString('base64')) as Key
const other = keyOf(randomBytes(32).toString('hex')) as Key
const place = { capability: 'deploy', param: 'token' }

describe('an envelope', () => {
  it('returns what was sealed', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), fc.string(), (value, capability, param) => {
        const envelope = seal(value, { capability, param }, key)
        const opened = unseal(JSON.parse(JSON.stringify(envelope)), { capability, param }, key)
        expect(JSON.stringify(opened?.value)).toBe(JSON.stringify(value))
      }),
    )
  })

  it('reveals only its length', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6 }), secret => {
        const { $secret } = seal(secret, place, key)
        expect($secret).toMatch(/^v1:[0-9a-f]{12}:[\w-]+$/)
        expect(Buffer.from($secret.split(':')[2] as string, 'base64url').includes(secret)).toBe(false)
      }),
    )
  })

  it('does not open when any part of it was changed', () => {
    const { $secret } = seal('hunter2', place, key)
    const [version, id, sealed] = $secret.split(':') as [string, string, string]
    const bytes = Buffer.from(sealed, 'base64url')
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] as number) ^ flip
        const envelope = { $secret: `${version}:${id}:${changed.toString('base64url')}` }
        expect(unseal(envelope, place, key)).toBeUndefined()
      }),
    )
    for (let length = 0; length < bytes.length; length++) {
      const cut = { $secret: `${version}:${id}:${bytes.subarray(0, length).toString('base64url')}` }
      expect(unseal(cut, place, key)).toBeUndefined()
    }
  })

  it.each([{ $secret: '' }, { $secret: 5 }, { $secret: 'v2:x:y' }, { $secret: null }])(
    '%j is one that is damaged',
    damaged => {
      expect(isEnvelope(damaged)).toBe(true)
      expect(keyIdOf(damaged as never)).toBeUndefined()
      expect(unseal(damaged as never, place, key)).toBeUndefined()
    },
  )

  it('opens only with its own key and at its own place', () => {
    const envelope = seal('hunter2', place, key)
    expect(keyIdOf(envelope)).toBe(key.id)
    expect(unseal(envelope, place, other)).toBeUndefined()
    expect(unseal(envelope, { ...place, param: 'note' }, key)).toBeUndefined()
    expect(unseal(envelope, { ...place, capability: 'print' }, key)).toBeUndefined()
  })

  it('is the same for the same secret at the same place, and differs otherwise', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const same = JSON.stringify(a) === JSON.stringify(b)
        expect(seal(a, place, key).$secret === seal(b, place, key).$secret).toBe(same)
        expect(seal(a, place, key)).not.toEqual(seal(a, { ...place, param: 'other' }, key))
      }),
    )
  })
})

describe('a key', () => {
  it.each([
    '',
    'short',
    'zz'.repeat(32),
    `${'A'.repeat(42)}!`,
    randomBytes(31).toString('base64'),
    randomBytes(33).toString('base64'),
  ])('%j is invalid', text => {
    expect(keyOf(text)).toBeUndefined()
  })

  it('is the same in every notation', () => {
    const bytes = randomBytes(32)
    const ids = (['hex', 'base64', 'base64url'] as const).map(form => keyOf(bytes.toString(form))?.id)
    expect(new Set(ids).size).toBe(1)
    expect(bytes.toString('hex')).not.toContain(ids[0])
  })
})
