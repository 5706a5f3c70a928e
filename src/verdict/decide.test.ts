import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampled } from '../../test/sampled.ts'
import { exampleFailure as failure, exampleCircumstances as given } from '../../test/verdict/example.ts'
import { type FailureClass, type FailureKind, KINDS } from '../failure/failure.ts'
import type { Circumstances } from './circumstances.ts'
import { decide, healthOf } from './decide.ts'
import type { Policy, PolicyLike, PolicyProblem } from './policy.ts'
import { rowOf } from './table.ts'

const now = 1_000_000
const hour = 3_600_000
const durable: Partial<Circumstances> = { durable: true, maxRetries: 5, minRetryBudgetMs: 0 }
const other: Partial<Circumstances> = { otherProviderAvailable: true }

describe('every row of the table, in process', () => {
  it.each<[string, ReturnType<typeof failure>, Partial<Circumstances>, object]>([
    ['billing fails over', failure('throttle', 'billing'), other, { action: 'failover' }],
    [
      'billing waits for payment where no other provider is left',
      failure('throttle', 'billing', { retryAfterMs: 1_000 }),
      {},
      { action: 'park', for: 'payment' },
    ],
    [
      'a stated wait is waited out where no other provider can help',
      failure('throttle', 'rate_limit', { retryAfterMs: 60_000 }),
      {},
      { action: 'retry', delayMs: 60_000 },
    ],
    [
      'a refused login is not taken elsewhere where the work may be done, and says that this is why',
      failure('permanent', 'auth', { effect: 'maybe' }),
      { ...other, repeatable: false },
      { action: 'cancel', as: 'unverifiable' },
    ],
    [
      'and is simply refused where there is no other provider',
      failure('permanent', 'auth', { effect: 'maybe' }),
      { repeatable: false },
      { action: 'cancel', as: 'refused' },
    ],
    [
      'a short stated wait is waited out although another could take over',
      failure('throttle', 'rate_limit', { retryAfterMs: 5_000 }),
      other,
      { action: 'retry', delayMs: 5_000 },
    ],
    [
      'a longer one fails over',
      failure('throttle', 'rate_limit', { retryAfterMs: 5_001 }),
      other,
      { action: 'failover' },
    ],
    [
      'a stated wait that does not fit is handed over',
      failure('throttle', 'usage_limit', { retryAfterMs: 2 * hour }),
      {},
      { action: 'snooze', until: now + 2 * hour },
    ],
    [
      'resetAt wins over retryAfterMs',
      failure('throttle', 'usage_limit', { retryAfterMs: 1, resetAt: now + 2 * hour }),
      {},
      { action: 'snooze', until: now + 2 * hour },
    ],
    [
      'a rate limit without a time is retried with backoff',
      failure('throttle', 'rate_limit'),
      other,
      { action: 'retry', delayMs: 10_000 },
    ],
    [
      'then it fails over',
      failure('throttle', 'rate_limit'),
      { ...other, retries: 2 },
      { action: 'failover' },
    ],
    [
      'then it is exhausted',
      failure('throttle', 'rate_limit'),
      { retries: 2 },
      { action: 'cancel', as: 'exhausted' },
    ],
    [
      'a usage limit without a time fails over',
      failure('throttle', 'usage_limit'),
      other,
      { action: 'failover' },
    ],
    [
      'else it is handed over by a floor',
      failure('throttle', 'usage_limit'),
      {},
      { action: 'snooze', until: now + 15 * 60_000 },
    ],
    [
      'a quota without a time waits in line while the pause is short',
      failure('throttle', 'quota'),
      { ...other, availableAt: now + 5_000 },
      { action: 'retry', delayMs: 5_000, reason: expect.stringContaining('waits in line') },
    ],
    [
      'a longer pause sends it to another provider',
      failure('throttle', 'quota'),
      { ...other, availableAt: now + 5_001 },
      { action: 'failover' },
    ],
    [
      'without another it waits in line while it fits',
      failure('throttle', 'rate_limit'),
      { availableAt: now + 8_000, remainingMs: 40_000 },
      { action: 'retry', delayMs: 8_000 },
    ],
    [
      'transient is retried',
      failure('transient', 'network'),
      other,
      { action: 'retry', delayMs: 10_000, mode: 'again' },
    ],
    [
      'waiting the longer of backoff and a stated time',
      failure('transient', 'overloaded', { retryAfterMs: 25_000 }),
      {},
      { action: 'retry', delayMs: 25_000 },
    ],
    ['then it fails over', failure('transient', 'network'), { ...other, retries: 2 }, { action: 'failover' }],
    [
      'then it is exhausted',
      failure('transient', 'network'),
      { retries: 2 },
      { action: 'cancel', as: 'exhausted' },
    ],
    [
      'the time limit of a try is retried if it is repeatable',
      failure('timeout', 'timeout', { effect: 'maybe' }),
      { ...other, remainingMs: 60_000 },
      { action: 'retry', delayMs: 10_000 },
    ],
    [
      'but not if it is not',
      failure('timeout', 'timeout', { effect: 'maybe' }),
      { repeatable: false },
      { action: 'cancel', as: 'unverifiable' },
    ],
    [
      'or if it says itself that it may be there',
      failure('timeout', 'timeout', { effect: 'maybe', code: 'post_write_uncertain' }),
      {},
      { action: 'cancel', as: 'expired' },
    ],
    ['unless nothing was sent', failure('timeout', 'connect_timeout'), {}, { action: 'retry' }],
    [
      'a timeout fails over when its retries are used up',
      failure('timeout', 'timeout', { effect: 'maybe' }),
      { ...other, retries: 5 },
      { action: 'failover' },
    ],
    ['a refused login fails over', failure('permanent', 'auth'), other, { action: 'failover' }],
    ['else it stops', failure('permanent', 'forbidden'), {}, { action: 'cancel', as: 'refused' }],
    ['tls fails over', failure('permanent', 'tls'), other, { action: 'failover' }],
    [
      'a missing binary stops',
      failure('permanent', 'binary_not_found'),
      {},
      { action: 'cancel', as: 'refused' },
    ],
    [
      'an overflow fails over to a larger window',
      failure('permanent', 'context_overflow'),
      other,
      { action: 'failover' },
    ],
    ['else it stops', failure('permanent', 'context_overflow'), {}, { action: 'cancel', as: 'refused' }],
    [
      'other permanent failures stop, even if another provider is free',
      failure('permanent', 'invalid_request'),
      other,
      { action: 'cancel', as: 'refused' },
    ],
    ['a rail stops', failure('rail', 'max_turns'), other, { action: 'cancel', as: 'stopped' }],
    ['an abort stops', failure('aborted', 'aborted'), other, { action: 'cancel', as: 'cancelled' }],
    [
      'a timeout without time left has expired',
      failure('timeout', 'timeout', { effect: 'maybe' }),
      { remainingMs: 0 },
      { action: 'cancel', as: 'expired' },
    ],
    [
      'a stated wait without a time is no wait at all',
      failure('transient', 'network', { retryAfterMs: 0 }),
      {},
      { action: 'retry', delayMs: 10_000 },
    ],
    [
      'unknown fails over if repeatable',
      failure('unknown', 'unknown', { effect: 'maybe' }),
      other,
      { action: 'failover' },
    ],
    [
      'else it stops',
      failure('unknown', 'unknown'),
      { ...other, repeatable: false },
      { action: 'cancel', as: 'refused' },
    ],
    [
      'a failed command stops',
      failure('unknown', 'command_failed', { effect: 'maybe' }),
      other,
      { action: 'cancel', as: 'refused' },
    ],
    [
      'and is retried where retries were asked for',
      failure('unknown', 'command_failed', { effect: 'maybe' }),
      { retriesAsked: true },
      { action: 'retry' },
    ],
  ])('%s', (_title, input, circumstances, expected) => {
    expect(decide(input, given(circumstances))).toMatchObject(expected)
  })
})

describe('every row of the table, durable', () => {
  it.each<[string, ReturnType<typeof failure>, Partial<Circumstances>, object]>([
    ['billing fails over', failure('throttle', 'billing'), other, { action: 'failover' }],
    [
      'else it parks for payment',
      failure('throttle', 'billing', { resetAt: now + hour }),
      {},
      { action: 'park', for: 'payment' },
    ],
    [
      'a stated throttle fails over, however short',
      failure('throttle', 'rate_limit', { retryAfterMs: 1 }),
      other,
      { action: 'failover' },
    ],
    [
      'else it snoozes until then',
      failure('throttle', 'usage_limit', { resetAt: now + 5 * hour }),
      {},
      { action: 'snooze', until: now + 5 * hour },
    ],
    [
      'a rate limit snoozes by a floor',
      failure('throttle', 'rate_limit'),
      {},
      { action: 'snooze', until: now + 60_000 },
    ],
    [
      'a quota snoozes by a longer one',
      failure('throttle', 'quota'),
      {},
      { action: 'snooze', until: now + 15 * 60_000 },
    ],
    [
      'transient goes to another provider at once',
      failure('transient', 'network'),
      other,
      { action: 'failover' },
    ],
    ['and is retried without one', failure('transient', 'network'), {}, { action: 'retry' }],
    [
      'but is resumed where its session lives, which is paid for',
      failure('transient', 'network', { effect: 'maybe', sessionId: 's', turns: 3 }),
      { ...other, resumable: true },
      { action: 'retry', mode: 'resume' },
    ],
    ['a timeout is retried', failure('timeout', 'timeout', { effect: 'maybe' }), {}, { action: 'retry' }],
    ['a refused login fails over', failure('permanent', 'auth'), other, { action: 'failover' }],
    ['else it parks for a login', failure('permanent', 'auth'), {}, { action: 'park', for: 'login' }],
    ['a region fails over', failure('permanent', 'unsupported_region'), other, { action: 'failover' }],
    ['else it is cancelled', failure('permanent', 'config'), {}, { action: 'cancel', as: 'refused' }],
    [
      'an overflow is cancelled where no window is larger',
      failure('permanent', 'context_overflow'),
      {},
      { action: 'cancel', as: 'refused' },
    ],
    [
      'other permanent failures are cancelled',
      failure('permanent', 'code_bug'),
      other,
      { action: 'cancel', as: 'refused' },
    ],
    ['a rail is stopped', failure('rail', 'max_budget'), other, { action: 'cancel', as: 'stopped' }],
    ['an abort is cancelled', failure('aborted', 'aborted'), other, { action: 'cancel', as: 'cancelled' }],
    [
      'unknown fails over if repeatable',
      failure('unknown', 'crash', { effect: 'maybe' }),
      other,
      { action: 'failover' },
    ],
    [
      'else it parks for a label',
      failure('unknown', 'crash'),
      { ...other, repeatable: false },
      { action: 'park', for: 'label' },
    ],
    [
      'a failed command is retried',
      failure('unknown', 'command_failed', { effect: 'maybe' }),
      {},
      { action: 'retry' },
    ],
  ])('%s', (_title, input, circumstances, expected) => {
    expect(decide(input, given({ ...durable, ...circumstances }))).toMatchObject(expected)
  })
})

describe('second tries', () => {
  const maybe = failure('transient', 'network', { effect: 'maybe' })
  const session = { ...maybe, sessionId: 's' }

  it('are forbidden if the work may have taken effect and is not repeatable', () => {
    for (const input of [
      maybe,
      failure('throttle', 'rate_limit', { effect: 'maybe', retryAfterMs: 1 }),
      failure('throttle', 'quota', { effect: 'maybe' }),
    ]) {
      for (const mode of [{}, durable]) {
        expect(decide(input, given({ ...mode, ...other, repeatable: false }))).toMatchObject({
          action: 'cancel',
          as: 'unverifiable',
        })
      }
    }
  })

  it('resume the session if there is one, and then never fail over', () => {
    expect(decide(session, given({ repeatable: false, resumable: true }))).toMatchObject({
      action: 'retry',
      mode: 'resume',
    })
    expect(
      decide(session, given({ repeatable: false, resumable: true, retries: 2, ...other })),
    ).toMatchObject({ action: 'cancel', as: 'unverifiable' })
    const limit = failure('throttle', 'usage_limit', { effect: 'maybe', sessionId: 's', resetAt: now + hour })
    expect(decide(limit, given({ ...durable, ...other, repeatable: false, resumable: true }))).toMatchObject({
      action: 'snooze',
      mode: 'resume',
    })
  })

  it('resume whenever possible, repeatable or not, and start over otherwise', () => {
    expect(decide(session, given({ resumable: true }))).toMatchObject({ mode: 'resume' })
    expect(decide(session, given({ resumable: false }))).toMatchObject({ mode: 'again' })
    expect(decide({ ...session, effect: 'none' }, given({ resumable: true }))).toMatchObject({
      mode: 'again',
    })
    expect(decide(maybe, given({ resumable: true }))).toMatchObject({ mode: 'again' })
  })

  it('of a session may go elsewhere if repeating does no harm', () => {
    const spent = given({ resumable: true, retries: 2, ...other })
    expect(decide(session, spent)).toMatchObject({ action: 'failover' })
    expect(decide({ ...session, effect: 'none' }, { ...spent, repeatable: false })).toMatchObject({
      action: 'failover',
    })
  })

  it('of a session stay with its provider even if it could be verified', () => {
    const spent = given({ repeatable: false, verifiable: true, resumable: true, retries: 2, ...other })
    expect(decide(session, spent)).toMatchObject({ action: 'cancel', as: 'unverifiable' })
    expect(decide(maybe, spent)).toMatchObject({ action: 'failover' })
  })

  it('are allowed after verification', () => {
    expect(decide(maybe, given({ ...durable, repeatable: false, verifiable: true }))).toMatchObject({
      action: 'retry',
      mode: 'again',
    })
  })

  it('never follow work that is known to be done', () => {
    expect(
      decide({ ...maybe, effect: 'done' }, given({ ...durable, repeatable: false, verifiable: true })),
    ).toMatchObject({ action: 'cancel', as: 'unverifiable' })
  })
})

describe('counting', () => {
  it('a retry needs strictly more than the minimum, measured before the wait', () => {
    const input = failure('transient', 'network')
    expect(decide(input, given({ remainingMs: 30_001 }))).toMatchObject({ action: 'retry' })
    expect(decide(input, given({ remainingMs: 30_000 }))).toMatchObject({ action: 'cancel', as: 'expired' })
  })

  it('a wait must be shorter than what remains', () => {
    const input = failure('transient', 'network', { retryAfterMs: 40_000 })
    expect(decide(input, given({ remainingMs: 40_001 }))).toMatchObject({ action: 'retry' })
    expect(decide(input, given({ remainingMs: 40_000 }))).toMatchObject({ action: 'cancel', as: 'expired' })
  })

  it('a failover must fit too', () => {
    expect(decide(failure('permanent', 'auth'), given({ ...other, remainingMs: 30_000 }))).toMatchObject({
      action: 'cancel',
    })
    const late = given({ ...other, remainingMs: 30_000, retries: 2 })
    expect(decide(failure('transient', 'network'), late)).toMatchObject({ action: 'cancel', as: 'expired' })
  })

  it('the most serious bound is the reason: unsafe, then out of time, then out of retries', () => {
    const unsafe = failure('transient', 'network', { effect: 'maybe' })
    const spent = given({ ...other, repeatable: false, remainingMs: 0, retries: 2 })
    expect(decide(unsafe, spent)).toMatchObject({ as: 'unverifiable' })
    expect(decide({ ...unsafe, effect: 'none' }, spent)).toMatchObject({ as: 'expired' })
    expect(
      decide(
        { ...unsafe, effect: 'none' },
        { ...spent, remainingMs: hour, ...{ otherProviderAvailable: false } },
      ),
    ).toMatchObject({
      as: 'exhausted',
      reason: 'network: retry limit reached',
    })
  })

  it('an unsafe snooze says so, not that snoozes are used up', () => {
    const limit = failure('throttle', 'quota', { effect: 'maybe' })
    expect(decide(limit, given({ ...durable, repeatable: false, snoozes: 20 }))).toMatchObject({
      as: 'unverifiable',
    })
  })

  it('waits in the queue are jittered, and count only the retries that waited there', () => {
    const step = (fields: Partial<Circumstances>) =>
      decide(
        failure('transient', 'network'),
        given({ ...durable, backoff: 'adaptive', random: 1, ...fields }),
      )
    expect(step({ retries: 0 })).toMatchObject({ delayMs: 12_500 })
    expect(step({ retries: 1, foreground: 9 })).toMatchObject({ delayMs: 25_000 })
    expect(step({ retries: 3 })).toMatchObject({ delayMs: 112_500 })
    expect(step({ retries: 3, durable: false, minRetryBudgetMs: 0 })).toMatchObject({ delayMs: 90_000 })
  })

  it('the reason names the kind, the retry and its limit, and whether a session is resumed', () => {
    const again = decide(failure('transient', 'network'), given())
    expect(again.reason).toMatch(/^network: .*; retry 1 of 2$/)
    const session = failure('transient', 'eof', { effect: 'maybe', sessionId: 's' })
    expect(decide(session, given({ resumable: true, retries: 1 })).reason).toMatch(
      /^eof: .*; retry 2 of 2, resuming its session$/,
    )
    const limit = failure('throttle', 'quota', { retryAfterMs: 2 * hour })
    const at = new Date(now + 2 * hour).toISOString().replace('.000', '')
    expect(decide(limit, given(durable)).reason).toBe(`quota: should work again at ${at}`)
    // Never a second too early.
    const within = failure('throttle', 'quota', { retryAfterMs: 2 * hour - 400 })
    expect(decide(within, given(durable)).reason).toBe(`quota: should work again at ${at}`)
  })

  it('until is when a provider admits, else the reset, else a growing wait', () => {
    const limit = failure('throttle', 'usage_limit', { resetAt: now + hour })
    expect(decide(limit, given({ ...durable, availableAt: now + 10 }))).toMatchObject({ until: now + 10 })
    expect(decide(limit, given(durable))).toMatchObject({ until: now + hour })
    const rate = failure('throttle', 'rate_limit')
    const waits = [0, 1, 2, 3, 4, 10].map(snoozes => decide(rate, given({ ...durable, snoozes })))
    expect(waits.map(verdict => (verdict.action === 'snooze' ? (verdict.until - now) / 60_000 : 0))).toEqual([
      1, 2, 4, 8, 15, 15,
    ])
    const quota = [0, 1, 4, 5, 19].map(snoozes =>
      decide(failure('throttle', 'quota'), given({ ...durable, snoozes })),
    )
    expect(quota.map(verdict => (verdict.action === 'snooze' ? (verdict.until - now) / hour : 0))).toEqual([
      0.25, 0.5, 4, 6, 6,
    ])
  })

  it('a snooze never ends in the past', () => {
    const limit = failure('throttle', 'usage_limit')
    expect(decide(limit, given({ ...durable, availableAt: now - 5 }))).toMatchObject({
      action: 'snooze',
      until: now + 1,
    })
  })

  it('refused by a provider that takes others, it waits a moment as held: at once it would be refused again', () => {
    const rate = failure('throttle', 'rate_limit')
    for (const availableAt of [now - 5, now])
      expect(decide(rate, given({ ...durable, availableAt, snoozes: 20, random: 0 }))).toMatchObject({
        action: 'snooze',
        held: true,
        until: now + 1_000,
      })
    expect(decide(rate, given({ availableAt: now }))).toMatchObject({ action: 'retry' })
    // In process too, whether or not another provider could take it.
    for (const otherProviderAvailable of [true, false]) {
      const verdict = decide(rate, given({ availableAt: now, otherProviderAvailable }))
      expect(verdict.action === 'retry' && verdict.delayMs).toBeGreaterThanOrEqual(1_000)
    }
  })

  it('a park for money or a login has the origin provider, any other the origin decision', () => {
    const parked = (input: ReturnType<typeof failure>) => decide(input, given(durable))
    expect(parked(failure('throttle', 'billing'))).toMatchObject({ for: 'payment', origin: 'provider' })
    expect(parked(failure('permanent', 'auth'))).toMatchObject({ for: 'login', origin: 'provider' })
    expect(parked(failure('unknown', 'crash'))).not.toHaveProperty('origin')
  })

  it('a timeout says whether time is left', () => {
    const late = failure('timeout', 'timeout', { effect: 'maybe' })
    expect(decide(late, given({ remainingMs: 0 })).reason).toBe('timeout: out of time')
    expect(decide(late, given({ remainingMs: 1 }))).toMatchObject({ as: 'expired' })
    expect(decide(late, given({ remainingMs: 1 })).reason).not.toContain('out of time')
    expect(decide(late, given({ retries: 5 }))).toMatchObject({ as: 'exhausted' })
  })

  it('snoozes are bounded', () => {
    expect(decide(failure('throttle', 'usage_limit'), given({ ...durable, snoozes: 20 }))).toMatchObject({
      action: 'cancel',
      as: 'exhausted',
    })
  })
})

describe('a refusal', () => {
  const durable = { durable: true, otherProviderAvailable: true }

  it.each([true, false])(
    'of one resource is final, even if another provider is free (durable: %s)',
    isDurable => {
      const thing = failure('permanent', 'forbidden', { scope: 'resource' })
      expect(decide(thing, given({ ...durable, durable: isDurable }))).toMatchObject({
        action: 'cancel',
        as: 'refused',
        rule: 'default:forbidden_resource',
      })
    },
  )

  it.each(['account', undefined] as const)('of %s fails over, else waits for a person', scope => {
    const refused = failure('permanent', 'forbidden', scope === undefined ? {} : { scope })
    expect(decide(refused, given(durable))).toMatchObject({ action: 'failover' })
    const alone = given({ durable: true, otherProviderAvailable: false })
    expect(decide(refused, alone)).toMatchObject({ action: 'park', for: 'login' })
  })
})

describe('health', () => {
  it.each<[FailureClass, FailureKind, object, object]>([
    ['throttle', 'billing', {}, { breaker: 'none', blockUntil: 'cleared' }],
    [
      'throttle',
      'rate_limit',
      { retryAfterMs: 5_000 },
      { breaker: 'none', blockUntil: now + 5_000, fillWindows: false },
    ],
    ['throttle', 'usage_limit', { resetAt: now + hour }, { blockUntil: now + hour, fillWindows: true }],
    ['throttle', 'quota', { resetAt: now + hour }, { fillWindows: true }],
    ['throttle', 'rate_limit', { retryAfterMs: 5_000 }, { pace: true }],
    ['throttle', 'rate_limit', {}, { breaker: 'none', pace: true }],
    ['throttle', 'quota', {}, { breaker: 'none', pace: true }],
    ['throttle', 'quota', { message: 'quota of requests per day' }, { blockUntil: now + 15 * 60_000 }],
    ['throttle', 'usage_limit', {}, { blockUntil: now + 15 * 60_000 }],
    ['transient', 'overloaded', {}, { breaker: 'failure' }],
    ['transient', 'runner_lost', {}, { breaker: 'none' }],
    ['timeout', 'timeout', {}, { breaker: 'failure' }],
    ['permanent', 'auth', {}, { breaker: 'none', blockUntil: now + 30_000 }],
    ['permanent', 'binary_not_found', {}, { breaker: 'none' }],
    ['permanent', 'context_overflow', {}, { breaker: 'none' }],
    ['rail', 'max_turns', {}, { breaker: 'none' }],
    ['aborted', 'aborted', {}, { breaker: 'none' }],
    ['unknown', 'unknown', {}, { breaker: 'half' }],
    ['unknown', 'command_failed', {}, { breaker: 'none' }],
  ])('of %s/%s %j is %j', (cls, kind, fields, expected) => {
    expect(healthOf(failure(cls, kind, fields), given())).toMatchObject(expected)
  })

  it('of a refused login lasts until cleared only if its credential is known', () => {
    const refused = failure('permanent', 'auth')
    expect(healthOf(refused, given({ credentialKnown: true }))).toMatchObject({ blockUntil: 'cleared' })
    const blocks = [0, 1, 2, 9].map(strikes => healthOf(refused, given({ strikes })).blockUntil)
    expect(blocks).toEqual([30_000, 60_000, 120_000, 900_000].map(ms => now + ms))
  })

  it('of a forbidden resource affects no other call; of a forbidden account it is that of a refused login', () => {
    const known = given({ credentialKnown: true })
    const thing = failure('permanent', 'forbidden', { scope: 'resource' })
    const account = failure('permanent', 'forbidden', { scope: 'account' })
    expect(healthOf(thing, known)).toEqual({ breaker: 'none' })
    expect(healthOf(account, known)).toEqual({ breaker: 'none', blockUntil: 'cleared' })
  })

  it('of a refusal without a scope counts against the login from the third on', () => {
    const unsaid = failure('permanent', 'forbidden')
    const blocks = [0, 1, 2, 3].map(
      strikes => healthOf(unsaid, given({ strikes, credentialKnown: true })).blockUntil,
    )
    expect(blocks).toEqual([undefined, undefined, now + 30_000, now + 60_000])
    expect(healthOf(unsaid, given())).toEqual({ breaker: 'none' })
  })

  it("of a limit without a time grows with the provider's strikes, not with this operation's waits", () => {
    const plan = failure('throttle', 'usage_limit')
    const blocks = [0, 1, 2, 9].map(strikes => healthOf(plan, given({ strikes })).blockUntil)
    expect(blocks).toEqual([15, 30, 60, 360].map(minutes => now + minutes * 60_000))
    expect(healthOf(plan, given({ strikes: 1, snoozes: 2 })).blockUntil).toBe(now + hour)
  })
})

describe("a user's policy", () => {
  const input = failure('permanent', 'invalid_request')
  const ask = (policies: Parameters<typeof decide>[2]) => {
    const problems: PolicyProblem[] = []
    return { verdict: decide(input, given(), policies, problem => problems.push(problem)), problems }
  }

  it('replaces the verdict when it is a bare function', () => {
    const { verdict, problems } = ask(() => ({ action: 'failover', reason: 'because', rule: 'mine' }))
    expect(verdict).toEqual({ action: 'failover', reason: 'because', rule: 'mine' })
    expect(problems).toEqual([])
    expect(
      healthOf(failure('unknown', 'unknown'), given(), () => ({
        action: 'failover',
        reason: 'x',
        rule: 'y',
      })),
    ).toEqual({ breaker: 'half' })
  })

  it('decides before the less specific levels', () => {
    const level = (rule: string): Partial<Policy> => ({
      name: rule,
      verdict: () => ({ action: 'failover', reason: 'x', rule }),
    })
    expect(ask([level('call'), level('capability')]).verdict.rule).toBe('call')
    const { verdict, problems } = ask([
      { name: 'health only', health: () => ({ breaker: 'trip' }) },
      level('provider'),
    ])
    expect(verdict.rule).toBe('provider')
    expect(problems).toEqual([])
  })

  it('that answers undefined leaves it to the next level, and nothing is reported', () => {
    const silent: PolicyLike = { name: 'silent', verdict: () => undefined, health: () => undefined }
    const { verdict, problems } = ask([silent, { name: 'next', verdict: () => undefined }])
    expect(verdict.rule).toBe('default:permanent')
    expect(problems).toEqual([])
  })

  it.each<[string, unknown, RegExp]>([
    ['a bare word', 'cancel', /"cancel" is not a verdict/],
    ['a flat pair', ['cancel', 'always'], /is not a verdict/],
    ['null', null, /null is not a verdict/],
    ['a promise', Promise.resolve({}), /a policy must be synchronous/],
    [
      'an unknown action',
      { action: 'explode', reason: 'x', rule: 'y' },
      /unknown action "explode"; one of: retry/,
    ],
    ['an inherited action', { action: 'constructor', reason: 'x', rule: 'y' }, /unknown action/],
    ['no reason', { action: 'failover', rule: 'y' }, /needs a reason/],
    ['no rule', { action: 'failover', reason: 'x' }, /needs a rule/],
    [
      'a zero snooze',
      { action: 'snooze', until: 0, mode: 'again', reason: 'x', rule: 'y' },
      /must end after now/,
    ],
    [
      'a snooze that ends now',
      { action: 'snooze', until: now, mode: 'again', reason: 'x', rule: 'y' },
      /must end after now/,
    ],
    [
      'an endless snooze',
      { action: 'snooze', until: Infinity, mode: 'again', reason: 'x', rule: 'y' },
      /epoch milliseconds/,
    ],
    [
      'a negative delay',
      { action: 'retry', delayMs: -1, mode: 'again', reason: 'x', rule: 'y' },
      /delayMs of at least 0/,
    ],
    [
      'a delay that is not a number',
      { action: 'retry', delayMs: Number.NaN, mode: 'again', reason: 'x', rule: 'y' },
      /delayMs of at least 0/,
    ],
    [
      'a wrong mode',
      { action: 'retry', delayMs: 1, mode: 'later', reason: 'x', rule: 'y' },
      /mode must be one of again, resume/,
    ],
    [
      'a wrong park',
      { action: 'park', for: 'rain', reason: 'x', rule: 'y' },
      /a park needs `for` to be one of label/,
    ],
    [
      'a wrong cancel',
      { action: 'cancel', as: 'bored', reason: 'x', rule: 'y' },
      /a cancel needs `as` to be one of refused/,
    ],
  ])('that answers with %s is reported by name, and the next level decides', (_title, answer, problem) => {
    const { verdict, problems } = ask({ name: 'mine', verdict: () => answer as never })
    expect(verdict.rule).toBe('default:permanent')
    expect(problems).toEqual([{ policy: 'mine', member: 'verdict', problem: expect.stringMatching(problem) }])
  })

  it('that throws is reported too', () => {
    const { verdict, problems } = ask({
      name: 'mine',
      verdict: () => {
        throw new TypeError('oops')
      },
    })
    expect(verdict.rule).toBe('default:permanent')
    expect(problems[0]).toMatchObject({ policy: 'mine', problem: 'it threw TypeError: oops' })
  })

  it('that throws a value without a string form is reported by its type', () => {
    const { problems } = ask({
      name: 'mine',
      verdict: () => {
        throw {
          toString() {
            throw new Error('no text')
          },
        }
      },
    })
    expect(problems[0]?.problem).toBe('it threw a value of type object')
    const thrown = ask(() => {
      throw 'a bare word'
    })
    expect(thrown.problems[0]?.problem).toBe('it threw a bare word')
  })

  it('is reported by its name, else as a policy without a name', () => {
    const broken = () => 'nonsense' as never
    expect(ask(broken).problems[0]?.policy).toBe('broken')
    expect(ask([() => 'nonsense' as never]).problems[0]?.policy).toBe('a function')
    expect(ask({ verdict: broken }).problems[0]?.policy).toBe('a policy without a name')
  })

  it('that is async is reported, and its rejection handled', async () => {
    const unhandled: unknown[] = []
    const listen = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', listen)
    try {
      const { problems } = ask((async () => {
        throw new Error('later')
      }) as never)
      expect(problems[0]?.problem).toContain('a policy must be synchronous')
      await new Promise(resolve => setImmediate(resolve))
      expect(unhandled).toEqual([])
    } finally {
      process.off('unhandledRejection', listen)
    }
  })

  it.each<[unknown, RegExp]>([
    ['trip', /is not a health mark/],
    [{ breaker: 'smash' }, /unknown breaker "smash"/],
    [{ breaker: 'none', blockUntil: Number.NaN }, /blockUntil must be/],
    [{ breaker: 'none', fillWindows: 1 }, /fillWindows must be/],
  ])('whose health is %j is reported too', (answer, problem) => {
    const problems: PolicyProblem[] = []
    const mark = healthOf(
      failure('unknown', 'unknown'),
      given(),
      { name: 'mine', health: () => answer as never },
      found => problems.push(found),
    )
    expect(mark).toEqual({ breaker: 'half' })
    expect(problems).toEqual([{ policy: 'mine', member: 'health', problem: expect.stringMatching(problem) }])
  })
})

describe('decide', () => {
  const anyFailure = fc
    .tuple(
      fc.constantFrom(...(Object.keys(KINDS) as FailureClass[])),
      fc.constantFrom(...(Object.values(KINDS).flat() as FailureKind[])),
      fc.record(
        {
          effect: fc.constantFrom('none', 'maybe', 'done'),
          retryAfterMs: fc.nat({ max: 1e9 }),
          resetAt: fc.nat({ max: 1e10 }),
          sessionId: fc.constant('s'),
        },
        { requiredKeys: ['effect'] },
      ),
    )
    .map(([cls, kind, fields]) => failure(cls, kind, fields as never))
  const anyCircumstances = fc
    .record({
      durable: fc.boolean(),
      random: fc.double({ min: 0, max: 0.999, noNaN: true }),
      retries: fc.nat({ max: 10 }),
      maxRetries: fc.nat({ max: 10 }),
      retriesAsked: fc.boolean(),
      backoff: fc.constantFrom('adaptive', 'fixed10s', 'exponential', 'fullJitter'),
      snoozes: fc.nat({ max: 30 }),
      remainingMs: fc.oneof(fc.nat({ max: 1e7 }), fc.constant(Infinity)),
      minRetryBudgetMs: fc.nat({ max: 60_000 }),
      repeatable: fc.boolean(),
      resumable: fc.boolean(),
      verifiable: fc.boolean(),
      otherProviderAvailable: fc.boolean(),
    })
    .map(fields => given(fields as Partial<Circumstances>))

  it('always answers, within every bound', () => {
    fc.assert(
      fc.property(anyFailure, anyCircumstances, (input, circumstances) => {
        const verdict = decide(input, circumstances)
        expect(rowOf(input, now)).toBeDefined()
        expect(verdict.reason.length).toBeGreaterThan(5)
        const {
          retries,
          maxRetries,
          remainingMs,
          minRetryBudgetMs,
          snoozes,
          maxSnoozes,
          repeatable,
          verifiable,
        } = circumstances
        if (verdict.action === 'retry') {
          expect(retries).toBeLessThan(maxRetries)
          expect(remainingMs).toBeGreaterThan(minRetryBudgetMs)
          expect(verdict.delayMs).toBeLessThan(remainingMs)
        }
        if (verdict.action === 'snooze') {
          expect(snoozes).toBeLessThan(maxSnoozes)
          expect(verdict.until).toBeGreaterThan(now)
        }
        if (verdict.action === 'failover') {
          expect(circumstances.otherProviderAvailable).toBe(true)
          expect(remainingMs).toBeGreaterThan(minRetryBudgetMs)
        }
        const secondTry = ['retry', 'failover', 'snooze'].includes(verdict.action)
        if (secondTry && input.effect === 'maybe' && !repeatable && !verifiable)
          expect(verdict).toMatchObject({ mode: 'resume' })
      }),
      { numRuns: sampled(5_000) },
    )
  })

  it('is pure: the same question, the same answer', () => {
    fc.assert(
      fc.property(anyFailure, anyCircumstances, (input, circumstances) => {
        expect(decide(input, circumstances)).toEqual(decide(input, circumstances))
      }),
    )
  })
})

it('a misspelt circumstance is answered with the right one', () => {
  expect(() => decide(failure('transient', 'overloaded'), { maxRetry: 2 } as never)).toThrow(
    'circumstances: unknown option maxRetry: did you mean maxRetries?',
  )
})

describe('after words that a session keeps', () => {
  const said = { effect: 'none', did: 'said', sessionId: 's-1' } as const
  const work = { repeatable: false, resumable: true, otherProviderAvailable: true, remainingMs: 600_000 }
  const cut = failure('transient', 'stream_cut', said)

  it.each([true, false])(
    'another provider is asked only when the session cannot be continued; durable: %s',
    durable => {
      expect(decide(cut, given({ ...work, durable }))).toMatchObject({ action: 'retry', mode: 'resume' })
      expect(decide(cut, given({ ...work, durable, retries: 2, maxRetries: 2 }))).toMatchObject({
        action: 'failover',
      })
      expect(decide(cut, given({ ...work, durable, resumable: false }))).toMatchObject({
        action: durable ? 'failover' : 'retry',
      })
    },
  )

  it('a limit is waited for if that fits, else another provider is asked', () => {
    const limit = (afterMs: number) =>
      failure('throttle', 'usage_limit', { ...said, resetAt: given({}).now + afterMs })
    expect(decide(limit(60_000), given({ ...work, durable: true }))).toMatchObject({
      action: 'snooze',
      mode: 'resume',
    })
    expect(decide(limit(700_000), given({ ...work, durable: true }))).toMatchObject({ action: 'failover' })
    expect(decide(limit(60_000), given(work))).toMatchObject({ action: 'failover' })
  })

  it('a refused login asks another provider at once', () => {
    expect(decide(failure('permanent', 'auth', said), given(work))).toMatchObject({ action: 'failover' })
  })
})
