import { expect, it } from 'vitest'
import { parseHttpResponse } from '../../cli/develop/http-response.ts'
import { tableOf } from '../../cli/print/table.ts'
import { nearest } from '../../option/nearest.ts'
import { durationInWords } from '../../verdict/duration-words.ts'

it.each([
  [40, '40 ms'],
  [1_500, '1.5 s'],
  [90_000, '1 min 30 s'],
  [3_600_000, '1 h'],
  [6_600_000, '1 h 50 min'],
  [90_000_000, '1 d 1 h'],
])('says %i ms as %s', (ms, words) => {
  expect(durationInWords(ms)).toBe(words)
})

it('guesses a mistyped word only if one is near', () => {
  expect(nearest('clasify', ['classify', 'eval'])).toBe('classify')
  expect(nearest('evla', ['classify', 'eval'])).toBe('eval')
  expect(nearest('zebra', ['classify', 'eval'])).toBeUndefined()
})

it('aligns columns', () => {
  expect(
    tableOf([
      ['', 'n'],
      ['long name', '5'],
    ]),
  ).toBe('           n\nlong name  5')
})

it('reads the last of several HTTP responses', () => {
  const text =
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 429 Too Many Requests\r\nRetry-After: 3\r\n\r\n{"a":1}\n\nrest'
  expect(parseHttpResponse(text)).toEqual({
    status: 429,
    headers: { 'retry-after': '3' },
    body: '{"a":1}\n\nrest',
  })
  expect(parseHttpResponse('no status line')).toBeUndefined()
})
