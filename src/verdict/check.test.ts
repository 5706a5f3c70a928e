import { describe, expect, it } from 'vitest'
import { exampleCircumstances as given } from '../../test/verdict/example.ts'
import { problemOfHealth, problemOfVerdict } from './check.ts'

const said = { reason: 'because', rule: 'mine' }
const problem = (answer: unknown) => problemOfVerdict(answer, given())

describe('a verdict', () => {
  it.each([
    { action: 'retry', delayMs: 0, mode: 'again', ...said },
    { action: 'retry', delayMs: 1.5, mode: 'resume', ...said },
    { action: 'snooze', until: 1_000_001, mode: 'again', ...said },
    { action: 'park', for: 'label', ...said },
    { action: 'park', for: 'login', origin: 'provider', ...said },
    { action: 'park', for: 'login', origin: 'decision', ...said },
    { action: 'cancel', as: 'stopped', ...said },
    { action: 'failover', ...said },
  ])('%j is one', verdict => {
    expect(problem(verdict)).toBeUndefined()
  })

  it.each<[string, unknown, string]>([
    ['nothing at all', null, 'null is not a verdict'],
    ['an action that is no text', { action: 7, ...said }, 'unknown action 7'],
    ['an action that is a list', { action: ['failover'], ...said }, 'unknown action ["failover"]'],
    ['an empty reason', { action: 'failover', reason: '', rule: 'r' }, 'a failover needs a reason'],
    ['an empty rule', { action: 'failover', reason: 'r', rule: '' }, 'a failover needs a rule'],
    ['a delay in words', { action: 'retry', delayMs: '5', mode: 'again', ...said }, 'delayMs of at least 0'],
    ['a snooze in words', { action: 'snooze', until: '5', mode: 'again', ...said }, 'epoch milliseconds'],
    ['a snooze without a mode', { action: 'snooze', until: 1_000_001, ...said }, 'mode must be'],
    ['a park of another origin', { action: 'park', for: 'login', origin: 'moon', ...said }, 'not "moon"'],
    ['what JSON cannot say', { action: 10n, ...said }, 'unknown action 10;'],
    ['a symbol', Symbol('x'), 'Symbol(x) is not a verdict'],
  ])('is not: %s', (_title, answer, expected) => {
    expect(problem(answer)).toContain(expected)
  })
})

describe('a health mark', () => {
  it.each([
    { breaker: 'none' },
    { breaker: 'half', blockUntil: 'cleared' },
    { breaker: 'trip', blockUntil: 5, fillWindows: true },
    { breaker: 'failure', fillWindows: false },
  ])('%j is one', mark => {
    expect(problemOfHealth(mark)).toBeUndefined()
  })

  it.each<[unknown, string]>([
    [null, 'null is not a health mark'],
    [[], 'is not a health mark'],
    [Promise.resolve(), 'it returned a promise, not a health mark; a policy must be synchronous'],
    [{ breaker: 'none', blockUntil: 'never' }, 'blockUntil must be'],
    [{ breaker: 'none', blockUntil: '5' }, 'blockUntil must be'],
    [{ breaker: 'none', fillWindows: 'yes' }, 'fillWindows must be'],
    [{ breaker: 'none', pace: 1 }, 'pace must be'],
  ])('%s is none', (mark, expected) => {
    expect(problemOfHealth(mark)).toContain(expected)
  })
})
