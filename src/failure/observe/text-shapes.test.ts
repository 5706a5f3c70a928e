import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Prefilter } from '../text/prefilter.ts'
import { textWords } from './text-shapes.ts'

/** A prefilter that rules nothing out. */
const ALL: Prefilter = { text: '', pairs: new Array<number>(32).fill(-1), exact: undefined, lowered: '' }

/** Every text in the labelled failures. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

describe('codes stated in a text', () => {
  it.each([
    ['Error: 14 UNAVAILABLE: No connection established', ['grpc=unavailable']],
    ['rpc error: code = DeadlineExceeded desc = context deadline exceeded', ['grpc=deadline_exceeded']],
    ['Session closed with error code 11', ['http2=enhance_your_calm']],
    ['Stream closed with error code NGHTTP2_REFUSED_STREAM', ['http2=refused_stream']],
    ['Channel closed by server: 404 (NOT-FOUND) with message "x"', ['amqp=404']],
    ['WebSocket connection closed (code: 1006, reason: none)', ['close=1006']],
    ['ERROR: deadlock detected (SQLSTATE 40P01)', ['sqlstate=40p01', 'sqlstate_class=40']],
    ['ERROR 1213 (40001): Deadlock found', ['errno=1213', 'sqlstate=40001', 'sqlstate_class=40']],
    ['MCP error -32001: Request timed out', ['code=-32001']],
    ['error code: 1015', ['cloudflare=1015']],
    ['API Error: 530 error code: 1016. This is a server-side issue', ['cloudflare=1016']],
    ['unexpected status 530 <unknown status code>: error code: 1016, url: x', ['cloudflare=1016']],
    ['API Error: 401 error code: 1001', []],
    ['getaddrinfo ENOTFOUND api.nowhere.invalid', ['host=reserved']],
    ['curl: (28) Operation timed out', ['curl=28']],
    ['ORA-03113: end-of-file on communication channel', ['ora=3113']],
    ['SetNamedSecurityInfoW sandbox dir failed: 5', ['win32=5']],
    ['CreateFileW failed with error 32', ['win32=32']],
    [
      'received a non-SSE response (Content-Type: text/html). Body prefix: <html><form><input name="SAMLRequest"></form></html>',
      ['page=login'],
    ],
    ['550 5.4.5 Daily user sending limit exceeded', ['smtp=550', 'smtp=5.4.5']],
  ])('%s', (text, words) => {
    expect(textWords(text)).toEqual(words)
  })

  it.each([
    'connected to ws://localhost:3000, then closed the laptop',
    'getaddrinfo ENOTFOUND test.example.com',
    'exit code: 1015 lines were read',
    'updated to 5.4.5 in 550 ms',
    'AURORA-03113 is the name of the build',
    'PlanA of 3 steps failed: 5 left',
    'step 14 DONE: next',
    'wrote login.html: <html><form><input name="SAMLRequest"></form></html>',
    'received a non-SSE response (Content-Type: text/html). Body prefix: <html><title>Welcome</title></html>',
  ])('finds none in: %s', text => {
    expect(textWords(text)).toEqual([])
  })

  it('misses nothing because of the prefilter', () => {
    const corpus = readFileSync(new URL('../../../corpus/own.jsonl', import.meta.url), 'utf8')
    const texts = corpus
      .trim()
      .split('\n')
      .flatMap(line => textsOf(JSON.parse(line)))
    expect(texts.length).toBeGreaterThan(1_000)
    for (const text of texts) expect(textWords(text), text).toEqual(textWords(text, ALL))
  })
})
