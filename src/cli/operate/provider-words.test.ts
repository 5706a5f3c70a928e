import { expect, it } from 'vitest'
import type { ProviderStatus } from '../../provider/provider-status.ts'
import { stateInWords } from './provider-words.ts'

it.each([
  [0, false, 'ready'],
  [0.5, false, 'ready, after a failure'],
  [1.5, false, 'ready, after 2 failures in a row'],
  [0, true, 'login refused: the next call tests it'],
])(
  'a provider after %d failures, its login refused: %s, is shown as: %s',
  (failures, loginRefused, words) => {
    const status = { admits: true, breaker: { state: 'closed', failures }, loginRefused }
    expect(stateInWords(status as ProviderStatus)).toBe(words)
  },
)

it('says until when a provider is paused, and why', () => {
  const paused = { at: 0, until: 3_600_000, reason: 'the bill' }
  expect(stateInWords({ admits: false, paused } as ProviderStatus)).toBe(
    'paused until 1970-01-01T01:00:00Z: the bill',
  )
  expect(stateInWords({ admits: false, paused: { at: 0 } } as ProviderStatus)).toBe('paused')
})
