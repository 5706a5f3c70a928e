import { describe, expect, it } from 'vitest'
import { type Vector, vectorsOf } from '../../test/vectors.ts'
import { classify } from './classify.ts'
import type { Failure, FailureClass } from './failure.ts'

/**
 * The retry queue that Mulligan adopted this from knew three exception classes, and read a returned value as failed by
 * `error` or `success: false`. Its decisions hold here, in our classes; the catalogue adds what it did not know.
 */
type Theirs = 'transient' | 'permanent' | 'unknown'

/** It had no throttle class, and a deadline was transient. */
function theirs({ class: cls }: Failure): Theirs | FailureClass {
  return cls === 'timeout' ? 'transient' : cls
}

interface Thrown {
  type: string
  message: string
  attrs?: Record<string, unknown>
  inner?: Thrown | string
}

/** The closest thing to a Python exception: its class is the error's name, its attributes are fields. */
function thrown({ type, message, attrs = {}, inner }: Thrown): Error {
  const cause = typeof inner === 'object' ? thrown(inner) : inner
  return Object.assign(
    new Error(message),
    { name: type },
    attrs,
    cause === undefined ? {} : { reason: cause },
  )
}

const known = (error_kind: string) => ({ attrs: { error_kind } })

describe('what is thrown', () => {
  it.each<[Theirs, string, Thrown]>([
    ['transient', 'timeout', { type: 'TimeoutError', message: '' }],
    ['transient', 'timeout', { type: 'TimeoutError', message: 'still timing out' }],
    ['transient', 'network', { type: 'ConnectionRefusedError', message: '' }],
    ['transient', 'network', { type: 'ConnectionResetError', message: '' }],
    ['transient', 'network', { type: 'ConnectionAbortedError', message: '' }],
    ['transient', 'network', { type: 'RuntimeError', message: 'the bridge is not available' }],
    ['transient', 'network', { type: 'RuntimeError', message: 'Notes are not running' }],
    ['transient', 'network', { type: 'RuntimeError', message: 'Messaging service not running' }],
    ['transient', 'network', { type: 'RuntimeError', message: 'Service unreachable' }],
    ['transient', 'network', { type: 'OSError', message: 'Network is unreachable' }],
    ['transient', 'network', { type: 'OSError', message: 'connection refused' }],
    ['transient', 'network', { type: 'OSError', message: 'WinError 10061: connection refused' }],
    ['transient', 'network', { type: 'OSError', message: '[Errno 111]' }],
    ['transient', 'network', { type: 'OSError', message: 'errno 104 while reading' }],
    ['transient', 'network', { type: 'OSError', message: 'connection aborted' }],
    ['transient', 'overloaded', { type: 'Exception', message: 'temporarily unavailable' }],
    ['transient', 'overloaded', { type: 'Exception', message: 'Service Unavailable' }],
    ['transient', 'timeout', { type: 'Exception', message: 'Request timed out after 15s' }],
    ['transient', 'timeout', { type: 'Exception', message: 'urlopen error: timed out' }],
    ['transient', 'timeout', { type: 'Exception', message: 'bridge timeout' }],
    [
      'transient',
      'timeout',
      { type: 'URLError', message: 'x', inner: { type: 'TimeoutError', message: '' } },
    ],
    ['transient', 'network', { type: 'URLError', message: 'x', inner: 'connection refused' }],
    ['permanent', 'code_bug', { type: 'TypeError', message: 'missing arg' }],
    ['permanent', 'code_bug', { type: 'KeyError', message: "'bad_key'" }],
    ['permanent', 'code_bug', { type: 'KeyError', message: "'rate_limit'" }],
    ['permanent', 'code_bug', { type: 'ValueError', message: 'invalid' }],
    ['permanent', 'code_bug', { type: 'AttributeError', message: "'str' object has no attribute 'x'" }],
    ['permanent', 'code_bug', { type: 'SyntaxError', message: 'invalid syntax' }],
    ['permanent', 'not_found', { type: 'ImportError', message: 'cannot import name x' }],
    ['permanent', 'not_found', { type: 'ModuleNotFoundError', message: "No module named 'x'" }],
    ['permanent', 'permission', { type: 'PermissionError', message: 'denied' }],
    ['permanent', 'not_found', { type: 'FileNotFoundError', message: 'nope' }],
    ['permanent', 'permission', { type: 'ConsentRequired', message: 'x' }],
    ['permanent', 'config', { type: 'ToolUnavailable', message: 'x' }],
    ['unknown', 'unknown', { type: 'RuntimeError', message: 'something went wrong' }],
    ['unknown', 'unknown', { type: 'Exception', message: 'not available' }],
    ['unknown', 'unknown', { type: 'CustomError', message: 'custom' }],
    // It matched "timeout" inside any word; an option with that name is not a deadline.
    ['permanent', 'invalid_request', { type: 'Exception', message: 'set timeout=0 is invalid' }],
    ['unknown', 'unknown', { type: 'Exception', message: 'entered unreachable state' }],
  ])('%s: a %s is %o', (cls, kind, exception) => {
    const failure = classify(thrown(exception)) as Failure
    expect([theirs(failure), failure.kind]).toEqual([cls, kind])
  })

  it.each<[string, Thrown]>([
    ['throttle/rate_limit', { type: 'Exception', message: '429 Too Many Requests' }],
    ['throttle/rate_limit', { type: 'Exception', message: 'rate limit' }],
    ['transient/server_error', { type: 'Exception', message: '502 Bad Gateway' }],
    ['timeout/timeout', { type: 'Exception', message: 'ETIMEDOUT' }],
    ['transient/eof', { type: 'Exception', message: 'socket hang up' }],
    ['transient/network', { type: 'BrokenPipeError', message: 'pipe' }],
    // A name that only says something was wrong gives way to words that say what.
    ['timeout/timeout', { type: 'ValueError', message: 'request timed out' }],
  ])('%s, where it knew nothing or was misled: %o', (wanted, exception) => {
    const failure = classify(thrown(exception)) as Failure
    expect(`${failure.class}/${failure.kind}`).toBe(wanted)
  })

  it('is named by its kind, no matter its text and class', () => {
    const failure = classify(thrown({ type: 'Foreign', message: 'xyzzy', ...known('obsidian_timeout') }))
    expect(failure).toMatchObject({ class: 'timeout', code: 'obsidian_timeout', effect: 'maybe' })
    const untyped = classify(thrown({ type: 'Foreign', message: 'timed out' })) as Failure
    expect(untyped.class).toBe('timeout')
    expect(untyped).not.toHaveProperty('code')
  })

  it('keeps its text if all of it is in angle brackets', () => {
    const failure = classify(thrown({ type: 'URLError', message: '<urlopen error timed out>' }))
    expect(failure?.message).toBe('urlopen error timed out')
  })

  const lines = vectorsOf('workbuddy', 'classify_error')
  it.skipIf(lines.length === 0).each(lines)('$id', ({ input, expected }) => {
    const exception = input.exception as Thrown
    const got = theirs(classify(thrown(exception)) as Failure)
    if (expected.class === 'unknown') expect(got).not.toBe('permanent')
    else if (exception.type === 'ValueError' && /timed out|timeout/.test(exception.message))
      expect(got).toBe('transient')
    else expect(got).toBe(expected.class)
  })
})

/** What a tool returned; null if that is not a failure. */
const returned = (value: unknown) => classify(value, { returned: true })

describe('what is returned', () => {
  it.each<[unknown, string]>([
    [{ error: 'something broke' }, 'something broke'],
    [{ success: false, message: 'Failed to write note' }, 'Failed to write note'],
    [{ success: false }, 'it returned success=false'],
    [{ success: false, message: '' }, 'it returned success=false'],
    [{ success: false, message: null }, 'it returned success=false'],
    [{ ok: false }, 'it returned ok=false'],
    [{ error: 'explicit error', success: false, message: 'msg' }, 'explicit error'],
    [{ error: 'explicit error', success: true }, 'explicit error'],
    [{ success: false, error: '', message: 'Task not found' }, 'Task not found'],
  ])('%j failed: %s', (value, message) => {
    expect(returned(value)?.message).toBe(message)
  })

  it.each([
    [{ success: true, data: 'ok' }],
    [{ success: true }],
    [{ data: [1, 2, 3] }],
    [{ error: null }],
    [{ error: '' }],
    [{ error: false }],
    [{}],
    [[]],
    ['just a string'],
    ['timed out'],
    [42],
    [null],
    [undefined],
  ])('%j did not fail', value => {
    expect(returned(value)).toBeNull()
  })

  it.each<[Theirs, unknown]>([
    ['transient', { error: 'Bridge timed out' }],
    ['transient', { error: 'bridge timeout' }],
    ['transient', { error: 'connection refused' }],
    ['transient', { error: 'Service unreachable' }],
    ['transient', { success: false, message: 'bridge unreachable' }],
    ['transient', { error: 'bridge unreachable', error_kind: 'some_future_kind' }],
    ['transient', { error: 'timed out', error_kind: 42 }],
    ['permanent', { error: 'Invalid parameter: foo' }],
    ['permanent', { success: false, message: 'Invalid parameter: bad_key' }],
    ['permanent', { success: false, message: 'Task not found' }],
    ['unknown', { success: false, message: 'bad input' }],
    ['unknown', { error: 'bad input', error_kind: 'some_future_kind' }],
    ['permanent', { error: 'set timeout=0 is invalid' }],
  ])('%s: %j', (cls, value) => {
    expect(theirs(returned(value) as Failure)).toBe(cls)
  })

  it.each<[string, string]>([
    ['obsidian_unreachable', 'transient/network'],
    ['obsidian_startup_race', 'transient/loading'],
    ['obsidian_timeout', 'timeout/timeout'],
    ['obsidian_post_write_uncertain', 'timeout/timeout'],
    ['obsidian_editor_conflict', 'transient/conflict'],
    ['obsidian_server_error', 'transient/server_error'],
    ['obsidian_http_error', 'transient/server_error'],
    ['obsidian_unknown', 'transient/server_error'],
    ['obsidian_bridge_circuit_open', 'transient/overloaded'],
    ['obsidian_refused', 'permanent/invalid_request'],
    ['obsidian_not_running', 'permanent/config'],
    ['obsidian_plugin_missing', 'permanent/config'],
    ['obsidian_plugin_disabled', 'permanent/config'],
    ['server_unreachable', 'transient/network'],
    ['mcp_fetch_failed', 'transient/network'],
    ['mcp_gateway_timeout', 'timeout/timeout'],
    ['lm_link_dropped', 'transient/stream_cut'],
    ['malformed_response', 'transient/bad_json'],
    ['server_error', 'transient/server_error'],
    ['timeout', 'timeout/timeout'],
    ['bad_request', 'permanent/invalid_request'],
    ['model_not_available', 'permanent/model_not_found'],
    ['model_unsupported', 'permanent/model_not_found'],
    ['context_exceeded', 'permanent/context_overflow'],
    ['rate_limit', 'throttle/rate_limit'],
    ['auth', 'permanent/auth'],
    ['unknown', 'unknown/unknown'],
  ])('with error_kind %s is %s, no matter what its text says', (error_kind, wanted) => {
    const failure = returned({ error: 'anything', error_kind }) as Failure
    expect(`${failure.class}/${failure.kind}`).toBe(wanted)
    if (wanted.startsWith('unknown')) return
    for (const error of ['temporarily unavailable', 'invalid api key', 'HTTP 429', 'database is locked']) {
      const failure = returned({ error, error_kind }) as Failure
      expect(`${failure.class}/${failure.kind}`).toBe(wanted)
      expect(failure.code).toBe(error_kind)
    }
  })

  const verdicts = vectorsOf('workbuddy', 'transient_result')
  it.skipIf(verdicts.length === 0).each(verdicts)('$id', ({ input, expected }) => {
    const failure = returned(input.result)
    // An empty value is a result like any other; the original saw it only after something else had failed.
    if (input.result === null) expect(failure).toBeNull()
    else expect(failure !== null && theirs(failure) === 'transient').toBe(expected.transient)
  })

  const errors: readonly Vector[] = vectorsOf('workbuddy', 'result_error')
  it.skipIf(errors.length === 0).each(errors)('$id', ({ input, expected }) => {
    const failure = returned(input.result)
    if (expected.error === null) expect(failure).toBeNull()
    else expect(failure?.message).toMatch(spoken(input.result) ?? /success=false/)
  })
})

/** The message of a result. */
function spoken(result: unknown): string | undefined {
  const { error, message } = result as { error?: string; message?: string }
  return error || message || undefined
}
