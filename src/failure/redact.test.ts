import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRedacted, REDACTED, redact } from './redact.ts'

const fake = (prefix: string, length: number, alphabet = 'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYz') =>
  prefix + Array.from({ length }, (_, i) => alphabet[(i * 7) % alphabet.length]).join('')

const SECRETS: [string, string][] = [
  ['Anthropic key', fake('sk-ant-api03-', 80)],
  ['OpenAI key', fake('sk-proj-', 48)],
  ['old OpenAI key', fake('sk-', 48)],
  ['Google key', fake('AIza', 35)],
  ['Google token', fake('ya29.', 60)],
  ['AWS key id', 'AKIAIOSFODNN7EXAMPLE'],
  ['GitHub token', fake('ghp_', 36)],
  ['GitHub fine-grained token', fake('github_pat_', 60)],
  ['GitLab token', fake('glpat-', 20)],
  ['Slack token', fake('xoxb-', 40)],
  ['Telegram token', `123456789:AA${fake('', 33)}`],
  ['Hugging Face token', fake('hf_', 34)],
  ['npm token', fake('npm_', 36)],
  ['Groq key', fake('gsk_', 50)],
  ['JSON web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLXZhbHVl'],
]

describe('redact', () => {
  it.each(SECRETS)('hides a %s wherever it stands', (_name, secret) => {
    for (const text of [
      secret,
      `before ${secret} after`,
      `(${secret})`,
      `"${secret}",`,
      `key:${secret}\nnext`,
    ]) {
      expect(redact(text), text).not.toContain(secret)
    }
  })

  it.each([
    ['Authorization: Bearer abcdef123456.xyz', 'abcdef123456'],
    ['authorization: Basic dXNlcjpwYXNzd29yZA==', 'dXNlcjpwYXNzd29yZA'],
    ['Authorization: token 0123456789abcdef', '0123456789abcdef'],
    ['X-Api-Key: 0123-4567-89ab', '0123-4567-89ab'],
    ['api_key=hunter2hunter2', 'hunter2'],
    ['{"apiKey":"hunter2hunter2"}', 'hunter2'],
    ['{\\"password\\":\\"hunter2\\"}', 'hunter2'],
    ["{'client_secret': 'hunter2'}", 'hunter2'],
    ['AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'wJalrXUtnFEMI'],
    ['password=SuperSecret123!', 'SuperSecret123'],
    ['token=abc', '=abc'],
    ['postgres://admin:hunter2@db.internal:5432/app', 'hunter2'],
    ['https://user:hunter2@example.com/x', 'hunter2'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----', 'MIIEpAIBAAKCAQEA'],
    ['Set-Cookie: session=hunter2; Path=/', 'hunter2'],
  ])('hides the value in %j', (text, secret) => {
    expect(redact(text)).not.toContain(secret)
    expect(redact(text)).toContain(REDACTED)
  })

  it('keeps the name of what it hides, and the host of a URL', () => {
    expect(redact('api_key=hunter2hunter2')).toBe(`api_key=${REDACTED}`)
    expect(redact('postgres://admin:hunter2@db.internal/app')).toBe(`postgres://${REDACTED}@db.internal/app`)
  })

  it.each([
    'Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys.',
    'OAuth token has expired. Please obtain a new token',
    'invalid x-api-key',
    'max_tokens: 64000 exceeds the limit',
    'input tokens per minute: 30000',
    'password authentication failed for user "app"',
    'token: expired',
    'The api_key is not set.',
    'Missing bearer token',
    'rate limit reached for tokens: Limit 6000, Used 5034',
    'secret=null',
    'Bearer authentication required',
    'Unauthorized: token is invalid',
  ])('leaves the words alone that decide the class: %s', text => {
    expect(redact(text)).toBe(text)
  })

  it('changes nothing when done twice', () => {
    for (const [, secret] of SECRETS) {
      const once = redact(`Authorization: Bearer ${secret} api_key=${secret}`)
      expect(redact(once)).toBe(once)
      expect(isRedacted(once)).toBe(true)
    }
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), text => {
        const once = redact(text)
        expect(redact(once)).toBe(once)
      }),
    )
  })

  it('does not take the marker for a sign that all is clean', () => {
    expect(isRedacted(`${REDACTED} api_key=leaked-value`)).toBe(false)
  })
})
