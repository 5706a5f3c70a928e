import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

const exited0 = (stdout: string, more: object = {}) => ({
  exitCode: 0,
  signal: null,
  stdout,
  stderr: '',
  ...more,
})
const json = (value: unknown) => `${JSON.stringify(value)}\n`

describe('a program that exits 0 after one JSON document that says it failed', () => {
  it.each([
    [{ error: 'name_taken', error_description: 'project name is already in use' }, 'permanent'],
    [{ ok: false, code: 'not_implemented' }, 'permanent'],
    [{ success: false, error: 'Too many requests', passed: 3 }, 'throttle'],
    [{ success: false, bypassed: 1, reason: 'quota exceeded' }, 'throttle'],
    [{ success: false, error: 'Too many requests, please slow down' }, 'throttle'],
    [{ status: 'error', message: 'connect ECONNREFUSED 127.0.0.1:5432' }, 'transient'],
    [{ error: { code: 401, message: 'Invalid API key' } }, 'permanent'],
    [{ isError: true, content: [{ type: 'text', text: 'Request timed out after 30 s' }] }, 'timeout'],
    [{ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } }, 'permanent'],
  ])('failed: %j', (document, cls) => {
    expect(classify(exited0(json(document)), { provider: 'some-tool' })).toMatchObject({ class: cls })
    expect(classify(exited0(JSON.stringify(document, null, 2)))).toMatchObject({ class: cls })
    expect(classify(document, { returned: true })).toMatchObject({ class: cls })
  })

  it('also failed if its last line is only an error, after lines of progress', () => {
    const lines = [
      { status: 'pulling manifest' },
      { status: 'pulling' },
      { error: 'no space left on device' },
    ]
    expect(classify(exited0(lines.map(json).join('')), { provider: 'some-tool' })).toMatchObject({
      kind: 'disk_full',
    })
  })

  it('also failed if the document is on stderr and nothing else was printed', () => {
    const stderr = json({ error: { message: 'quota exceeded for this project' } })
    expect(classify(exited0('', { stderr }))).toMatchObject({ class: 'throttle' })
  })
})

describe('a program that exits 0 after a document about something', () => {
  it.each([
    [{ ok: true, error: null, errors: [], warnings: ['rate limit exceeded soon'] }],
    [[{ ts: 1, status: 'error', error: 'connection refused' }]],
    [
      [
        { id: 1, error: 'timeout' },
        { id: 2, error: '429' },
      ],
    ],
    [{ items: [{ name: 'a', status: 'failed', error: 'timed out' }], total: 1 }],
    [{ conclusion: 'failure', status: 'completed', name: 'CI', url: 'https://example.com/429' }],
    [{ name: 'Ann', message: 'I got a 429 today' }],
    [{ success: false, numPassedTests: 40, testResults: [{ status: 'failed', message: 'received 500' }] }],
    [{ ok: false, passed: 3, failed: 1, tests: [{ name: 'a', error: 'timed out' }] }],
  ])('succeeded: %j', document => {
    expect(classify(exited0(json(document)), { provider: 'some-tool' })).toBeNull()
  })

  it('succeeded if log rows end with an error', () => {
    const lines = [
      { ts: 1, error: 'timeout' },
      { ts: 2, error: 'connection refused' },
    ]
    expect(classify(exited0(lines.map(json).join('')), { provider: 'some-tool' })).toBeNull()
  })
})

describe('a program that shows what it was asked for', () => {
  const error = json({ error: { message: 'Invalid API key', type: 'authentication_error', code: 401 } })

  it.each(['cat', 'jq', 'curl', 'sqlite3', '/usr/bin/tail', 'bash', 'git', 'kubectl'])(
    'succeeded, no matter what it shows: %s',
    provider => {
      expect(classify(exited0(error), { provider })).toBeNull()
      expect(classify(exited0('Invalid API key\n'), { provider })).toBeNull()
      expect(classify(exited0('Error: connect ECONNREFUSED 127.0.0.1:1\n'), { provider })).toBeNull()
    },
  )

  it.each(['cat error.json', 'curl -s https://example.com | jq .error', 'LC_ALL=C sudo head -1 x.log'])(
    'is known by its command too: %s',
    command => {
      expect(classify(exited0(error, { command }))).toBeNull()
      expect(classify(exited0('Invalid API key\n', { command }))).toBeNull()
    },
  )

  it('still fails by its exit code', () => {
    expect(
      classify({ ...exited0('', { stderr: 'curl: (7) Connection refused' }), exitCode: 7 }),
    ).toMatchObject({
      class: 'transient',
    })
  })
})

describe('a program whose whole output is an error line', () => {
  it.each([
    ['Error: connect ECONNREFUSED 127.0.0.1:5432', 'transient'],
    ['ERROR: 429 Too Many Requests', 'throttle'],
    ['fatal: Authentication failed for https://example.com/a.git', 'permanent'],
    ['OperationalError: database is locked', 'transient'],
    ['❌ Error: Rate limit exceeded. Please try again in 20s.', 'throttle'],
    ['(Agent reached maximum tool call rounds. Stopping.)', 'rail'],
    ['Has excedido tu cuota. Revisa tu cuenta en https://example.com/billing', 'throttle'],
    ['Exception: the flux is misaligned', 'unknown'],
    ['API rate limit exceeded', 'throttle'],
    ['NOAUTH Authentication required.', 'permanent'],
  ])('failed, although it exits 0: %s', (line, cls) => {
    expect(classify(exited0(`${line}\n`), { provider: 'some-tool' })).toMatchObject({ class: cls })
  })

  it.each([
    'Error: 3 found, 3 fixed.',
    'errors: 0',
    'Error handling was added to the client.',
    'No errors found.',
    'The rate limit is 60 requests per minute.',
    'error.json',
    'Maximum iterations: 10',
    'Session expired: no',
    'timeout=30s',
    'id,error\n1,timeout\n2,429',
    'oom_kill 0\ncompact_fail 0',
    'rate_limited 12\ntimed_out   3%\nquota_exceeded 1,204',
    'Error budget: 99.9 % left',
    '0 errors, 2 warnings',
    'Error codes 429 and 529 are retried; 401 is not.',
  ])('did not fail: %s', line => {
    expect(classify(exited0(`${line}\n`), { provider: 'some-tool' })).toBeNull()
  })

  it('did not fail if an agent answers with such a line, or a string is returned', () => {
    const line = 'Error: connect ECONNREFUSED 127.0.0.1:5432'
    expect(classify(line, { returned: true })).toBeNull()
    expect(classify(exited0(error('rate_limit_error')), { provider: 'claude' })).toBeNull()
  })
})

function error(type: string): string {
  return json({ error: { type, message: 'Number of requests has exceeded your rate limit' } })
}

describe('a status after the address it came from', () => {
  it.each([
    ['Transfer failed for https://repo.example.org/a.jar 503 between bytes timeout', 'transient'],
    ['error fetching https://repo.example.org/a.jar: 403', 'permanent'],
    ['read 500 rows from https://repo.example.org/500 pages', 'unknown'],
  ])('%s', (line, cls) => {
    expect(classify({ exitCode: 1, signal: null, stdout: '', stderr: line })?.class).toBe(cls)
  })
})
