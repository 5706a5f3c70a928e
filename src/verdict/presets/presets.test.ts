import { describe, expect, it } from 'vitest'
import { exampleFailure as failure, exampleCircumstances as given } from '../../../test/verdict/example.ts'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import type { Circumstances } from '../circumstances.ts'
import { decide, healthOf } from '../decide.ts'
import { councilClass } from './council.ts'
import { PRESETS } from './presets.ts'

const now = 1_000_000

function syntaxError(): Failure {
  try {
    return JSON.parse('{"half": ')
  } catch (error) {
    return classify(error) as Failure
  }
}

describe('council', () => {
  /** opencode's shapes, with the classifier's answer and the council's class. */
  const api = (data: object) => ({
    info: { role: 'assistant', error: { name: 'APIError', data } },
    parts: [],
  })
  const named = (name: string, data: object = {}) => ({
    info: { role: 'assistant', error: { name, data } },
    parts: [{ type: 'text', text: 'half an answer' }],
  })
  const cut = (code: string) =>
    new TypeError('fetch failed', { cause: Object.assign(new Error(''), { code }) })
  const answered = (status: number, error: unknown) => ({ error, response: { status } })

  it.each<[string, unknown, string, string]>([
    ['a cut connection', cut('UND_ERR_SOCKET'), 'transient', 'transient'],
    ['a reset', cut('ECONNRESET'), 'transient', 'transient'],
    ['a refusal', cut('ECONNREFUSED'), 'transient', 'transient'],
    ['a cut body', new SyntaxError('Unexpected end of JSON input'), 'transient', 'transient'],
    ['an empty 503', answered(503, {}), 'transient', 'transient'],
    ['a page of a gateway', answered(502, '<html>Bad Gateway</html>'), 'transient', 'transient'],
    ['an error without anything', { error: {} }, 'unknown', 'unknown'],
    [
      'a named 400',
      answered(400, { name: 'BadRequest', data: { message: 'bad', kind: 'Payload' } }),
      'permanent',
      'permanent',
    ],
    ['a tagged 400', answered(400, { _tag: 'BadRequest' }), 'permanent', 'permanent'],
    [
      'a session that is gone',
      answered(404, { name: 'NotFoundError', data: { message: 'Session not found: x' } }),
      'permanent',
      'permanent',
    ],
    [
      'a defect with a reference',
      answered(500, {
        name: 'UnknownError',
        data: { message: 'Unexpected server error. Check server logs for details.', ref: 'err_1' },
      }),
      'unknown',
      'unknown',
    ],
    [
      'overload',
      api({ message: 'Overloaded', statusCode: 529, isRetryable: true }),
      'transient',
      'transient',
    ],
    [
      "the provider's own deadline",
      api({ message: 'Gateway Timeout', statusCode: 504, isRetryable: true }),
      'timeout',
      'transient',
    ],
    [
      'missing headers',
      api({
        message: 'Provider response headers timed out after 10000ms',
        isRetryable: true,
        metadata: { code: 'ProviderHeaderTimeoutError' },
      }),
      'timeout',
      'transient',
    ],
    [
      'a limit that lifts in time',
      api({ message: 'Too Many Requests', statusCode: 429, responseHeaders: { 'retry-after': '2' } }),
      'throttle',
      'transient',
    ],
    [
      'a limit that does not',
      api({ message: 'Too Many Requests', statusCode: 429, responseHeaders: { 'retry-after': '19380' } }),
      'throttle',
      'permanent',
    ],
    [
      'a plan limit',
      api({ message: 'Usage limit reached', statusCode: 429, responseHeaders: { 'retry-after': '19380' } }),
      'throttle',
      'permanent',
    ],
    [
      'spent money',
      api({
        message: 'Quota exceeded. Check your plan and billing details.',
        isRetryable: false,
        responseBody: '{"error":{"code":"insufficient_quota"}}',
      }),
      'throttle',
      'permanent',
    ],
    [
      'a reset without a status',
      api({ message: 'Connection reset by server', isRetryable: true, metadata: { code: 'ECONNRESET' } }),
      'transient',
      'transient',
    ],
    [
      'a filter, although there is text',
      named('ContentFilterError', { message: 'blocked' }),
      'permanent',
      'permanent',
    ],
    ['an answer that is too long', named('MessageOutputLengthError'), 'permanent', 'permanent'],
    [
      'a structure that did not come',
      named('StructuredOutputError', { message: 'no', retries: 0 }),
      'permanent',
      'permanent',
    ],
    ['an abort', named('MessageAbortedError', { message: 'Aborted' }), 'aborted', 'unknown'],
    [
      'a text of an unknown error',
      named('UnknownError', { message: 'fetch failed' }),
      'transient',
      'transient',
    ],
    ['a text that says nothing', named('UnknownError', { message: 'not-json' }), 'unknown', 'unknown'],
    ['an empty answer', new Error('empty response'), 'unknown', 'unknown'],
    // opencode marks every 404 of OpenAI as retryable, but a missing model does not appear by asking again.
    [
      'a 404 marked retryable',
      api({ message: 'model not found', statusCode: 404, isRetryable: true }),
      'permanent',
      'permanent',
    ],
  ])('%s', (_title, input, unified, cls) => {
    const found = classify(input, { returned: !(input instanceof Error), now }) as Failure
    expect(found.class).toBe(unified)
    expect(councilClass(found, { now, remainingMs: 100_000 })).toBe(cls)
  })

  it('takes its own timer for a timeout', () => {
    const found = classify(new Error('slow'), { own: { timedOut: true } }) as Failure
    expect(councilClass(found, { now, remainingMs: 0 })).toBe('timeout')
  })

  it.each<[string, Partial<Circumstances>, boolean]>([
    ['early', { remainingMs: 265_000 }, true],
    ['with 20 s left', { remainingMs: 20_000 }, false],
    ['with exactly 30 s left', { remainingMs: 30_000 }, false],
    ['with a millisecond more', { remainingMs: 30_001 }, true],
    ['after one retry', { remainingMs: 265_000, retries: 1 }, false],
    ['even if maxRetries allows more', { remainingMs: 265_000, retries: 1, maxRetries: 9 }, false],
    ['with a budget of 20 s', { remainingMs: 19_900 }, false],
  ])('retries what is transient %s: %j', (_title, circumstances, retries) => {
    const verdict = decide(failure('transient', 'overloaded'), given(circumstances), PRESETS.council)
    expect(verdict.action === 'retry').toBe(retries)
  })

  it('waits one to two seconds, or the stated wait if that is longer', () => {
    const wait = (random: number, fields = {}) =>
      decide(failure('transient', 'network', fields), given({ random }), PRESETS.council)
    expect(wait(0)).toMatchObject({ delayMs: 1_000 })
    expect(wait(0.999)).toMatchObject({ delayMs: 1_999 })
    expect(wait(0, { retryAfterMs: 7_000 })).toMatchObject({ delayMs: 7_000 })
  })

  it.each<[Failure]>([
    [failure('permanent', 'auth')],
    [failure('unknown', 'unknown')],
    [failure('timeout', 'timeout')],
    [failure('throttle', 'quota')],
    [failure('aborted', 'aborted')],
    [failure('rail', 'max_turns')],
  ])('never repeats %o', input => {
    expect(decide(input, given(), PRESETS.council)).toMatchObject({ action: 'cancel' })
  })

  it.each<[string, Failure, Partial<Circumstances>, string]>([
    ['an abort', failure('aborted', 'aborted'), {}, 'cancelled'],
    ['a rail', failure('rail', 'max_turns'), {}, 'stopped'],
    ['a refusal', failure('permanent', 'auth'), {}, 'refused'],
    ['what was retried once', failure('transient', 'eof'), { retries: 1 }, 'exhausted'],
  ])('ends %s with the right reason', (_title, input, circumstances, as) => {
    expect(decide(input, given(circumstances), PRESETS.council)).toMatchObject({ action: 'cancel', as })
  })

  it('takes a connect timeout for transient', () => {
    const slow = failure('timeout', 'connect_timeout')
    expect(councilClass(slow, { now, remainingMs: 0 })).toBe('transient')
    expect(councilClass({ ...slow, kind: 'stall' }, { now, remainingMs: 0 })).toBe('timeout')
  })

  it.each(Object.entries(PRESETS))(
    '408 is a deadline of the provider, and %s retries it',
    (_name, preset) => {
      const early = failure('timeout', 'timeout', { status: 408, effect: 'none', outcome: 'timeout' })
      const { action } = decide(early, given({ repeatable: true, remainingMs: 100_000 }), preset)
      expect(['retry', 'failover', 'snooze']).toContain(action)
      expect(councilClass(early, { now, remainingMs: 100_000 })).toBe('transient')
      expect(councilClass({ ...early, origin: 'timer' }, { now, remainingMs: 100_000 })).toBe('timeout')
    },
  )

  it('never waits until the end of the budget or beyond', () => {
    const limit = failure('throttle', 'rate_limit', { retryAfterMs: 40_000 })
    expect(councilClass(limit, { now, remainingMs: 40_000 })).toBe('permanent')
    expect(councilClass(limit, { now, remainingMs: 40_001 })).toBe('transient')
    const down = failure('transient', 'overloaded', { retryAfterMs: 40_000 })
    expect(decide(down, given({ remainingMs: 40_000 }), PRESETS.council)).toMatchObject({ action: 'cancel' })
    expect(decide(down, given({ remainingMs: 40_001 }), PRESETS.council)).toMatchObject({ action: 'retry' })
  })
})

describe.each(['oban', 'obanSnooze'] as const)('%s on a provider that is known not to serve', preset => {
  const blocked = failure('throttle', 'usage_limit', {
    origin: 'gate',
    effect: 'none',
    resetAt: now + 3_600_000,
  })

  it.each([true, false])('waits until the block ends and makes no retries of it; durable: %s', durable => {
    for (const maxRetries of [0, 20])
      expect(decide(blocked, given({ durable, maxRetries }), PRESETS[preset])).toMatchObject({
        action: 'snooze',
        until: now + 3_600_000,
      })
  })

  it('waits for the first provider that serves', () => {
    const until = { availableAt: now + 5_000 }
    expect(decide(blocked, given({ durable: true, ...until }), PRESETS[preset])).toMatchObject({
      until: now + 5_000,
    })
  })

  it('tells a caller at once about a block that no time ends, and parks a job for it', () => {
    const unpaid = failure('throttle', 'billing', { origin: 'gate', effect: 'none' })
    expect(decide(unpaid, given({ durable: false }), PRESETS[preset]).action).not.toBe('retry')
    expect(decide(unpaid, given({ durable: true }), PRESETS[preset])).toMatchObject({ action: 'park' })
  })
})

describe('oban', () => {
  const typed = (outcome: string, fields: Partial<Failure> = {}) =>
    failure('unknown', 'unknown', { outcome, effect: 'maybe', ...fields })

  it.each<[string, Failure, string]>([
    ['a result with an error', typed('result_error'), 'retry'],
    ['a timeout', failure('timeout', 'timeout', { outcome: 'timeout', effect: 'maybe' }), 'retry'],
    ['a rate limit among the auth failures', failure('throttle', 'rate_limit', { outcome: 'auth' }), 'retry'],
    ['a missing binary', failure('permanent', 'binary_not_found', { outcome: 'io' }), 'cancel refused'],
    ['an io fault', typed('io', { kind: 'io' }), 'retry'],
    ['a failed command', typed('command_failed', { kind: 'command_failed' }), 'retry'],
    ['bad JSON', failure('transient', 'bad_json', { outcome: 'json', effect: 'maybe' }), 'retry'],
    ['bad JSON without a type', failure('transient', 'bad_json'), 'cancel refused'],
    ['a SyntaxError of JSON.parse', syntaxError(), 'cancel refused'],
    ['a full table of files without a type', failure('transient', 'io'), 'cancel refused'],
    ['structured output that did not come', typed('no_structured_output'), 'retry'],
    ['git that failed', typed('git_failed'), 'retry'],
    ['a closed duplex', typed('duplex_closed'), 'retry'],
    ...(
      [
        'auth',
        'binary_not_found',
        'version_mismatch',
        'invalid_version',
        'dangerous_not_allowed',
        'invalid_tool_pattern',
        'not_a_git_repo',
        'git_unavailable',
      ] as const
    ).map(
      kind =>
        [kind, failure('permanent', kind, { outcome: kind }), 'cancel refused'] as [string, Failure, string],
    ),
    ['our own budget', failure('rail', 'max_budget', { outcome: 'budget_exceeded' }), 'cancel stopped'],
    [
      'the budget of the CLI',
      failure('rail', 'max_budget', { outcome: 'max_budget_exceeded' }),
      'cancel stopped',
    ],
    [
      'the turns of the CLI',
      failure('rail', 'max_turns', { outcome: 'max_turns_exceeded' }),
      'cancel stopped',
    ],
    ['something without a type', failure('unknown', 'unknown'), 'cancel refused'],
    ['a rail without a code', failure('rail', 'max_turns'), 'cancel stopped'],
    [
      'a rail by its outcome alone',
      failure('unknown', 'unknown', { outcome: 'budget_exceeded' }),
      'cancel stopped',
    ],
    ['an abort', failure('aborted', 'aborted', { outcome: 'result_error' }), 'cancel cancelled'],
    ['a timeout whose outcome is a fault', failure('timeout', 'timeout', { outcome: 'auth' }), 'retry'],
    ['a permanent failure without a code', failure('permanent', 'code_bug'), 'cancel refused'],
    [
      'a fault known by its outcome alone',
      failure('permanent', 'code_bug', { outcome: 'config' }),
      'cancel refused',
    ],
    [
      'a permanent failure of another code',
      failure('permanent', 'code_bug', { outcome: 'git_failed' }),
      'retry',
    ],
    ['a transient failure without a code', failure('transient', 'network'), 'retry'],
    [
      'a transient failure with an outcome of a fault',
      failure('transient', 'network', { outcome: 'auth' }),
      'retry',
    ],
  ])('%s: %o gets %s', (_title, input, expected) => {
    const verdict = decide(input, given({ durable: true, repeatable: false }), PRESETS.oban)
    expect(verdict.action === 'cancel' ? `cancel ${verdict.as}` : verdict.action).toBe(expected)
  })

  it.each([{ retries: 2 }, { retries: 1, foreground: 1 }])(
    'ends when attempts are used up, wherever they were made, and never snoozes: %o',
    used => {
      expect(decide(failure('timeout', 'timeout'), given(used), PRESETS.oban)).toMatchObject({
        action: 'cancel',
        as: 'exhausted',
      })
    },
  )

  it('snoozed 30 s on a timeout in its first published form', () => {
    expect(decide(failure('timeout', 'timeout'), given(), PRESETS.obanSnooze)).toMatchObject({
      action: 'snooze',
      until: now + 30_000,
    })
    expect(decide(failure('permanent', 'auth'), given(), PRESETS.obanSnooze)).toMatchObject({
      action: 'cancel',
    })
  })
})

describe('terraphim', () => {
  it('opens the breaker on a throttle and fills the windows', () => {
    expect(
      healthOf(failure('throttle', 'rate_limit', { retryAfterMs: 5 }), given(), PRESETS.terraphim),
    ).toEqual({ breaker: 'trip', blockUntil: now + 5, fillWindows: true })
  })

  it('blocks a limit without a time for a growing wait, and a billing limit until cleared', () => {
    const limit = failure('throttle', 'rate_limit')
    expect(healthOf(limit, given({ strikes: 1 }), PRESETS.terraphim)).toMatchObject({
      blockUntil: now + 120_000,
    })
    expect(healthOf(failure('throttle', 'billing'), given(), PRESETS.terraphim)).toEqual({
      breaker: 'trip',
      blockUntil: 'cleared',
      fillWindows: true,
    })
  })

  it('leaves everything else to the default policy', () => {
    const alone = given({ durable: true, otherProviderAvailable: true })
    for (const input of [failure('permanent', 'invalid_request'), failure('timeout', 'timeout')]) {
      expect(decide(input, alone, PRESETS.terraphim)).toEqual(decide(input, alone))
      expect(PRESETS.terraphim.health(input, alone)).toEqual(healthOf(input, alone))
    }
    const money = failure('throttle', 'billing')
    expect(decide(money, given(), PRESETS.terraphim)).toMatchObject({ action: 'park', for: 'payment' })
  })

  it.each([{}, { retryAfterMs: 20_000 }])('fails over from the provider that it tripped (%j)', fields => {
    const limit = failure('throttle', 'rate_limit', fields)
    expect(decide(limit, given({ otherProviderAvailable: true }), PRESETS.terraphim)).toMatchObject({
      action: 'failover',
    })
    expect(decide(limit, given(), PRESETS.terraphim)).toMatchObject({ action: 'snooze' })
  })

  it('counts a flake against no provider, and tries the next one', () => {
    const flake = failure('transient', 'eof', { effect: 'maybe' })
    expect(healthOf(flake, given(), PRESETS.terraphim)).toEqual({ breaker: 'none' })
    expect(decide(flake, given({ otherProviderAvailable: true }), PRESETS.terraphim)).toMatchObject({
      action: 'failover',
    })
    expect(decide(flake, given(), PRESETS.terraphim)).toMatchObject({ action: 'retry' })
  })
})
