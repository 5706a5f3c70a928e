import { expect, it } from 'vitest'
import { classify } from './classify.ts'

it.each([
  "[ 'ECONNREFUSED', 'connection refused' ] [ 'ETIMEDOUT', 'connection timed out' ]",
  "[ 'ETIMEDOUT', 'connection timed out' ]",
  "{ code: 'ECONNRESET', text: 'connection reset' }",
])('a list or an object that a program printed is its answer, although it names errors: %s', stdout => {
  expect(classify({ exitCode: 0, signal: null, stdout: `${stdout}\n`, stderr: '' })).toBeNull()
})

it.each([
  [
    { code: 30104, message: 'Request limit reached. Please retry after one minute.', message_cn: '限制' },
    'rate_limit',
  ],
  [{ code: 40003, message: 'Okta: token has expired' }, 'auth'],
  [{ code: 40003, message: '登录未成功: token has expired' }, 'auth'],
  [{ code: 40003, message: '0 of 5 requests left: rate limit exceeded' }, 'rate_limit'],
  [{ message: 'API error occurred', status: 429, modelId: 'm', providerId: 'p' }, 'rate_limit'],
])('a complaint with a number that says nothing else is a failure, whoever it names: %o', (value, kind) => {
  expect(classify(value, { returned: true })).toMatchObject({ kind })
})

it.each([
  { code: 30104, message: 'Limited edition' },
  { code: 94043, message: 'Mountain View, no parking' },
  { code: 12, message: 'The previous run failed' },
  { code: 30104, message: 'Request limit reached', price: 12 },
  { code: 10000, message: 'Success: 0 failed' },
  { code: 10000, message: 'OK, retry count reset' },
  { code: 10000, message: '120 imported, 0 failed' },
  { code: 10000, message: 'All imported, nothing failed; no need to try again' },
  { code: 10000, message: '登录成功,限制已解除' },
  { code: 20000, message: 'The limit exceeded yesterday is lifted' },
])('a data row with a number and a message is data: %o', value => {
  expect(classify(value, { returned: true })).toBeNull()
})

it.each([
  ['Failed to authenticate the user', 'auth'],
  ['Failed to authenticate: connect ECONNREFUSED 127.0.0.1:443', 'network'],
  ['The app has been throttled due to too many requests\nFailed to authenticate the user', 'rate_limit'],
])('that a login failed says what failed; why it failed decides: %s', (text, kind) => {
  expect(classify(text)).toMatchObject({ kind })
})

it('a count of none that failed to authenticate is no failure', () => {
  const stdout = 'Failed to authenticate: 0\nSucceeded: 120\n'
  expect(classify({ exitCode: 0, signal: null, stdout, stderr: '' })).toBeNull()
})
