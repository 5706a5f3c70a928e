import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classify } from './classify.ts'
import { failureFromJson, failureToJson } from './json.ts'
import { scopeOf } from './scope.ts'

const answer = (status: number, message: string, code?: string) => ({
  status,
  headers: {},
  body: { error: { message, ...(code === undefined ? {} : { code }) } },
})
const scope = (input: unknown) => classify(input)?.scope

describe('what a refusal is about', () => {
  it.each([
    answer(403, 'You do not have permission to read document 42'),
    answer(403, 'User bob is not allowed to edit this file'),
    answer(403, 'Access denied to repository acme/secret'),
    answer(403, 'Resource not accessible by personal access token'),
    answer(403, 'Access to this resource is forbidden'),
    answer(403, 'The folder "Payroll" is private'),
    answer(403, "The caller does not have permission to view spreadsheet '1BxiM'"),
    answer(423, 'Repo is archived'),
    'remote: error: GH006: Protected branch update failed for refs/heads/main.',
    "NOPERM this user has no permissions to run the 'get' command",
    Object.assign(new Error('You are not authorized to delete this record'), { status: 403 }),
  ])('is one thing: %j', input => {
    expect(scope(input)).toBe('resource')
  })

  it.each([
    answer(401, 'Unauthorized'),
    answer(401, 'Incorrect API key provided: sk-x'),
    answer(401, 'Log in to read this document'),
    answer(403, 'Your account has been suspended'),
    answer(403, 'This organization has been disabled.'),
    answer(403, 'This key belongs to a disabled organization, which may not read documents'),
    answer(403, 'OAuth authentication is currently not allowed for this organization.'),
    answer(403, 'Your API key has been revoked'),
    answer(403, 'Consumer has been suspended.', 'CONSUMER_SUSPENDED'),
    answer(400, 'x', 'organization_on_hold'),
  ])('is the account or key: %j', input => {
    expect(scope(input)).toBe('account')
  })

  it.each([
    answer(403, 'Forbidden'),
    { status: 403, headers: {}, body: '' },
    answer(403, 'Your API key does not have permission to use the specified resource'),
    answer(403, 'Your organization does not have access to this model'),
  ])('is not said: %j', input => {
    expect(classify(input)).toMatchObject({ class: 'permanent' })
    expect(scope(input)).toBeUndefined()
  })

  it('is set for no other kind of failure', () => {
    expect(scope(answer(429, 'Rate limit reached for your account'))).toBeUndefined()
    expect(scope(answer(404, 'No such document'))).toBeUndefined()
  })

  it('travels in JSON', () => {
    const failure = classify(answer(403, 'You may not read this document'))
    expect(failure && failureFromJson(failureToJson(failure))).toEqual(failure)
    expect(failure && failureToJson(failure).scope).toBe('resource')
  })

  it.each(['access ', 'account ', 'not ', 'upgrade your ', 'key is '])(
    'is found in megabytes of %j without end',
    word => {
      const said = `${word.repeat(200_000)}. Your account is suspended`
      expect(scopeOf({ kind: 'forbidden', said })).toBe('account')
    },
  )

  it('is the same in any case and with underscores', () => {
    const words = ['Your account is suspended', 'You may not read this document', 'Forbidden', 'on hold']
    fc.assert(
      fc.property(fc.constantFrom(...words), fc.boolean(), fc.boolean(), (words, upper, under) => {
        const cased = upper ? words.toUpperCase() : words
        const said = under ? cased.replaceAll(' ', '_') : cased
        expect(scopeOf({ kind: 'forbidden', said })).toBe(scopeOf({ kind: 'forbidden', said: words }))
      }),
    )
  })
})
