import { expect, it } from 'vitest'
import { classify } from './classify.ts'
import { failureFromJson, failureToJson } from './json.ts'

const now = Date.parse('2026-10-05T14:00:00Z')

it('writes snake_case, points in time as RFC 3339 and lengths in milliseconds', () => {
  const failure = classify(
    { exitCode: 1, signal: null, stdout: '', stderr: 'rate limit, try again in 10s' },
    { now, provider: 'p' },
  )
  expect(failureToJson(failure as NonNullable<typeof failure>)).toMatchObject({
    class: 'throttle',
    exit_code: 1,
    retry_after_ms: 10_000,
    reset_at: '2026-10-05T14:00:10.000Z',
  })
})

it('reads back what it wrote', () => {
  const failure = classify(
    { exitCode: 1, signal: 'SIGTERM', stdout: '', stderr: 'rate limit, try again in 10s' },
    { now, provider: 'p', model: 'm' },
  )
  const json = JSON.parse(JSON.stringify(failureToJson(failure as NonNullable<typeof failure>)))
  expect(failureFromJson(json)).toEqual(failure)
})
