import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { classify } from '../classify.ts'
import type { Failure } from '../failure.ts'
import { fingerprintIn } from './when-read.ts'

const made = () => classify(new Error('seat 12 drained'), { provider: 'acme' }) as Failure
const known = made().fingerprint

it('makes the fingerprint when it is read, and every plain copy has it', () => {
  expect(known).toMatch(/^fp2:[0-9a-f]{16}$/)
  expect({ ...made() }.fingerprint).toBe(known)
  expect(JSON.parse(JSON.stringify(made())).fingerprint).toBe(known)
  expect(structuredClone(made()).fingerprint).toBe(known)
  expect(Object.freeze(made()).fingerprint).toBe(known)
  expect(Object.keys(made())).toContain('fingerprint')
  expect(classify(made())?.fingerprint).toBe(known)
})

it('is shown by the console like any field, and what it is made from is not', () => {
  for (const failure of [made(), Object.freeze(made())])
    for (const showHidden of [false, true])
      expect(inspect({ failure }, { showHidden, breakLength: Infinity })).toBe(
        inspect({ failure: JSON.parse(JSON.stringify(failure)) }, { showHidden, breakLength: Infinity }),
      )
})

it('is a plain field once it was read or written', () => {
  const failure = made()
  expect(failure.fingerprint).toBe(known)
  expect(Object.getOwnPropertyDescriptor(failure, 'fingerprint')?.value).toBe(known)
  const other = made()
  other.fingerprint = 'fp2:0000000000000000'
  expect(other.fingerprint).toBe('fp2:0000000000000000')
})

it('makes one from what a copy of all descriptors still says', () => {
  const copy: Failure = Object.defineProperties({} as Failure, {
    ...Object.fromEntries(Object.entries(Object.getOwnPropertyDescriptors(made()))),
  })
  expect(copy.fingerprint).toMatch(/^fp2:[0-9a-f]{16}$/)
})

it('runs no getter of somebody else', () => {
  const foreign = {
    get fingerprint(): string {
      throw new Error('read')
    },
  }
  expect(fingerprintIn(foreign)).toBeUndefined()
})
