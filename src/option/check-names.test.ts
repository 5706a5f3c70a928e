import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WrongArgument } from '../failure/own-error.ts'
import { checkNames, namesOf, remedyFor } from './check-names.ts'
import { nearest, nearestOrKnown } from './nearest.ts'

const KNOWN = namesOf<{ maxRetries?: number; budgetMs: number; onEvent?: () => void }>({
  maxRetries: true,
  budgetMs: true,
  onEvent: true,
})

it.each([
  ['claud', ['claude', 'codex'], 'did you mean "claude"?'],
  ['zzz', ['claude', 'codex'], 'known: claude, codex'],
  ['zzz', [], 'add one'],
])('an unknown word %s among %j is answered with what helps: %s', (word, known, remedy) => {
  expect(nearestOrKnown(word, known, 'add one')).toBe(remedy)
})

describe('the name of an option', () => {
  it.each([
    [{ maxRetry: 3 }, 'call: unknown option maxRetry: did you mean maxRetries?'],
    [{ MaxRetries: 3 }, 'call: unknown option MaxRetries: did you mean maxRetries?'],
    [{ budgetMs: 1, budget: 1 }, 'call: unknown option budget: did you mean budgetMs?'],
    [{ onevents: 1 }, 'call: unknown option onevents: did you mean onEvent?'],
    [{ colour: 'red' }, 'call: unknown option colour; known: maxRetries, budgetMs, onEvent'],
  ])('%j is answered with the right name', (given, message) => {
    expect(() => checkNames('call', given, KNOWN)).toThrow(new WrongArgument(message))
  })

  it.each([{}, { maxRetries: 1 }, { maxRetry: undefined }])('%j is accepted', given => {
    expect(checkNames('call', given, KNOWN)).toBeUndefined()
  })

  it('that was renamed is answered with the new one', () => {
    expect(remedyFor('repeatable', ['retries', 'retry'])).toBe(': did you mean retry?')
    expect(remedyFor('verifiable', ['name'])).toBe('; known: name')
  })

  it('of ten million letters is like none, which is seen at once', () => {
    expect(nearest('maxRetries'.repeat(1_000_000), ['maxRetries', 'budgetMs'])).toBeUndefined()
  })

  it('with one letter wrong is always recognised', () => {
    const names = ['maxRetries', 'budgetMs', 'attemptTimeoutMs', 'repeatable', 'capabilities']
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.nat(),
        fc.constantFrom('', 'x', 'xy'),
        (name, at, letters) => {
          const index = at % name.length
          const misspelt = name.slice(0, index) + letters + name.slice(index + 1)
          expect(nearest(misspelt, names)).toBe(name)
          expect(remedyFor(misspelt, names)).toBe(`: did you mean ${name}?`)
        },
      ),
    )
  })
})
