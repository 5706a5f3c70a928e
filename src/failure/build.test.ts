import { describe, expect, it } from 'vitest'
import { classify } from './classify.ts'
import type { Failure } from './failure.ts'

const NOW = 1_000_000
const KEY = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'

function error(message: string, fields: object = {}, cause?: unknown): Error {
  return Object.assign(new Error(message, cause === undefined ? {} : { cause }), fields)
}

function failureOf(input: unknown, context: Parameters<typeof classify>[1] = {}): Failure {
  return classify(input, { now: NOW, ...context }) as Failure
}

describe('the status of a failure', () => {
  it('is the one that decided, not that of the wrapper', () => {
    const wrapped = error('gateway', { status: 500 }, error('limited', { status: 429 }))
    expect(failureOf(wrapped).status).toBe(429)
  })

  it('is the one that decided, not another of the same error', () => {
    expect(failureOf(error('odd', { statusCode: 400, status: 429 })).status).toBe(429)
    expect(failureOf(error('odd', { status: 400, statusCode: 429 })).status).toBe(429)
  })

  it('otherwise comes from the layer that decided', () => {
    const cause = error('You exceeded your current quota', { status: 403, code: 'insufficient_quota' })
    expect(failureOf(error('gateway', { status: 502 }, cause))).toMatchObject({
      kind: 'billing',
      status: 403,
    })
  })

  it('otherwise is the outermost on the way to the layer that decided', () => {
    const quota = error('You exceeded your current quota', { code: 'insufficient_quota' })
    const between = error('between', { status: 503 }, quota)
    expect(failureOf(error('outer', { status: 502 }, between))).toMatchObject({
      kind: 'billing',
      status: 502,
    })
  })

  it('does not come from another try that failed differently', () => {
    const tries = new AggregateError(
      [error('one', { status: 401 }), error('two', { status: 429 })],
      'all failed',
    )
    expect(failureOf(tries)).toMatchObject({ kind: 'rate_limit', status: 429 })
  })

  it('does not come from a retry banner', () => {
    const stderr = 'HTTP 529 overloaded, retrying in 2 s (attempt 1/10)\nError: it broke somehow'
    expect(failureOf({ exitCode: 1, signal: null, stdout: '', stderr })).not.toHaveProperty('status')
  })

  it('is absent if none was stated', () => {
    expect(failureOf(error('x', { code: 'ECONNRESET' }))).not.toHaveProperty('status')
  })
})

describe('the code of a failure', () => {
  it('is the one that decided', () => {
    const cause = error('You exceeded your current quota', { code: 'insufficient_quota' })
    expect(failureOf(error('gateway', { code: 'EOUTER' }, cause)).code).toBe('insufficient_quota')
  })

  it('is the one that decided, not another of the same error', () => {
    const [known, odd] = ['insufficient_quota', 'odd_thing']
    expect(failureOf(error('odd', { code: odd, errorCode: known })).code).toBe(known)
    expect(failureOf(error('odd', { errorCode: odd, code: known })).code).toBe(known)
  })

  it('otherwise is the deepest one', () => {
    const wrapped = error('outer', { status: 429, code: 'EOUTER' }, error('inner', { code: 'EINNER' }))
    expect(failureOf(wrapped)).toMatchObject({ kind: 'rate_limit', code: 'EINNER' })
  })

  it.each<[string, object, string | undefined]>([
    ['a type that names an error', { type: 'overloaded_error' }, 'overloaded_error'],
    ['a type that names something else', { status: 400, type: 'message' }, undefined],
    ['a sentence in a field of codes', { status: 400, code: 'bad thing with spaces' }, undefined],
    ['a word that names nothing', { status: 400, code: 'error' }, undefined],
    ['a code as it was written', { code: 'Throttling.RateQuota' }, 'Throttling.RateQuota'],
    ['a number of a vendor', { status: 400, code: 1302 }, '1302'],
    ['a negative number', { status: 400, code: -32_600 }, '-32600'],
    ['zero', { status: 400, code: 0 }, undefined],
    ['a status', { code: 429 }, undefined],
  ])('%s: %j', (_title, fields, expected) => {
    expect(failureOf(error('x', fields)).code).toBe(expected)
  })
})

describe('a failure', () => {
  it('says how a program ended', () => {
    expect(
      failureOf({ exitCode: 3, signal: null, stdout: '', stderr: 'Error: 529 overloaded' }),
    ).toMatchObject({
      exitCode: 3,
      status: 529,
    })
    const killed = failureOf({ exitCode: null, signal: 'SIGKILL', stdout: '', stderr: '' })
    expect(killed.signal).toBe('SIGKILL')
    expect(killed).not.toHaveProperty('exitCode')
  })

  it('says what Mulligan itself did', () => {
    expect(failureOf(error('cut short'), { own: { aborted: true } }).origin).toBe('abort')
  })

  it('keeps what the failed run spent, and its session', () => {
    const result = { type: 'result', subtype: 'error_max_turns', is_error: true }
    const spent = { session_id: 's-1', total_cost_usd: 0.5, num_turns: 3 }
    expect(failureOf({ ...result, ...spent }, { returned: true })).toMatchObject({
      sessionId: 's-1',
      costUsd: 0.5,
      turns: 3,
    })
  })

  it.each([
    [429, true],
    [529, true],
    [400, false],
    [401, false],
  ])('of status %i has the stated wait: %s', (status, isKept) => {
    const failure = failureOf(error('x', { status, headers: { 'retry-after': '7' } }))
    expect([failure.retryAfterMs, failure.resetAt]).toEqual(
      isKept ? [7_000, NOW + 7_000] : [undefined, undefined],
    )
  })

  it('takes the wait from a retry banner if nothing else states one', () => {
    const stderr = 'HTTP 500 internal, retry after 20s. Retrying (attempt 1/10)\n'
    expect(failureOf({ exitCode: 1, signal: null, stdout: '', stderr }).retryAfterMs).toBe(20_000)
  })

  it('has no field without a value, which keeps records small', () => {
    const failure = failureOf(error('x', { status: 400 }))
    expect(Object.keys(failure).sort()).toEqual(
      ['class', 'effect', 'evidence', 'fingerprint', 'kind', 'message', 'status', 'text'].sort(),
    )
  })

  it('shows no secret in any name, code or text', () => {
    const input = error(`no access for ${KEY}`, { status: 403, code: KEY })
    const failure = failureOf(input, { provider: KEY, model: KEY })
    expect(JSON.stringify(failure)).not.toContain(KEY)
    expect(failure.provider).toBeDefined()
    expect(failure.model).toBeDefined()
  })

  it('knows from its code what was refused', () => {
    const denied = (code: string) => failureOf(error('no', { status: 403, code })).scope
    expect(denied('account_deactivated')).toBe('account')
    expect(denied('E_TEAM')).toBe('account')
    expect(denied('E17')).toBeUndefined()
  })

  it('keeps up to 8 KB of its text, without control characters', () => {
    const long = failureOf(error(`\u001b[31moverloaded ${'long words '.repeat(2_000)}`, { status: 529 }))
    expect(long.text).toHaveLength(8_192)
    expect(long.text).toMatch(/^overloaded long words/)
    expect(failureOf({ exitCode: 1, signal: null, stdout: '', stderr: '' })).not.toHaveProperty('text')
  })
})

describe('the fingerprint', () => {
  const print = (fields: object, context = {}) => failureOf(error('it broke', fields), context).fingerprint
  const plain = () => print({ status: 500 }, { provider: 'a' })

  it('is the same for the same failure', () => {
    expect(print({ status: 500 }, { provider: 'a' })).toBe(plain())
  })

  it.each<[string, object, object]>([
    ['provider', { status: 500 }, { provider: 'b' }],
    ['status', { status: 503 }, { provider: 'a' }],
    ['code', { status: 500, code: 'E_OTHER' }, { provider: 'a' }],
    ['name', { status: 500, name: 'OtherError' }, { provider: 'a' }],
  ])('differs by %s', (_what, fields, context) => {
    expect(print(fields, context)).not.toBe(plain())
  })

  it('differs by how a program ended', () => {
    const ended = (exitCode: number | null, signal: string | null) =>
      failureOf({ exitCode, signal, stdout: '', stderr: 'it broke' }).fingerprint
    expect(new Set([ended(1, null), ended(3, null), ended(null, 'SIGSEGV')]).size).toBe(3)
  })
})
