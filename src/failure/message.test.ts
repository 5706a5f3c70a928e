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

describe('a secret in markup', () => {
  const fault = (inner: string) => `login refused: ${inner}`
  it.each([
    '<password>hunter2</password>',
    '<wsse:Password Type="PasswordText">hunter2</wsse:Password>',
    '<password><![CDATA[hunter2]]></password>',
    '&lt;password&gt;hunter2&lt;/password&gt;',
    '\\u003cpassword\\u003ehunter2\\u003c/password\\u003e',
    '<password>\n  hunter2\n</password>',
    '<client-secret>correct hunter2 battery</client-secret>',
    '<user name="bob"><apiKey>hunter2</apiKey></user>',
  ])('is shown nowhere: %s', markup => {
    for (const text of [fault(markup), `<title>${fault(markup)}</title>`, `${markup}\nECONNRESET`]) {
      for (const input of [text, new Error(text), { status: 500, body: text }, { exitCode: 1, stderr: text }])
        expect(JSON.stringify(classify(input))).not.toContain('hunter2')
    }
  })

  it('is hidden although the line of the message does not show that it is one', () => {
    const key = ['-----BEGIN PRIVATE KEY-----', 'QUJDREVGhunter2', '-----END PRIVATE KEY-----'].join('\n')
    expect(JSON.stringify(classify(`first\n${key}`))).not.toContain('hunter2')
  })

  it('leaves what is no secret', () => {
    expect(classify('<html><b>429</b> Too Many Requests <i>slow down</i></html>')?.message).toContain(
      'slow down',
    )
    expect(classify('<token>expired</token> unauthorized')?.message).toContain('expired')
  })
})
