import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

const answerTo = (input: unknown) => {
  const failure = classify(input)
  return failure && `${failure.class}/${failure.kind}`
}

describe('money that is not enough', () => {
  it.each([
    'You do not have enough credits to run this task.',
    'Your team does not have sufficient funds for this call',
    "Sorry, you don't have enough balance",
    "This account doesn't have enough money for the purchase",
  ])('is billing: %s', said => expect(answerTo(said)).toBe('throttle/billing'))

  it.each(['You do not have enough memory', 'You do not have enough quota per minute, slow down'])(
    'is not billing: %s',
    said => expect(answerTo(said)).not.toBe('throttle/billing'),
  )
})

describe('an encrypted connection', () => {
  it.each([
    'TLS error: native-tls error: connection closed via error',
    'TLS error: connection closed by peer',
    'ssl error: connection was closed during handshake',
  ])('that was closed is tried again: %s', said => expect(answerTo(said)).toBe('transient/network'))

  it.each([
    'TLS error: certificate verify failed, connection closed',
    'SSL error: self signed certificate; connection closed',
    'TLS error: no cipher in common',
  ])('that was refused is not: %s', said => expect(answerTo(said)).toBe('permanent/tls'))
})

describe('the hint at a backtrace', () => {
  const hint = 'Backtrace omitted. Run with RUST_BACKTRACE=1 environment variable to display it.'

  it.each([
    ['The model you selected is temporarily unavailable', 'transient/overloaded'],
    ['error sending request: connection refused', 'transient/network'],
    ['invalid api key', 'permanent/auth'],
    ["thread 'main' panicked at src/a.rs:1", 'permanent/code_bug'],
  ])('gives way to the cause above it: %s', (said, answer) => {
    expect(answerTo(`0: ${said}\n\nLocation:\n  src/main.rs:7\n\n${hint}`)).toBe(answer)
  })

  it('is a crash if nothing else is said', () => expect(answerTo(hint)).toBe('unknown/crash'))
})

describe('silence', () => {
  it.each([
    'Agent killed after 600.0s of inactivity',
    'worker stopped: 5 minutes without output',
    'Session ended after 90 seconds of silence',
    'codex idle 120s, aborting',
    'Watchdog: kimi silent 300s — killing',
  ])('that ended a run is a timeout: %s', said => expect(classify(said)?.class).toBe('timeout'))

  it.each([
    'Your project was paused after 7 days of inactivity',
    'Account closed after 12 months of inactivity',
    'The pod was killed',
  ])('of an account is none: %s', said => expect(classify(said)?.class).not.toBe('timeout'))

  it('in the words of a refused request does not make it worth a retry', () => {
    const error = { type: 'invalid_request_error', message: 'Sessions end after 30 minutes of inactivity' }
    expect(classify({ status: 400, headers: {}, body: { error } })?.class).toBe('permanent')
  })
})

describe('a status that a relay did not like', () => {
  const refused = (status: number) => ({
    message: `${status} openai_error`,
    status,
    error: { message: 'openai_error', type: 'bad_response_status_code', code: 'bad_response_status_code' },
  })
  it.each([
    [refused(404), 'permanent/not_found'],
    [refused(400), 'permanent/invalid_request'],
    [refused(403), 'permanent/forbidden'],
    [refused(503), 'transient/overloaded'],
    ['bad response: not JSON', 'transient/bad_json'],
  ])('decides, not the word "bad": %j', (input, answer) => expect(answerTo(input)).toBe(answer))
})

describe('a mistake that stays', () => {
  it.each([
    'ERROR: division by zero',
    'attempt to divide by zero',
    'jq: error (at <stdin>:1): Cannot index number with string "b"',
    'jq: error: Cannot iterate over null',
    'awk: cmd. line:1: ^ unexpected newline or end of string',
    'ccusage native binary is not available for linux-x64',
    'this package is not supported on Windows',
    'Error: None of the specified directories are accessible',
    'None of the given paths could be opened',
    'gpg: no valid OpenPGP data found.',
    'libcurl was not built with HTTP2',
    'PHP has not been compiled with sockets',
    'Server error: not enough memory for the batch. You need to decrease the number of prefill tokens',
    'Request is denied!',
    'could not load model: failed loading model',
  ])('is permanent: %s', said => expect(classify(said)?.class).toBe('permanent'))

  it.each([
    ['unexpected end of JSON input', 'transient'],
    ['None of the configured nodes are available', 'transient'],
    ['Your request was denied due to request throttling.', 'throttle'],
    ['429 Too Many Requests: you need to decrease your request rate', 'throttle'],
    ['The model is loading, retry in 20s', 'transient'],
    ['failed loading weights: connection refused', 'transient'],
  ])('is not confused with what passes: %s', (said, cls) => expect(classify(said)?.class).toBe(cls))
})
