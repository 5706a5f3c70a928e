import { describe, expect, it } from 'vitest'
import { headerWords, shapeWords } from './shapes.ts'

const fieldsOf = (value: object) => new Map(Object.entries(value))
const wordsOf = (value: object) => shapeWords(fieldsOf(value), fieldsOf)

describe('codes among their neighbours', () => {
  it.each([
    [
      'a SQLSTATE beside a severity',
      { code: '40001', severity: 'ERROR' },
      ['sqlstate=40001', 'sqlstate_class=40'],
    ],
    ['a SQLSTATE by its letters', { code: '40P01' }, ['sqlstate=40p01', 'sqlstate_class=40']],
    [
      "libpq's field for it",
      { exec_status: 'FatalError', status_code: '23505' },
      ['sqlstate=23505', 'sqlstate_class=23'],
    ],
    ["MySQL's own field for it", { errno: 1213, sqlState: '40001' }, ['sqlstate=40001', 'sqlstate_class=40']],
    [
      'a gRPC number beside details and metadata',
      { code: 14, details: 'x', metadata: {} },
      ['grpc=unavailable'],
    ],
    ['a gRPC number in an error of Connect', { name: 'ConnectError', code: 8 }, ['grpc=resource_exhausted']],
    ['the family of an extended SQLite code', { code: 'ERR_SQLITE_ERROR', errcode: 2067 }, ['sqlite=19']],
    ['the event of a closed WebSocket', { code: 1006, reason: '', wasClean: false }, ['close=1006']],
    ['a command in a system call', { syscall: 'spawnSync /bin/sh' }, ['syscall=spawnsync']],
    ['a lookup by record type', { syscall: 'queryMx' }, ['syscall=query']],
    ['a host that cannot exist', { hostname: 'api.nowhere.invalid' }, ['host=reserved']],
    [
      'labels and number of MongoDB',
      { name: 'MongoServerError', code: 91, errorLabels: ['RetryableWriteError'] },
      ['label=retryablewriteerror', 'mongo=91'],
    ],
    [
      "Cloudflare's problem document",
      { cloudflare_error: true, error_code: 1015, error_category: 'rate_limit', retryable: true },
      ['cloudflare=1015', 'cloudflare_category=rate_limit', 'cloudflare_retryable=true'],
    ],
  ])('names %s', (_, value, words) => {
    expect(wordsOf(value)).toEqual(words)
  })

  it.each([
    ['a number of five digits without a database', { code: 40001, message: 'Unauthorized' }],
    ['a small number that may be anything', { code: 14, message: 'x' }],
    ['a number of four digits that may be anything', { code: 1006, message: 'x' }],
    ['a host that merely begins like a reserved one', { hostname: 'test.example.com' }],
  ])('says nothing about %s', (_, value) => {
    expect(wordsOf(value)).toEqual([])
  })
})

describe('headers that name a cause', () => {
  it('become words', () => {
    expect(headerWords('x-vercel-error', 'FUNCTION_THROTTLED')).toEqual(['x-vercel-error=function_throttled'])
    expect(headerWords('proxy-status', 'edge; error=connection_refused; details="x"')).toEqual([
      'proxy-status=connection_refused',
    ])
  })

  it('are few', () => {
    expect(headerWords('content-type', 'text/html')).toEqual([])
  })
})
