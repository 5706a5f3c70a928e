import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

describe("a program's guess", () => {
  it.each([
    [
      'image pull failed for gcr.io/x:3.0, this may be because there are no credentials on this request. details: dial tcp 10.0.0.1:443: i/o timeout',
      'timeout',
    ],
    ['Request timed out. This could be caused by an invalid API key.', 'timeout'],
    [
      'connect ECONNREFUSED 127.0.0.1:5432\nPossible causes: wrong password, rate limit exceeded',
      'transient',
    ],
  ])('does not decide against what it knows: %s', (text, cls) => {
    expect(classify(new Error(text))).toMatchObject({ class: cls })
  })

  it('decides if nothing else is said', () => {
    expect(classify(new Error('This may be because your API key is invalid'))).toMatchObject({ kind: 'auth' })
    expect(classify(new Error('The call failed, possibly due to rate limiting'))).toMatchObject({
      class: 'throttle',
    })
  })
})

describe('a message that is only a status', () => {
  it('is that status', () => {
    expect(classify(new Error('401'))).toMatchObject({ kind: 'auth' })
    expect(classify(new Error('1401'))).toMatchObject({ class: 'unknown' })
  })
})
