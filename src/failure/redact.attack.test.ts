import { describe, expect, it } from 'vitest'
import { hideSecrets } from '../capability/secret/hide-secrets.ts'
import { Mask } from '../capability/secret/mask.ts'
import { withoutSecrets } from '../ledger/without-secrets.ts'
import { redact } from './redact.ts'

/** Pieces that each begin something. Repeated, they make a search that runs to the end of the text quadratic. */
const PIECES = [
  '-----BEGIN PRIVATE KEY-----',
  '-----END PRIVATE KEY-----',
  '-----BEGIN RSA PRIVATE KEY-----\n',
  'password="',
  'password=',
  '{"key":',
  'https://a:b',
  'Bearer ',
  'sk-',
  'eyJ.',
  '\\"',
  ':@',
  'aB3dE6fH9jK2mN5pQ8rS1tUvW4x/aa/',
  '16e35082-4737-0ec1-9426-2d055742745b:',
  '4a176bb9e94e70d1f9aee7f5560fc30e',
  '$ANSIBLE_VAULT;1\n0123456789abcdef',
  '$2a$10$abcdefghijklmnopqrstuv',
  'x_prod_2_3_key_prod ',
  'a,password\n',
  'https://a.b/v1/aB3dE6fH9jK2mN5pQ8rS1',
  'パスワード「',
]

function nested(depth: number): unknown {
  let value: unknown = 'password=hunter2hunter2'
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value }
  return value
}

describe('redaction', () => {
  it.each(PIECES)('handles a text of only %j', { timeout: 15_000 }, piece => {
    // Quadratic, this many characters would take 20 s, and the test its time limit.
    const text = piece.repeat(Math.ceil(600_000 / piece.length))
    expect(typeof redact(text)).toBe('string')
  })

  it('finds a secret at the end of a text of 10 MB', () => {
    const text = `${'x '.repeat(5_000_000)}password=hunter2hunter2`
    expect(redact(text)).not.toContain('hunter2')
  })

  it('never overflows the stack, and lets nothing through that is nested too deep', () => {
    const deep = nested(200_000)
    for (const clean of [withoutSecrets(deep), hideSecrets(deep), new Mask(['hunter2hunter2']).value(deep)])
      expect(JSON.stringify(clean)).not.toContain('hunter2')
    expect(new Mask([deep]).text('password=hunter2hunter2')).not.toContain('hunter2')
  })

  it('hides a secret as deep as a result can be', () => {
    expect(JSON.stringify(new Mask(['hunter2hunter2']).value(nested(63)))).not.toContain('hunter2')
  })
})
