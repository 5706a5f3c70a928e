import { describe, expect, it } from 'vitest'
import type { KnownRule } from './catalogue/compiled-form.ts'
import { classify } from './classify.ts'
import { effectOf } from './effect.ts'
import { emptyObservation } from './observe/notes.ts'
import type { Observation } from './observe/observation.ts'
import type { Candidate } from './precedence.ts'

const coded = (code: string, message: string, more: object = {}) =>
  Object.assign(new Error(message), { code, ...more })
const refused = () => coded('ECONNREFUSED', 'connect ECONNREFUSED 203.0.113.4:443', { syscall: 'connect' })
const reset = () => coded('ECONNRESET', 'read ECONNRESET', { syscall: 'read' })
const answered = (status: number, message = `${status}`, cause?: unknown) =>
  Object.assign(new Error(message, { cause }), { status })
const ended = (output: object) => ({ exitCode: 1, signal: null, stdout: '', stderr: '', ...output })
const http = (status: number, body: unknown = '', headers = {}) => ({ status, headers, body })

describe('the effect of a failure described by several errors', () => {
  it.each([
    ['a wrapper around a refused connection', new TypeError('fetch failed', { cause: refused() })],
    ['all addresses refused', new AggregateError([refused(), refused()], 'all failed')],
    ['all tries turned away', new AggregateError([answered(429), refused()], 'all failed')],
    ['all tries overloaded', new AggregateError([answered(529, 'Overloaded'), answered(529, 'Overloaded')])],
    ['a client that names its reason', new Error('LLM call failed', { cause: answered(401, 'bad key') })],
    [
      'an SDK that calls a refused connection its own name',
      Object.assign(new Error('Connection error.', { cause: refused() }), { name: 'APIConnectionError' }),
    ],
    [
      'an SDK that calls a connection never made a timeout',
      Object.assign(
        new Error('Request timed out.', {
          cause: coded('UND_ERR_CONNECT_TIMEOUT', 'Connect Timeout Error'),
        }),
        { name: 'APIConnectionTimeoutError' },
      ),
    ],
    [
      'a deadline that a refused connection explains',
      new Error('The operation timed out', { cause: refused() }),
    ],
    ['two logins refused', new AggregateError([answered(401), answered(401)], 'all failed')],
    [
      'a login refused beside a vague error',
      new AggregateError([answered(401), new Error('it failed somehow')]),
    ],
    [
      'a 503 that says when to come back, beside a limit',
      new AggregateError([Object.assign(answered(503), { error: { retry_after: 5 } }), answered(429)]),
    ],
    ['a code that only repeats that of its reason', coded('ECONNREFUSED', 'failed', { cause: refused() })],
  ])('is none if no part leaves it open: %s', (_name, input) => {
    expect(classify(input)?.effect).toBe('none')
  })

  it.each([
    ['a refusal after a reset', new AggregateError([reset(), refused()])],
    ['a reset after a refusal', new AggregateError([refused(), reset()])],
    ['a limit met after a server error', new AggregateError([answered(500), answered(429)])],
    ['a limit whose cause is a server error', answered(429, 'slow down', answered(502))],
    ['a server error that wraps a limit', answered(500, 'failed', answered(429))],
    ['a login refused after a gateway gave up', new AggregateError([answered(504), answered(401)])],
    ['a bare 503 beside an overloaded one', new AggregateError([answered(503, 'Overloaded'), answered(503)])],
    [
      'a stream that broke, and then no listener',
      new Error('stream disconnected before completion', { cause: refused() }),
    ],
    [
      'tries of a client that lists them',
      Object.assign(new Error('Failed after 2 attempts'), {
        errors: [answered(502, 'Bad Gateway'), answered(429, 'Too many requests')],
        lastError: answered(429, 'Too many requests'),
      }),
    ],
    [
      'a deadline around tries that were turned away',
      new Error('Request timed out', { cause: answered(429) }),
    ],
    ['a server error around a refused connection', answered(500, 'failed', refused())],
    ['a reset around a refused connection', coded('ECONNRESET', 'failed', { cause: refused() })],
    [
      'a deadline around a refused login',
      coded('ETIMEDOUT', 'timed out', { cause: answered(401, 'bad key') }),
    ],
    ['two server errors', new AggregateError([answered(500), answered(500)], 'all failed')],
    [
      'a 503 beside another part that says when to come back',
      new AggregateError([answered(503), Object.assign(answered(429), { error: { retry_after: 5 } })]),
    ],
    [
      'a server error that says when to come back, beside a 503',
      new AggregateError([
        answered(503, 'Overloaded'),
        Object.assign(answered(500), { error: { retry_after: 5 } }),
      ]),
    ],
  ])('is maybe if one part leaves it open: %s', (_name, input) => {
    expect(classify(input)?.effect).toBe('maybe')
  })
})

describe('the effect of a server that is not available', () => {
  it.each([
    [http(503)],
    [http(503, 'Service Unavailable')],
    [http(503, { error: { message: 'The service is temporarily unavailable' } })],
    [http(503, { error: { code: 503, status: 'UNAVAILABLE', message: 'Unavailable' } })],
    [http(503, { error: { message: 'The model is overloaded. Please try again later.' } })],
    [http(503, { error: { message: 'Rate limit exceeded' } })],
    [http(503, 'down for maintenance')],
    [http(500, { error: { message: 'Internal error' } })],
    [http(500, { error: { type: 'rate_limit_error', message: 'Rate limited' } })],
    [http(500, '', { 'retry-after': '20' })],
  ])('is maybe if nothing says that the request was turned away: %j', input => {
    expect(classify(input)?.effect).toBe('maybe')
  })

  it.each([
    [http(503, '', { 'retry-after': '20' })],
    [http(503, { error: { retry_after: 5 } })],
    [http(503, { error: { type: 'overloaded_error', message: 'Overloaded' } })],
    [http(503, { error: 'Model acme/x is currently loading', estimated_time: 20 })],
    [http(529)],
  ])('is none if the request was turned away: %j', input => {
    expect(classify(input)?.effect).toBe('none')
  })
})

describe('the effect of a program', () => {
  it.each([
    ['killed', ended({ exitCode: null, signal: 'SIGKILL', stderr: '401 Unauthorized' })],
    ['ended by our timer', ended({ timedOut: true, stderr: '429 Too Many Requests' })],
    [
      'that printed before it failed',
      ended({ stdout: 'deployed 3 of 5\n', stderr: 'Error: 429 Too Many Requests' }),
    ],
    [
      'that printed before it failed, on the same stream',
      ended({ stdout: 'created order 5\nError: 401 Unauthorized' }),
    ],
    [
      'that printed before it failed in JSON, on the same stream',
      ended({ stdout: 'created order 5\n{"error":{"code":"ECONNREFUSED","message":"x"}}' }),
    ],
    [
      'that printed and then did not find another one',
      ended({ exitCode: 127, stdout: 'step 1 done\n', stderr: 'sh: foo: not found' }),
    ],
  ])('is maybe for one %s', (_name, input) => {
    expect(classify(input)?.effect).toBe('maybe')
  })

  it.each([
    ['that says it was refused', ended({ stderr: 'Error: 401 Unauthorized' })],
    ['that complains on stdout', ended({ stdout: 'Error: 401 Unauthorized\n' })],
    [
      'that complains in JSON on stdout',
      ended({ stdout: '{"error":{"type":"rate_limit_error","message":"slow"}}' }),
    ],
    ['that misses another program', ended({ exitCode: 127, stdout: 'sh: 1: acme: not found\n' })],
  ])('is maybe for one %s, because its words prove nothing', (_name, input) => {
    expect(classify(input)?.effect).toBe('maybe')
  })

  it('is none for one that was never started', () => {
    const error = coded('ENOENT', 'spawn acme ENOENT', { syscall: 'spawn acme', path: 'acme' })
    expect(classify(error)?.effect).toBe('none')
    expect(classify(ended({ exitCode: null, error }))?.effect).toBe('none')
  })

  it('is maybe for an agent that has already spent money', () => {
    const result = { type: 'result', subtype: 'success', is_error: true, num_turns: 1, total_cost_usd: 0.02 }
    const stdout = JSON.stringify({ ...result, result: 'Credit balance is too low' })
    expect(classify(ended({ stdout }))).toMatchObject({ kind: 'billing', effect: 'maybe' })
  })
})

it('is maybe for a code bug, which may show after the call has gone through', () => {
  expect(classify(new TypeError("Cannot read properties of undefined (reading 'id')"))?.effect).toBe('maybe')
  expect(classify(new ReferenceError('foo'))?.effect).toBe('maybe')
})

it('is maybe after the second turn of an agent, and none before its first answer if a field says why', () => {
  const result = { type: 'result', subtype: 'error_during_execution', is_error: true }
  const refusedAfter = (num_turns: number, more: object) =>
    classify({ ...result, num_turns, ...more }, { returned: true })?.effect
  expect(refusedAfter(1, { api_error_status: 401 })).toBe('none')
  expect(refusedAfter(1, { errors: ['401 invalid api key'] })).toBe('maybe')
  expect(refusedAfter(2, { api_error_status: 401 })).toBe('maybe')
})

/** A rule that matched at a place: a refusal, unless stated otherwise. */
function met(where: string, more: Partial<Omit<Candidate, 'rule'> & KnownRule> = {}): Candidate {
  const { source = 'x', at = 0, structured = true, late = false, ...rule } = more
  const known = {
    id: 't.rule',
    class: 'transient',
    kind: 'overloaded',
    effect: 'none',
    rank: 'typed',
  } as const
  return {
    rule: { ...known, why: 'for a test', ...rule },
    where,
    source,
    at,
    end: at + 1,
    depth: 0,
    structured,
    late,
  }
}
const effect = (candidates: readonly Candidate[], seen: Partial<Observation> = {}) =>
  effectOf({ ...emptyObservation(), source: 'error', ...seen }, candidates)
const [first, second] = ['error.errors[0]', 'error.errors[1]']

describe('a part of a failure', () => {
  it('does not vote with a retry banner', () => {
    expect(effect([met(first), met(second, { effect: 'maybe' })])).toBe('maybe')
    expect(effect([met(first), met(second, { effect: 'maybe', late: true })])).toBe('none')
  })

  it('does not include what an operator or the caller says', () => {
    const parts = [met(first), met(second)]
    for (const where of ['signature', 'caller', 'input'])
      expect(effect([...parts, met(where, { effect: 'maybe' })])).toBe('none')
  })

  it('does not vote with a rule of the last rank', () => {
    const guess = met(second, { effect: 'maybe', rank: 'last' })
    expect(effect([met(first), guess])).toBe('none')
    expect(effect([guess], { phases: [{ effect: 'none', where: first }] })).toBe('maybe')
  })

  it('includes both streams of a process and its exit', () => {
    for (const [one, other] of [
      ['stderr', 'stdout'],
      ['stdout', 'stderr.error'],
      ['stderr', 'process'],
    ] as const)
      expect(effect([met(one), met(other, { effect: 'maybe' })])).toBe('none')
    // Fields that only begin like these.
    expect(effect([met('payload.code'), met('summary.code', { effect: 'maybe' })])).toBe('maybe')
  })

  it('includes lists that hold no errors', () => {
    expect(effect([met('error.message'), met('error.items[0].code', { effect: 'maybe' })])).toBe('none')
  })

  it('with the same status as another part votes the same, for its own phase', () => {
    const refused = met(`${first}.status`, { structured: true, source: '529' })
    const phases = [{ effect: 'maybe', where: `${second}.code` } as const]
    const status = (value: number, part: string, late = false) => ({
      value,
      where: `${part}.status`,
      depth: 0,
      late,
    })
    const seen = (value: number, late = false) => ({
      phases,
      statuses: [status(529, first), status(value, second, late)],
    })
    expect(effect([refused], seen(529))).toBe('maybe')
    expect(effect([refused], seen(529, true))).toBe('none')
    expect(effect([refused], seen(500))).toBe('none')
  })
})

describe('an outer error with a reason', () => {
  const reason = (more: Parameters<typeof met>[1] = {}) => met('error.cause', more)
  const timeout = { class: 'timeout', kind: 'timeout', effect: 'maybe' } as const

  it('counts if it is a deadline that no reason explains', () => {
    const throttle = { class: 'throttle', kind: 'rate_limit' } as const
    const connection = met('error.cause.cause', { kind: 'network' })
    expect(effect([reason(throttle), met('error.message', timeout)])).toBe('maybe')
    expect(effect([reason(throttle), met('error.message', { ...timeout, rank: 'status' })])).toBe('none')
    expect(effect([reason(throttle), connection, met('error.message', timeout)])).toBe('none')
  })

  it('counts if it has a code or status that no reason has', () => {
    const outer = (field: string) =>
      met(`error.${field}`, { effect: 'maybe', structured: true, source: 'outer' })
    const deeper = met('error.cause.cause', { source: 'outer' })
    expect(effect([reason(), outer('code')])).toBe('maybe')
    expect(effect([reason(), outer('statusText')])).toBe('none')
    expect(effect([reason(), deeper, outer('code')])).toBe('none')
  })

  it('decides if its reason is only guessed', () => {
    const guess = reason({ rank: 'last' })
    expect(effect([met('error.message', { effect: 'maybe' }), guess])).toBe('maybe')
  })
})

describe('what fields prove about how far a request got', () => {
  const phases = (known: 'maybe' | 'none') => ({ phases: [{ effect: known, where: 'error' }] })

  it.each(['caller', 'input', 'signature'])('applies to what belongs to no part: %s', where => {
    expect(effect([met(where)], phases('maybe'))).toBe('maybe')
    expect(effect([met(where, { effect: 'maybe' })], phases('none'))).toBe('none')
  })

  it('does not override a refusal', () => {
    const refused = { class: 'permanent', kind: 'auth' } as const
    const throttled = { class: 'throttle', kind: 'rate_limit' } as const
    expect(effect([met('error.message')], phases('maybe'))).toBe('maybe')
    expect(effect([met('error.message', refused)], phases('maybe'))).toBe('none')
    expect(effect([met('error.message', throttled)], phases('maybe'))).toBe('none')
  })
})
