import { expect, it } from 'vitest'
import { classify } from './classify.ts'
import { failureFromJson, failureToJson } from './json.ts'

const STUCK = { exitCode: null, signal: 'SIGTERM', stdout: 'working on it', stderr: '' }

it.each([
  ['timer', { timedOut: true }],
  ['abort', { aborted: true }],
  ['rail', { rail: 'max_turns' as const }],
] as const)('what the caller itself did is the origin %s', (origin, own) => {
  expect(classify(STUCK, { own })).toMatchObject({ origin })
})

it('what others said has no origin, even if our timer ended the wait for it', () => {
  expect(classify(new Error('fetch failed'))).not.toHaveProperty('origin')
  const waited = classify({ ...STUCK, stderr: 'HTTP 429 Too Many Requests' }, { own: { timedOut: true } })
  expect(waited).toMatchObject({ kind: 'rate_limit' })
  expect(waited).not.toHaveProperty('origin')
})

it("a user's classifier neither adds nor removes an origin", () => {
  const invents = () => ({ kind: 'quota' as const, origin: 'gate' as const })
  expect(classify(new Error('no'), { classifier: invents })).not.toHaveProperty('origin')
})

it('an origin survives JSON', () => {
  const failure = classify(STUCK, { own: { aborted: true } })
  expect(failure && failureFromJson(failureToJson(failure))).toEqual(failure)
})
