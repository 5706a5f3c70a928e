import { describe, expect, it } from 'vitest'
import { classify } from './classify.ts'

const STOPPED = { exitCode: null, signal: 'SIGTERM', stdout: 'half done', stderr: '' }

describe('the message of a failure that says nothing in words', () => {
  it.each([
    ['the code as it was written', { code: 'ECONNRESET' }, 'ECONNRESET'],
    ['the code below a wrapper', { error: { code: 'ENOTFOUND' } }, 'ENOTFOUND'],
    ['the name of the error', { name: 'AbortError' }, 'AbortError'],
    ['the type that a vendor gives', { type: 'insufficient_quota' }, 'insufficient_quota'],
    [
      'the code of an error without a message',
      Object.assign(new Error(''), { code: 'ETIMEDOUT' }),
      'ETIMEDOUT',
    ],
    ['the status', { status: 429 }, 'HTTP 429'],
    ['the flag that says it failed', { success: false }, 'it returned success=false'],
  ])('is %s', (_, input, message) => {
    expect(classify(input)?.message).toBe(message)
  })

  it('is what the caller did, where the caller ended it', () => {
    expect(classify(STOPPED, { own: { aborted: true } })?.message).toBe('the caller aborted the call')
  })
})
