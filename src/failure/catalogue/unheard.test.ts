import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

/** Sentences that no rule was written for: a thing and what is the matter with it, in the words of many programs. */
const UNHEARD: Readonly<Record<string, readonly string[]>> = {
  transient: [
    'printer spooler not reachable',
    'Remote worker became unresponsive',
    'the registry could not be contacted',
    'market data gateway temporarily out of service',
    'None of the configured nodes are available',
    'The mail relay refused our connection',
    'proxy got no answer from origin',
    'Rendering farm is at full load',
    'Internal hiccup, please resend',
    'We could not complete your request at this moment, try again in a bit',
    'no leader elected yet',
    'Something went wrong while processing your request',
    'connection to 10.1.2.3:27017 closed',
    'OperationInProgress: the previous rollout has not ended',
    'Failed to lock apt for exclusive operation',
  ],
  throttle: [
    'You have used all of your searches for today',
    'Allowance for this billing cycle is used up; it resets on the 1st.',
    'max 5 requests / second',
    'Hourly send cap met',
    'query rate too high, back off',
    'You may only call this endpoint once every 10 seconds',
    'client exceeded its share of traffic',
    'Reached the cap of 1000 records per hour',
    'throughput limits were exceeded for this partition',
    'Insufficient tokens in wallet to perform this action',
    'You need at least 12 credits for this operation but have 3',
    'Your balance does not cover this call',
    'Account paused until payment is made',
  ],
  timeout: [
    'Gave up on the query after 90s',
    'No reply from worker within 30 seconds',
    'The page took more than 30 s to load',
    'heartbeat missed for 60s, assuming the stream is dead',
    'async callback was not invoked within the 5000 ms timeout',
    'Task ran out of time',
    'the handshake was not completed in time',
    'build cancelled because it ran over the 30 minute limit',
  ],
  permanent: [
    'The user name or password is incorrect',
    'hunk 2: the change does not apply to the file',
    'no required module provides package example.com/x',
    'client certificate was not presented',
    'Two-factor code required',
    'The key you supplied is not known to us',
    'token audience mismatch',
    'Only the owner may delete a board',
    "Unknown database 'prod'",
    'page was moved or never existed',
    'no project matches acme',
    'cron expression has 4 fields, expected 5',
    'exactly one of a or b has to be given',
    'File extension .exe cannot be uploaded',
    'Colour "blurple" is not one of red, green, blue',
    'width out of range',
    'Attachment too big',
    'payload bigger than 10MB',
    'Request refused on safety grounds',
    'The output video may contain sensitive information',
    'Node.js 18 or newer is needed, found 16.3',
    'JSON.parse Invalid package.json: expected property name in JSON at position 2',
  ],
  aborted: ['user hit ctrl-c', 'The run has been stopped by a person'],
  unknown: [
    'it broke',
    'Something went wrong',
    'operation failed',
    'Unknown error',
    'unexpected condition',
    'oops',
  ],
}

describe.each(Object.entries(UNHEARD))('%s, in words that were never heard', (cls, sentences) => {
  it.each(sentences)('%s', sentence => expect(classify(new Error(sentence))?.class).toBe(cls))
})

describe('words of load and connections about something else', () => {
  it.each([
    'This feature is unavailable on the free plan',
    'Item is unavailable in your region',
    'Product is offline: it has been discontinued',
    'Domain is not connected to this project',
    'Overloaded method has no matching signature',
    'fatal: [web-01]: FAILED! => {"msg": "nginxx was refused"} PLAY RECAP web-01 : ok=2 unreachable=0 failed=1',
  ])('are not retried: %s', sentence => {
    expect(['permanent', 'unknown']).toContain(classify(new Error(sentence))?.class)
  })

  it.each(['Queue is empty', 'The search index is empty'])(
    'that may be as they should are unknown: %s',
    sentence => expect(classify(new Error(sentence))?.class).toBe('unknown'),
  )

  it('of a change that goes on overturn a 400 only where the service asks to try again', () => {
    const under400 = (message: string) => classify({ status: 400, headers: {}, body: { message } })?.class
    expect(under400('The resource is currently being updated. Please try again later.')).toBe('transient')
    expect(under400('The profile is currently being edited by its owner.')).toBe('permanent')
  })
})

describe('ordinary words of a product under a 400', () => {
  it.each([
    'The connection type you chose is not available at this address',
    'Delivery slot is full, pick another',
    'The restaurant is busy, and does not accept orders over 50 EUR',
    'Retry policy: attempts must be <= 10',
    'Meeting timed out of office hours',
    'Temporary accounts cannot export data',
    'Server name is overloaded with special characters',
    'page limit exceeded: max 50 pages per document',
    'Only two vouchers a month, and you have used them all',
    'The feed is offline on Sundays, choose another day',
  ])('stay permanent: %s', message => {
    expect(classify({ status: 400, headers: {}, body: { message } })?.class).toBe('permanent')
  })
})

describe('an answer whose fields report a failure under less usual names', () => {
  it.each([
    [{ code: 4003, message: 'signature mismatch' }, 'permanent'],
    [{ code: 1008, message: 'insufficient balance' }, 'throttle'],
    [{ resultCode: 'E0042', resultMsg: 'Customer does not exist' }, 'permanent'],
    [{ errCode: 7, errMsg: 'too many requests' }, 'throttle'],
    [{ returnCode: 'FAIL', returnMsg: 'the sign is invalid' }, 'permanent'],
    [{ succeeded: false, message: 'Downstream unavailable' }, 'transient'],
    [{ Error: { Code: 'NoSuchKey', Message: 'x' } }, 'permanent'],
    [{ __type: 'ValidationException', message: '1 validation error detected' }, 'permanent'],
    [{ fault: { string: 'Invalid ApiKey' } }, 'permanent'],
    [{ Code: 'InvalidParameter', Message: 'The size is wrong', RequestId: 'x' }, 'permanent'],
    [{ status: 'failed', failure: { reason: 'deadline exceeded' } }, 'timeout'],
    [{ statusCode: 403, body: '{"message":"Forbidden"}' }, 'permanent'],
    [{ detail: 'Not authenticated' }, 'permanent'],
    [{ detail: 'rate limited' }, 'throttle'],
    [{ message: 'Bad credentials', documentation_url: 'https://docs.example.com/rest' }, 'permanent'],
  ])('%j', (body, cls) => {
    expect(classify({ status: 200, headers: {}, body })?.class).toBe(cls)
    expect(classify(body, { returned: true })?.class).toBe(cls)
  })

  it.each([
    [{ code: 'PROMO50', message: 'This coupon has expired' }],
    [{ code: 'BLACKFRIDAY25', message: 'Expired' }],
    [{ code: 2001, message: 'Order accepted' }],
    [{ code: 1000, message: 'Command completed successfully' }],
    [{ code: 'A1001', message: 'Blue widget' }],
    [{ message: 'Found 3 errors in 2 files' }],
    [{ message: 'Reset link sent to your e-mail' }],
    [{ detail: 'Limited edition, not sold in stores' }],
    [{ detail: 'The API was rate limited yesterday; the fix is deployed' }],
    [{ statusCode: 200, body: '{"error":null}' }],
    [{ failure: null, state: 'done' }],
  ])('is fine: %j', body => {
    expect(classify({ status: 200, headers: {}, body })).toBeNull()
    expect(classify(body, { returned: true })).toBeNull()
  })
})
