import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'
import { isRetryable } from '../failure.ts'
import { isName } from './name.ts'

const TELLING = 'timeout rate_limit quota overloaded max_output_tokens connection_reset throttling'.split(' ')

describe('names of things are no words about a failure', () => {
  it('whatever a column, a field or an option is called, nothing is tried again', () => {
    const named = fc.record({
      what: fc.constantFrom(
        'Missing columns',
        'Unknown field',
        'Invalid',
        'Unsupported parameter',
        'unknown option',
      ),
      name: fc.constantFrom(...TELLING),
      quote: fc.constantFrom("'", '"', '`'),
    })
    fc.assert(
      fc.property(named, ({ what, name, quote }) => {
        const failure = classify(new Error(`${what}: ${quote}${name}${quote} in the request`))
        expect(failure && isRetryable(failure)).toBe(false)
      }),
    )
  })

  it('the name of a host says nothing either, but an exception in a package does', () => {
    const host = 'cannot be fulfilled on quotas.quota.openshift.io'
    expect(isName(host, host.indexOf('.quota.') + 1, host.indexOf('.openshift'))).toBe(true)
    expect(classify(new Error('litellm.RateLimitError: slow'))?.class).toBe('throttle')
  })

  it('the columns of a query that is repeated are names', () => {
    const query = classify(new Error("Unknown identifier in query: 'SELECT timeout, quota FROM jobs'"))
    expect(query && isRetryable(query)).toBe(false)
    expect(classify(new Error('SELECT a FROM b: timed out'))?.class).toBe('timeout')
  })

  it('the type of an error that a sentence is about was not thrown', () => {
    const talk = classify(new Error("BadGatewayError is in litellm but not in aider's exceptions list"))
    expect(talk && isRetryable(talk)).toBe(false)
    expect(classify(new Error('litellm.BadGatewayError: is the server down?'))?.class).toBe('transient')
  })

  it('the token that a parser did not expect is none of a login', () => {
    for (const text of ['<', '}', 'x y'])
      expect(classify(new Error(`Unexpected token '${text[0]}', "${text}" is not valid JSON`))?.kind).toBe(
        'bad_json',
      )
    expect(classify(new Error('Token is not valid'))?.kind).toBe('auth')
  })

  it('a quoted sentence is a sentence', () => {
    expect(classify(new Error("upstream said 'rate limit exceeded'"))?.class).toBe('throttle')
    expect(classify(new Error("failed with code 'rate_limit_exceeded'"))?.class).toBe('throttle')
  })
})
