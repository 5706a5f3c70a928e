import { describe, expect, it } from 'vitest'
import { classify } from './classify.ts'
import { classifyLines, matchSignatures, Signatures, unknownDedupeKey } from './signature.ts'
import { SignatureCompileError } from './signature-error.ts'
import { buildSignatureMap } from './signature-map.ts'

const lists = {
  throttle: ['rate.?limit', '429', 'usage limit'],
  flake: ['timed out', 'connection reset', 'eof'],
}
const signatures = new Signatures('acme', lists)

describe('matchSignatures', () => {
  it.each([
    ['got HTTP 429', 'throttle'],
    ['RATE-LIMIT exceeded', 'throttle'],
    ['stream timed out after 90s', 'flake'],
    ['unexpected EOF', 'flake'],
    ['panic: assertion failed', 'unknown'],
    ['', 'unknown'],
  ])('takes %j for %s', (text, verdict) => {
    expect(matchSignatures(text, signatures)).toBe(verdict)
  })

  it('prefers throttle if both lists match, so a limit is never retried blindly', () => {
    expect(matchSignatures('timed out waiting for the rate-limit reset', signatures)).toBe('throttle')
  })

  it('never guesses without signatures', () => {
    expect(matchSignatures('429')).toBe('unknown')
  })

  it('joins lines, and takes no lines for unknown', () => {
    expect(classifyLines(['starting', 'usage limit'], signatures)).toBe('throttle')
    expect(classifyLines([], signatures)).toBe('unknown')
  })
})

describe('buildSignatureMap', () => {
  it('leaves out providers without patterns', () => {
    const map = buildSignatureMap([
      { id: 'a', error_signatures: lists },
      { id: 'b', error_signatures: { throttle: [], flake: [] } },
      { id: 'c' },
    ])
    expect([...map.keys()]).toEqual(['a'])
  })

  it.each([
    ['[', /missing closing \]/],
    ['(?=x)', /look-around/],
    ['(a)\\1', /look-around|escape/],
    ['', /blank/],
    [' \t', /blank/],
    ['.*', /matches the empty string/],
    ['(rate limit)?', /matches the empty string/],
    ['rate limit|', /matches the empty string/],
    ['^', /matches the empty string/],
    ['\\b', /matches the empty string/],
    ['(x{1,30}){1,30}', /steps/],
  ])('refuses %j naming provider, pattern and reason', (pattern, reason) => {
    const build = () => buildSignatureMap([{ id: 'acme', error_signatures: { flake: [pattern] } }])
    expect(build).toThrow(SignatureCompileError)
    expect(build).toThrow(reason)
    expect(build).toThrow('provider "acme"')
    expect(build).toThrow(JSON.stringify(pattern))
  })
})

describe('unknownDedupeKey', () => {
  it('is the provider and the first 20 characters, trimmed, in lower case', () => {
    expect(unknownDedupeKey('p', '   Unexpected JSON token\n')).toBe('p::unexpected json toke')
    expect(unknownDedupeKey('p', '😀'.repeat(30))).toBe(`p::${'😀'.repeat(20)}`)
  })
})

describe('classify with signatures', () => {
  const process = (stderr: string) => ({ exitCode: 1, signal: null, stdout: '', stderr })

  it('lets a signature fix the class, and takes kind and times from the catalogue if it agrees', () => {
    const failure = classify(process('usage limit for this week, try again in 2h'), {
      provider: 'acme',
      signatures,
    })
    expect(failure).toMatchObject({
      class: 'throttle',
      retryAfterMs: 7_200_000,
      evidence: { rule: 'signature:usage limit' },
    })
  })

  it('falls back to rate_limit or server_error, effect maybe, if the catalogue does not agree', () => {
    const own = new Signatures('acme', { throttle: ['ticket booth closed'], flake: ['invalid api key'] })
    expect(classify(process('the ticket booth closed'), { signatures: own })).toMatchObject({
      class: 'throttle',
      kind: 'rate_limit',
      effect: 'maybe',
    })
    expect(classify(process('Invalid API key'), { signatures: own })).toMatchObject({
      class: 'transient',
      kind: 'server_error',
      effect: 'maybe',
    })
  })

  it('searches each stream separately, from beginning to end', () => {
    const own = new Signatures('acme', { throttle: ['^closed$'], flake: ['^busy', 'late$'] })
    const of = (stdout: string, stderr: string) =>
      classify({ exitCode: 1, signal: null, stdout, stderr }, { signatures: own })?.evidence.rule
    expect(of('closed\n', 'warning: old node\n')).toBe('signature:^closed$')
    expect(of('some work\n', 'closed\n')).toBe('signature:^closed$')
    expect(of('busy just now', 'warning')).toBe('signature:^busy')
    expect(of('too late', 'warning')).toBe('signature:late$')
    expect(of('too late\nwork', 'so late now')).toBe('none:command')
  })

  it('prefers a throttle pattern on one stream to a flake pattern on the other', () => {
    const own = new Signatures('acme', { throttle: ['booth closed'], flake: ['wobble'] })
    const output = { exitCode: 1, signal: null, stdout: 'booth closed', stderr: 'wobble' }
    expect(classify(output, { signatures: own })?.class).toBe('throttle')
  })

  it.each([
    [
      'the text of a body',
      { status: 500, headers: {}, body: '{"fault":{"tag":"T-77","why":"zorp"}}' },
      '"tag":"T-77"',
    ],
    ['a string that is JSON', '{"fault":"zorp","error":{"code":"E_ZORP"}}', '"fault":"zorp"'],
    ['a code in a string that is JSON', '{"error":{"code":"E_ZORP"}}', '^E_ZORP$'],
    ['a code in a body', { status: 500, headers: {}, body: { error: { code: 'E_ZORP' } } }, '^E_ZORP$'],
    ['a number for a code', { status: 500, headers: {}, body: { code: 77123 } }, '^77123$'],
    ['the name of an error', Object.assign(new Error('x'), { name: 'ZorpError' }), '^ZorpError$'],
    [
      'the code of a cause',
      new Error('x', { cause: Object.assign(new Error('y'), { code: 'ZORP' }) }),
      '^ZORP$',
    ],
    [
      'the message of an error beside its streams',
      Object.assign(new Error('zorp happened'), {
        cmd: 'x',
        code: 1,
        killed: false,
        stdout: 'a',
        stderr: 'b',
      }),
      'zorp happened|^b$',
    ],
  ])('hears %s', (_name, input, pattern) => {
    const own = new Signatures('acme', { throttle: [pattern] })
    expect(classify(input, { signatures: own })).toMatchObject({ class: 'throttle' })
  })

  it('picks the signatures of the provider from a map', () => {
    const map = buildSignatureMap([{ id: 'acme', error_signatures: { throttle: ['odd thing'] } }])
    expect(classify('odd thing', { provider: 'acme', signatures: map })?.class).toBe('throttle')
    expect(classify('odd thing', { provider: 'other', signatures: map })?.class).toBe('unknown')
  })

  it('never beats what the caller did, nor a success', () => {
    const own = new Signatures('acme', { throttle: ['.'] })
    expect(classify(process('x'), { signatures: own, own: { aborted: true } })?.class).toBe('aborted')
    expect(
      classify({ exitCode: 0, signal: null, stdout: 'fine', stderr: '' }, { signatures: own }),
    ).toBeNull()
  })

  it('names the rules that lost', () => {
    const own = new Signatures('acme', { throttle: ['invalid api key'] })
    const failure = classify(process('Invalid API key'), { signatures: own })
    expect(failure?.evidence.lost.map(({ rule }) => rule)).toContain('access.key_refused')
  })
})
