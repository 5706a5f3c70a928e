import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampled } from '../../test/sampled.ts'
import { isRedacted, REDACTED, Redactor, redact } from './redact.ts'

const fake = (prefix: string, length: number, alphabet = 'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYz') =>
  prefix + Array.from({ length }, (_, i) => alphabet[(i * 7) % alphabet.length]).join('')

const SECRETS: [string, string][] = [
  ['Anthropic key', fake('sk-ant-api03-', 80)],
  ['OpenAI key', fake('sk-proj-', 48)],
  ['old OpenAI key', fake('sk-', 48)],
  ['short key whose longest prefix decides', fake('sk_prod_', 10, 'a3d5f7h9k1m2p4r6t8v0x')],
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
  ['Google client secret', fake('GOCSPX-', 28)],
  ['OpenAI key in capitals', fake('SK-PROJ-', 48).toUpperCase()],
  ['OpenRouter key', fake('sk-or-v1-', 64, '0a1b2c3d4e5f67')],
  ['Stripe key', fake('sk_live_', 24)],
  ['Stripe restricted key', fake('rk_live_', 24)],
  ['webhook secret', fake('whsec_', 32)],
  ['Shopify secret', fake('shpss_', 32, '0a1b2c3d4e5f67')],
  ['Shopify app token', fake('shpca_', 32, '0a1b2c3d4e5f67')],
  ['Shopify private app token', fake('shppa_', 32, '0a1b2c3d4e5f67')],
  ['Vault token', fake('hvs.', 90)],
  ['Linear key', fake('lin_api_', 40)],
  ['Notion token', fake('ntn_', 46)],
  ['Databricks token', fake('dapi', 32, '0a1b2c3d4e5f67')],
  ['Supabase token', fake('sbp_', 40, '0a1b2c3d4e5f67')],
  ['Figma token', fake('figd_', 40)],
  ['Tavily key', fake('tvly-', 32)],
  ['Tavily development key', fake('tvly-dev-', 32)],
  ['Jina key', fake('jina_', 60)],
  ['Together key', fake('tgp_v1_', 43)],
  ['E2B key', fake('e2b_', 40, '0a1b2c3d4e5f67')],
  ['xAI key', fake('xai-', 80)],
  ['Perplexity key', fake('pplx-', 48)],
  ['NVIDIA key', fake('nvapi-', 64)],
  ['Replicate token', fake('r8_', 37)],
  ['PyPI token', fake('pypi-AgEIcHlwaS5vcmc', 120)],
  ['SendGrid key', `${fake('SG.', 22)}.${fake('', 43)}`],
  ['Mailgun key', fake('key-', 32, '0a1b2c3d4e5f67')],
  ['AWS temporary key id', 'ASIAIOSFODNN7EXAMPLE'],
  ['GitHub app token', fake('ghs_', 36)],
  ['JSON web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLXZhbHVl'],
]

describe('redact', () => {
  it.each(SECRETS)('hides a %s anywhere', (_name, secret) => {
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
    ['Cookie: a=1; session=hunter2; theme=dark', 'hunter2'],
    ['{"set-cookie":["sid=hunter2; HttpOnly"]}', 'hunter2'],
    ['GET https://x.blob.core.windows.net/c?sv=2024&sig=hunter2%2Bx&se=2026', 'hunter2'],
    ['https://api.telegram.org/bot123:AAhunter2/sendMessage', 'hunter2'],
    ['https://api.telegram.org/bot123456789:AAFhunter2hunter2hunter2hunter2hun/getMe', 'hunter2'],
    ['Authorization: Digest username="me", realm="x", response="hunter2"', 'hunter2'],
    ['Authorization: AWS4-HMAC-SHA256 Credential=AKIA/x, Signature=hunter2', 'hunter2'],
    ['{"Authorization":"Digest username=\\"me\\", response=\\"hunter2\\""}', 'hunter2'],
    ['Authorization: hunter2-hunter2', 'hunter2'],
    ['Bearer: hunter2hunter2', 'hunter2'],
    ['proxy-authorization: Basic aHVudGVyMg==', 'aHVudGVyMg'],
    ['it sent Basic dXNlcjpwYXNz and was refused', 'dXNlcjpwYXNz'],
    ['it sent basic abcdefghijklmnopqrstuvwx', 'abcdefghij'],
    ['PGPASSWORD=hunter2 psql', 'hunter2'],
    ['{"dbPassword": "hunter2"}', 'hunter2'],
    ['githubToken: hunter2', 'hunter2'],
    ['openaiApiKey = hunter2', 'hunter2'],
    ['AccountName=x;AccountKey=hunter2==;EndpointSuffix=core', 'hunter2'],
    ['Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey=hunter2=', 'hunter2'],
    ['DB_PASS=hunter2', 'hunter2'],
    ['API key: hunter2', 'hunter2'],
    ['your api key is hunter2', 'hunter2'],
    ['Incorrect API key provided: hunter2abc', 'hunter2'],
    ['{"password":"correct horse battery"}', 'horse battery'],
    ["password='correct horse battery'", 'horse battery'],
    ['https://user:p@hunter2@host.example/x', 'hunter2'],
    ['-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIE-hunter2\n-----END ENCRYPTED PRIVATE KEY-----', 'hunter2'],
    [
      '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0F\n\nhunter2\n-----END RSA PRIVATE KEY-----',
      'hunter2',
    ],
    [
      '-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: X - 1\n\nhunter2\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----',
      'hunter2',
    ],
    ['-----BEGIN PRIVATE KEY-----\nhunter2hunter2', 'hunter2'],
    ['hunter2hunter2\n-----END PRIVATE KEY-----', 'hunter2'],
    ['mysql --password hunter2 -e x', 'hunter2'],
    ['gh --token hunter2', 'hunter2'],
    ['tool --api-key=hunter2', 'hunter2'],
    ['curl -u me:hunter2 https://x.example', 'hunter2'],
    ['curl --user "me:hunter2" https://x.example', 'hunter2'],
    ["'password' => 'hunter2'", 'hunter2'],
    ['<password>hunter2</password>', 'hunter2'],
    ['https://discord.com/api/webhooks/123456/hunter2hunter2', 'hunter2'],
    ['https://hooks.slack.com/services/T0/B0/hunter2', 'hunter2'],
    ['//registry.npmjs.org/:_authToken=hunter2', 'hunter2'],
    ['x-goog-api-key: hunter2', 'hunter2'],
    ['?X-Amz-Security-Token=hunter2&x=1', 'hunter2'],
    ['the password is hunter2', 'hunter2'],
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
    'Invalid token: unexpected end',
    'SyntaxError: Unexpected token: <EOF>',
    'pwd: /home/user',
    'PWD=/home/user OLDPWD=/tmp',
    'hf_hub_download_failed',
    'xai-grok-beta-model-name',
    'duplicate key value violates unique constraint pk_users_primary_key',
    'input token: 1024',
    'signature=throttle',
    'request id 4f1c8a2e-1111-4222-8333-944455556666',
    'commit 3f9c2ab7d1e04455aa9c2ab7d1e0441100112233',
    'req_011CV2S4jxpPs7x8Kb3xWq2V',
    'tests: pass=3 fail=2',
    'Password: incorrect',
    'password must be at least 8 characters',
    '{"password":"is too short"}',
    'docker run -u 1000:1000 image',
    'WWW-Authenticate: Bearer realm="x", error="invalid_token"',
    'model claude-sonnet-4-5-20250929 is not available',
    'Authorization header is missing',
    'authorization: required',
    'Digest: sha256:3f9c2ab7d1e04455aa9c2ab7d1e04411',
    'https://example.com:8080/a/b@2x.png',
    'cookie: not found',
    'task-runner-basic-authentication-module',
    'primary_key: 4f1c8a2e11114222',
    'cache_key=4f1c8a2e111142228333',
    'api key is required',
    'next token: please',
    'authentication token: Unauthorized',
    'no api key found for provider',
    'secret not found in namespace default',
    'Warning: Basic terminal detected (TERM=dumb)',
    'Basic read_only mode',
    'fell back to basic non-interactive output',
  ])('keeps the words that decide the class: %s', text => {
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

  it('changes nothing when done twice, for any combination', () => {
    const pieces = fc.constantFrom(
      ...SECRETS.map(([, secret]) => secret),
      ...'password token key api_key= : = => " \\" \' [ ] { } ( ) < > / :// @ https:// Bearer Basic Authorization: Cookie: a=b; Digest -u --token is REDACTED *** sig= & ? ; ,'.split(
        ' ',
      ),
      REDACTED,
      '-----BEGIN PRIVATE KEY-----',
      '-----END PRIVATE KEY-----',
      '\n',
      ' ',
      'hunter2',
      'me:hunter2',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), parts => {
        const once = redact(parts.join(''))
        expect(redact(once)).toBe(once)
      }),
      { numRuns: sampled(20_000) },
    )
  })

  it('leaves no half of a secret where a text is cut', () => {
    for (const [, secret] of SECRETS) {
      const text = `${'x '.repeat(500)}${secret}${' y'.repeat(500)}`
      for (let cut = 1_006; cut < 994 + secret.length; cut++) {
        expect(new Redactor().part(text, 0, cut)).not.toContain(secret.slice(0, cut - 1_000))
        expect(new Redactor().part(text, cut, text.length)).not.toContain(secret.slice(cut - 1_000))
      }
    }
  })

  it('does not take the marker as proof that all is clean', () => {
    expect(isRedacted(`${REDACTED} api_key=leaked-value`)).toBe(false)
  })
})
