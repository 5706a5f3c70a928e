import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'
import { isFineAnswer } from './observe.ts'

const silent = (stderr: string) => ({ exitCode: 0, signal: null, stdout: '', stderr: `${stderr}\n` })
const classOf = (input: unknown, context = {}) => classify(input, context)?.class

describe('a program that exits 0, prints nothing and says why on stderr', () => {
  it.each([
    ['GraphQL: API rate limit exceeded for installation ID 4711.', 'throttle'],
    ['some-tool: your monthly request quota has been used up, see billing', 'throttle'],
    ['Login: session expired', 'permanent'],
    ['gateway: request timed out', 'timeout'],
    ['NotFoundError: NotFoundError\n data: {\n  message: "Session not found: s_1",\n},', 'permanent'],
  ])('failed: %s', (stderr, cls) => {
    expect(classOf(silent(stderr), { provider: 'some-tool' })).toBe(cls)
    expect(classOf(silent(stderr), { provider: 'opencode' })).toBe(cls)
  })

  it.each([
    'warning: rate limit nearly reached, 3 requests left',
    'Rate limit hit, retrying in 5 s\nfinished',
    'Rate limit reached for the mirror, falling back to the cache',
    'Connection timed out, using the cached index',
    'note: the token expired and was renewed, done',
    'remote: limit of 100 MB reached by 0 files',
    'Cloning into repo...\nremote: Counting objects: 100% (3/3), done.',
    'Compiling limits v0.2.0\nFinished dev profile in 2.1 s',
    'max retries: 3',
  ])('did not fail if it went on, or only remarks on something: %s', stderr => {
    expect(classOf(silent(stderr), { provider: 'some-tool' })).toBeUndefined()
  })
})

describe('partly refused batches', () => {
  const refused = { ErrorCode: 'ProvisionedThroughputExceededException', ErrorMessage: 'Rate exceeded' }
  it.each(['FailedRecordCount', 'FailedPutCount', 'FailedEntryCount'])('failed by their count: %s', count => {
    const answer = { [count]: 1, Records: [{ SequenceNumber: '1' }, refused] }
    expect(classOf(answer, { returned: true })).toBe('throttle')
    expect(isFineAnswer(answer)).toBe(false)
  })

  it.each([
    { FailedRecordCount: 0, Records: [{ SequenceNumber: '1' }] },
    { FailedRecordCount: 3, note: 'of last week' },
  ])('did not fail where the count is zero, or nothing was refused: %j', answer => {
    expect(classOf(answer, { returned: true })).toBeUndefined()
  })
})

describe('a function that threw, with status 200', () => {
  const thrown = (errorMessage: string) => ({
    StatusCode: 200,
    FunctionError: 'Unhandled',
    Payload: JSON.stringify({ errorMessage }),
  })
  it('failed with what it threw', () => {
    expect(classOf(thrown('Task timed out after 3.00 seconds'), { returned: true })).toBe('timeout')
    expect(classOf(thrown('429 Too Many Requests'), { returned: true })).toBe('throttle')
  })
  it('did not fail without the flag', () => {
    const { FunctionError, ...fine } = thrown('Task timed out after 3.00 seconds')
    expect(FunctionError).toBe('Unhandled')
    expect(classOf(fine, { returned: true })).toBeUndefined()
  })
})

describe('a tool that forgot the flag', () => {
  const answer = (...texts: string[]) => ({
    content: texts.map(text => ({ type: 'text', text })),
    isError: false,
  })
  it.each([
    ['{"status": "error", "message": "Paper 0000.00000 not found"}', 'permanent'],
    ['{"success": false, "error": "Too many requests"}', 'throttle'],
    ['{"ok": false, "error": "connect ECONNREFUSED 127.0.0.1:1"}', 'transient'],
  ])('failed if its whole answer is a failed outcome: %s', (text, cls) => {
    expect(classOf(answer(text), { returned: true })).toBe(cls)
    expect(isFineAnswer(answer(text))).toBe(false)
  })
  it.each([
    ['{"status": "ok", "message": "Paper found"}'],
    ['{"status": "error", "student": "Bob", "message": "missed"}'],
    ['{"error": "Too many requests"}'],
    ['The log says {"status": "error", "message": "timed out"}'],
    ['{"status": "error", "message": "timed out"}', 'second part'],
    ['{"status": "error", '],
  ])('did not fail: %s', (...texts) => {
    expect(classOf(answer(...texts), { returned: true })).toBeUndefined()
  })
})

describe('an answer that a gateway wrote in place of the model', () => {
  const answer = (content: string) => ({
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  })
  it.each([
    ['[SomeRoute] Upstream returned an empty response. Please retry.', 'transient'],
    ['[my-gateway] Rate limit exceeded. Please try again later.', 'throttle'],
  ])('failed: %s', (content, cls) => {
    expect(classOf(answer(content), { returned: true })).toBe(cls)
    expect(classOf({ status: 200, headers: {}, body: JSON.stringify(answer(content)) })).toBe(cls)
    expect(isFineAnswer(answer(content))).toBe(false)
  })
  it.each([
    '[1] Rate limits are explained in chapter 3.',
    '[Note] I added a retry for empty responses.',
    '[]',
    '["rate limit exceeded", "timed out"]',
    'Upstream returned an empty response. Please retry.',
  ])('did not fail: %s', content => {
    expect(classOf(answer(content), { returned: true })).toBeUndefined()
  })
})

describe('an error object inside the wrapper of an answer', () => {
  const error = { code: '4820', message: 'API call cannot be completed as you have exceeded the rate limit' }
  it.each([
    { response: { error, uri: '/leads' } },
    { result: { error } },
    { data: { error, status: 'error' } },
  ])('failed: %j', answer => {
    expect(classOf(answer, { returned: true })).toBe('throttle')
    expect(classOf({ status: 200, headers: {}, body: JSON.stringify(answer) })).toBe('throttle')
  })
  it.each([
    { response: { error: null, uri: '/leads' } },
    { data: { id: 3, name: 'nightly', error } },
    { result: { error: { code: 3 } } },
    { response: { error: 'none', uri: '/leads' } },
  ])('did not fail if it is about something, or says nothing: %j', answer => {
    expect(classOf(answer, { returned: true })).toBeUndefined()
  })
})
