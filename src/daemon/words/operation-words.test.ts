import { describe, expect, it } from 'vitest'
import type { Attempt } from '../../ledger/attempt.ts'
import type { Operation, ParkedOperation } from '../../ledger/operation.ts'
import { eventInWords, standingInWords, timelineInWords, wayOnInWords } from './operation-words.ts'

const submitted = (source: string, context?: unknown) =>
  eventInWords({ id: 1, at: 0, type: 'submitted', operation: 'op_1' }, { source, context } as Operation)

describe('the first line of a timeline', () => {
  it.each([
    ['submit', undefined, 'submitted'],
    ['run', { command: 'x' }, 'submitted, to run at once'],
    [
      'cron',
      { cron: 'nightly', at: '2026-01-01T03:00:00.000Z' },
      'submitted by schedule nightly for 2026-01-01T03:00:00.000Z',
    ],
    ['cron', { cron: 'nightly' }, 'submitted by hand for schedule nightly'],
    ['workflow', undefined, 'submitted through a workflow'],
  ])('of an operation from %s with %o is: %s', (source, context, words) => {
    expect(submitted(source, context)).toBe(words)
  })
})

it('says until when a held operation waits', () => {
  const held = { state: 'scheduled', dueAt: 0, heldBy: 'post', run: 0 } as Operation
  expect(standingInWords(held, { maxRetries: 3 }, 1_000, 3_601_000)).toBe(
    'due, held until post can serve at 1970-01-01T01:00:01Z (in 1 h)',
  )
})

it('says of a failure that no rule matched, and nothing after it', () => {
  const attempt = {
    number: 1,
    run: 1,
    startedAt: 0,
    endedAt: 0,
    failure: {
      class: 'unknown',
      kind: 'unknown',
      message: 'x',
      effect: 'maybe',
      evidence: { rule: 'none', where: 'input', excerpt: '', lost: [] },
    },
  } as unknown as Attempt
  const lines = timelineInWords([], [attempt], {} as Operation).map(line => line.trim())
  expect(lines).toContain('evidence: no rule matched')
})

describe('a skipped time of a schedule', () => {
  it('is shown with the reason', () => {
    const data = {
      schedule: 'nightly',
      at: '2026-01-01T03:00:00.000Z',
      reason: 'no daemon was running to submit it',
    }
    expect(eventInWords({ id: 1, at: 0, type: 'time_skipped', data })).toBe(
      'schedule nightly skipped 2026-01-01T03:00:00.000Z: no daemon was running to submit it',
    )
  })
})

describe('a parked operation', () => {
  it.each([
    ['label', [], 'mulligan ops retry op_1; to give up: mulligan ops cancel op_1'],
    ['login', ['claude'], 'Log in again, then: mulligan providers reset claude'],
    ['login', [], 'Log in again, then: mulligan ops retry op_1'],
    ['payment', [], 'Pay, or raise its limit, then: mulligan ops retry op_1'],
    ['runner', [], 'start a runner whose config has the capability'],
    ['secret', [], 'once the runner has it; or use another: mulligan ops edit op_1 --param NAME=VALUE'],
    ['parameters', [], 'mulligan ops edit op_1 --param NAME=VALUE'],
  ] as const)('for %s of %o goes on: %s', (parkedFor, providers, words) => {
    expect(wayOnInWords({ id: 'op_1', parkedFor, providers } as unknown as ParkedOperation, [])).toBe(words)
  })
})
