import fc from 'fast-check'
import { expect, it } from 'vitest'
import { shellWord } from '../option/shell-word.ts'
import { filterOfCause } from './cause-filter.ts'

it('reads back what a notice names as its cause', () => {
  expect(filterOfCause('--state dead --provider claude --class transient')).toEqual({
    state: ['dead'],
    provider: 'claude',
    class: 'transient',
  })
  expect(filterOfCause('--parked-for secret --capability deploy')).toEqual({
    parked_for: 'secret',
    capability: ['deploy'],
  })
})

it('reads any name back, or says that it cannot', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), name => {
      const filter = filterOfCause(`--state dead --capability ${shellWord(name)} --fingerprint fp2:1`)
      if (/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/u.test(name)) expect(filter).toBeUndefined()
      else expect(filter).toEqual({ state: ['dead'], capability: [name], fingerprint: 'fp2:1' })
    }),
  )
})

it('is nothing for a cause that is no filter', () => {
  expect(filterOfCause('schedule:nightly')).toBeUndefined()
  expect(filterOfCause('')).toBeUndefined()
})
