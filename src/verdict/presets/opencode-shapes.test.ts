import { describe, expect, it } from 'vitest'
import { classify } from '../../failure/classify.ts'
import type { ClassifyContext } from '../../failure/context.ts'
import type { Failure } from '../../failure/failure.ts'
import { councilClass } from './council.ts'

/** The classifier's answer, and the class a council with time left gives it. */
function seen(input: unknown, context: ClassifyContext = {}): string {
  const failure = classify(input, { now: 0, ...context }) as Failure
  return `${failure.class} ${councilClass(failure, { now: 0, remainingMs: 100_000 })}`
}

const named = (name: string, message: string, fields: object = {}) =>
  Object.assign(new Error(message), { name, ...fields })
const apiCall = (message: string, fields: object) => named('AI_APICallError', message, fields)

describe('errors underneath the names that opencode gives them', () => {
  it.each<[string, unknown, string]>([
    [
      'a stream that exceeds the context',
      { type: 'error', error: { code: 'context_length_exceeded' } },
      'permanent permanent',
    ],
    [
      'a stream without quota, and without a status',
      { type: 'error', error: { code: 'insufficient_quota' } },
      'throttle permanent',
    ],
    [
      'a plan that does not include the model',
      { type: 'error', error: { code: 'usage_not_included' } },
      'permanent permanent',
    ],
    [
      'a refused prompt',
      { type: 'error', error: { code: 'invalid_prompt', message: 'Invalid prompt' } },
      'permanent permanent',
    ],
    [
      'a server error as JSON in a message',
      { message: '{"type":"error","error":{"type":"server_error","code":"server_error"}}' },
      'transient transient',
    ],
    [
      'an overflow by its words',
      apiCall('prompt is too long: 213462 tokens > 200000 maximum', { statusCode: 400 }),
      'permanent permanent',
    ],
    [
      'an overflow by the code in its body',
      apiCall('Request failed', {
        statusCode: 422,
        responseBody: '{"error":{"message":"Some message","code":"context_length_exceeded"}}',
      }),
      'permanent permanent',
    ],
    [
      'a 400 without a body',
      apiCall('400 status code (no body)', { statusCode: 400 }),
      'permanent permanent',
    ],
    ['a 429 without a body', apiCall('429 status code (no body)', { statusCode: 429 }), 'throttle transient'],
    ['a number', 123, 'unknown unknown'],
    [
      'a broken decompression',
      named('Error', 'ZlibError fetching "https://x"', { code: 'ZlibError' }),
      'transient transient',
    ],
    [
      'a closed socket',
      named('Error', 'The socket connection was closed unexpectedly', { code: 'ECONNRESET' }),
      'transient transient',
    ],
    [
      'headers that do not come',
      named('ProviderHeaderTimeoutError', 'Provider response headers timed out after 10000ms'),
      'timeout transient',
    ],
    [
      'a closed WebSocket',
      named('ProviderResponseStreamError', 'WebSocket closed before response.completed (code 1006)'),
      'transient transient',
    ],
    ['status 409', apiCall('x', { statusCode: 409 }), 'transient transient'],
    ['status 500', apiCall('x', { statusCode: 500 }), 'transient transient'],
    ['status 529', apiCall('x', { statusCode: 529 }), 'transient transient'],
    ['status 401', apiCall('x', { statusCode: 401 }), 'permanent permanent'],
    ['status 403', apiCall('x', { statusCode: 403 }), 'permanent permanent'],
    ['status 404', apiCall('x', { statusCode: 404 }), 'permanent permanent'],
    ['no status', apiCall('x', {}), 'unknown unknown'],
  ])('%s', (_title, input, expected) => {
    expect(seen(input)).toBe(expected)
  })

  it('are an abort if the caller aborted, no matter what broke because of it', () => {
    const broken = named('Error', 'ZlibError fetching "https://x"', { code: 'ZlibError' })
    expect(seen(broken, { own: { aborted: true } })).toBe('aborted unknown')
  })
})

describe('what opencode clients return', () => {
  const answered = (status: number, error: unknown) => ({ error, request: {}, response: { status } })
  const threw = (message: string, cause: unknown) => new Error(message, { cause })
  const cut = (code: string) => new TypeError('fetch failed', { cause: named('Error', '', { code }) })

  it.each<[string, unknown, string]>([
    [
      '400, named',
      answered(400, { name: 'BadRequest', data: { message: 'bad', kind: 'Payload' } }),
      'permanent permanent',
    ],
    ['400, tagged', answered(400, { _tag: 'BadRequest' }), 'permanent permanent'],
    [
      '400 on an API route',
      answered(400, { _tag: 'InvalidRequestError', message: 'x', field: 'y' }),
      'permanent permanent',
    ],
    [
      '404',
      answered(404, { name: 'NotFoundError', data: { message: 'Session not found: x' } }),
      'permanent permanent',
    ],
    [
      '409',
      answered(409, { _tag: 'SessionBusyError', sessionID: 's', message: 'busy' }),
      'transient transient',
    ],
    ['502 with a page', answered(502, '<html>Bad Gateway</html>'), 'transient transient'],
    ['503, empty', answered(503, {}), 'transient transient'],
    ['503, tagged', answered(503, { _tag: 'ServiceUnavailableError', message: 'x' }), 'transient transient'],
    [
      '500 with a reference, which may hide a model that is not there',
      answered(500, {
        name: 'UnknownError',
        data: { message: 'Unexpected server error. Check server logs for details.', ref: 'err_9' },
      }),
      'unknown unknown',
    ],
    [
      'thrown, 400',
      threw('bad', { body: { name: 'BadRequest', data: { message: 'bad' } }, status: 400 }),
      'permanent permanent',
    ],
    [
      'thrown, 400 tagged',
      threw('POST http://x 400 Bad Request', { body: { _tag: 'BadRequest' }, status: 400 }),
      'permanent permanent',
    ],
    [
      'thrown, 503 empty',
      threw('opencode server POST http://x 503 Service Unavailable: (empty response body)', {
        body: '',
        status: 503,
      }),
      'transient transient',
    ],
    ['a body cut off', new SyntaxError('Unexpected end of JSON input'), 'transient transient'],
    ['a socket closed', cut('UND_ERR_SOCKET'), 'transient transient'],
    ['a connection refused', cut('ECONNREFUSED'), 'transient transient'],
    ['an abort', named('AbortError', 'This operation was aborted'), 'aborted unknown'],
    [
      'returned instead of thrown',
      { error: cut('UND_ERR_SOCKET'), response: undefined },
      'transient transient',
    ],
  ])('%s', (_title, input, expected) => {
    expect(seen(input, { returned: !(input instanceof Error) })).toBe(expected)
  })
})

describe('errors in the messages and events of opencode', () => {
  const inAnswer = (error: unknown) => ({
    data: { info: { role: 'assistant', error }, parts: [{ type: 'text', text: '## Verdict: APPR' }] },
    response: { status: 200 },
  })

  it.each<[string, object, string]>([
    ['ProviderAuthError', { providerID: 'p', message: 'no key' }, 'permanent permanent'],
    ['UnknownError', { message: 'something' }, 'unknown unknown'],
    ['MessageOutputLengthError', {}, 'permanent permanent'],
    ['MessageAbortedError', { message: 'Aborted' }, 'aborted unknown'],
    ['APIError', { message: 'Overloaded', statusCode: 529, isRetryable: true }, 'transient transient'],
    ['ContextOverflowError', { message: 'x' }, 'permanent permanent'],
    ['ContentFilterError', { message: 'x' }, 'permanent permanent'],
    ['StructuredOutputError', { message: 'x', retries: 2 }, 'permanent permanent'],
  ])('%s is recognised although the answer came with 200 and some text', (name, data, expected) => {
    expect(seen(inAnswer({ name, data }), { returned: true })).toBe(expected)
  })

  it('are recognised without a name too', () => {
    const flat = { message: 'Overloaded', statusCode: 529, isRetryable: true }
    expect(seen(flat)).toBe('transient transient')
    expect(seen({ type: 'unknown', message: 'something happened' })).toBe('unknown unknown')
  })

  it('are not assumed if there are none', () => {
    expect(classify(inAnswer(undefined), { returned: true })).toBeNull()
  })
})
