import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

const classified = (value: unknown) => classify(value, { returned: true })

describe('a returned value that talks about an end is not a failure', () => {
  it.each([
    [{ status: 'cancelled', order: 5 }],
    [{ status: 'canceled', order_id: 'A-7', refunded: true }],
    [{ status: 'expired', plan: 'x' }],
    [{ id: 9, status: 'expired', coupon: 'SPRING', valid_until: '2026-01-01' }],
    [{ status: 'failed', test: 'login', retries: 2 }],
    [{ status: 'incomplete', profile: { name: 'Jo' } }],
    [{ status: 'timeout', seconds: 30 }],
    [{ detail: 'All good here' }],
    [{ detail: 'Deployed version 7 to production' }],
    [{ detail: 'The limit of the kettle is reached at 1.7 litres' }],
    [{ detail: 'Request was throttled.' }],
    [{ error: null }],
    [{ error: false }],
    [{ error: '' }],
    [{ error: undefined, data: [] }],
    [{ errors: [] }],
    [{ errors: null, data: { a: 1 } }],
    [{ errors: 0, warnings: 3 }],
    [{ code: 0, message: 'ok' }],
    [{ code: 0, msg: 'success', data: {} }],
    [{ code: 200, message: 'OK' }],
    [{ code: 3, message: 'page' }],
    [{ code: 11, message: 'Unknown author, about 1680' }],
    [{ code: -40, message: 'freezing' }],
    [{ name: 'AbortError', message: 'a talk by Jo' }],
    [{ code: 1012, message: 'Missing Link', year: 2019 }],
    [{ code: 7, message: 'permission', details: 'of the park' }],
    [{ kind: 'Status', apiVersion: 'v1', status: 'Success', details: { name: 'api' } }],
    [{ kind: 'Job', apiVersion: 'v1', status: 'Failure', message: 'not scheduled' }],
    [{ success: true, error: '' }],
    [{ success: true, error: null, data: [1] }],
    [{ ok: true }],
    [{ isError: false, content: [{ type: 'text', text: 'Error: 429' }] }],
    [{ status: 'success', message: 'the error was fixed' }],
    [{ message: 'Rate limit exceeded is what the page says' }],
    [{ name: 'TimeoutError', count: 3 }],
    [{ name: 'TimeoutError', data: { count: 3 } }],
    [{ name: 'TimeoutError', data: { message: 'seen 3 times' }, page: 2 }],
    [{ type: 'result', subtype: 'success', is_error: false, result: 'done' }],
    [null],
    [undefined],
    [''],
    ['Error: 429 Too Many Requests'],
    [429],
    [[]],
    [[{ status: 'failed' }, { status: 'ok' }]],
  ])('%j', value => {
    expect(classified(value)).toBeNull()
  })
})

describe('a returned value that reports its own failure is one', () => {
  it.each([
    [{ error: 'rate limit exceeded' }],
    [{ error: { message: 'no' } }],
    [{ error: true, message: 'x' }],
    [{ success: false }],
    [{ success: false, message: 'quota exceeded' }],
    [{ ok: false, error: 'invalid_auth' }],
    [{ status: 'error', message: 'something odd' }],
    [{ status: 'failed', error: 'boom' }],
    [{ status: 'failed', reason: 'no capacity' }],
    [{ status: 'failed' }],
    [{ status: 'cancelled', object: 'response', output: [] }],
    [{ id: 'b', object: 'batch', status: 'expired' }],
    [{ id: 'x', status: 'canceled', error: null, logs: '' }],
    [{ isError: true, content: [{ type: 'text', text: 'boom' }] }],
    [{ jsonrpc: '2.0', id: 1, result: { isError: true, content: [] } }],
    [{ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } }],
    [{ errors: [{ message: 'x' }] }],
    [{ detail: [{ loc: ['body', 'x'], msg: 'field required', type: 'value_error.missing' }] }],
    [{ code: 40001, msg: 'invalid token' }],
    [{ code: 50013, message: 'Missing Permissions' }],
    [{ code: 10008, message: 'Unknown Message' }],
    [{ code: 10000, message: 'Authentication error' }],
    [{ code: 21, message: 'Unable to parse expression' }],
    [{ code: -32050, message: 'node is behind by 42 slots' }],
    [{ code: 3, message: 'invalid page token' }],
    [{ code: 13, message: 'the index is gone', details: [] }],
    [{ code: -32603, message: 'Internal error' }],
    [{ code: -32000, message: 'Server not initialized', data: null }],
    [{ name: 'SocketError', message: 'other side closed' }],
    [{ name: 'FetchError', message: 'Connection reset by peer' }],
    [{ name: 'HTTPError', message: '502 Bad Gateway' }],
    [{ name: 'RateLimitError', message: 'Slow down please' }],
    [{ name: 'OperationalError', message: 'server closed the connection unexpectedly', code: null }],
    [
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'configmaps "x" already exists',
      },
    ],
    [{ type: 'result', subtype: 'error_max_turns', is_error: false, result: '' }],
    [{ type: 'result', subtype: 'success', is_error: true, result: 'Credit balance is too low' }],
  ])('%j', value => {
    expect(classified(value)).not.toBeNull()
  })
})

it('never finds a failure in data without failure marks', () => {
  const marks =
    /error|fail|exception|success|^ok$|status|state|code|ret$|cod$|type|kind|detail|message|stop|finish|result|response|data|output|info|exit|signal|stdout|stderr|body|level|role|choices|candidates|reason|content|unprocessed|feedback|base_resp|output|cmd|pid|returncode|serverContent/i
  const key = fc.string({ minLength: 1, maxLength: 12 }).filter(name => !marks.test(name))
  const leaf = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constant('429 Too Many Requests'),
  )
  fc.assert(
    fc.property(fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf))), value => {
      expect(classified(value)).toBeNull()
    }),
  )
})

describe('an answer that somebody passes on', () => {
  const returned = (value: unknown) => classify(value, { returned: true })

  it('is refused as its status says, under any name of it', () => {
    for (const name of ['httpCode', 'http_code', 'httpStatus', 'http_status']) {
      expect(returned({ [name]: 400, body: '{"error":"name is required"}' })?.class).toBe('permanent')
      expect(returned({ [name]: 200, body: 'all good' })).toBeNull()
    }
  })

  it('is the outcome of a job in a wrapper, too', () => {
    expect(returned({ job: { status: 'failed', error: 'timed out after 300 s' } })?.class).toBe('timeout')
    expect(returned({ deployment: { state: 'ERROR', errorMessage: 'invalid settings' } })?.class).toBe(
      'permanent',
    )
    expect(returned({ job: { status: 'running', error: null } })).toBeNull()
    expect(returned({ issue: { state: 'open', title: 'Error in build' } })).toBeNull()
    expect(returned({ ticket: { status: 'failed', customer: 'A', price: 3 } })).toBeNull()
  })

  it('is a program with one output', () => {
    expect(returned({ exit_code: 1, output: 'curl: (6) Could not resolve host: x.example.com' })?.class).toBe(
      'transient',
    )
    expect(returned({ exit_code: 0, output: 'error: none' })).toBeNull()
  })
})
