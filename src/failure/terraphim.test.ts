import { describe, expect, it } from 'vitest'
import { type Vector, vectorsOf } from '../../test/vectors.ts'
import { classify } from './classify.ts'
import { isRedacted, redact } from './redact.ts'
import { classifyLines, matchSignatures, Signatures, unknownDedupeKey } from './signature.ts'

// Behaviour of the system whose signatures, reset times and redaction Mulligan adopted. Where it was wrong by its own
// notes, the test's table states what is right.

const NOW = Date.parse('2026-05-22T10:00:00Z')

function signaturesOf({ input }: Vector): Signatures | undefined {
  const lists = input.signatures as ConstructorParameters<typeof Signatures>[1] | null
  return lists ? new Signatures(input.provider as string, lists) : undefined
}

describe('signatures of a fleet', () => {
  it('find a throttle before a flake, in any line', () => {
    const signatures = new Signatures('claude-code', { throttle: ['rate.?limit', '429'], flake: ['timeout'] })
    expect(matchSignatures('timeout waiting for rate-limit reset', signatures)).toBe('throttle')
    expect(classifyLines(['starting', 'stream timeout'], signatures)).toBe('flake')
    expect(matchSignatures('anything', undefined)).toBe('unknown')
  })

  it.each(vectorsOf('terraphim', 'classify').map(vector => [vector.id, vector] as const))(
    '%s',
    (_id, vector) => {
      expect(matchSignatures(vector.input.stderr as string, signaturesOf(vector))).toBe(vector.expected.kind)
    },
  )

  it.each(vectorsOf('terraphim', 'classify_lines').map(vector => [vector.id, vector] as const))(
    '%s',
    (_id, vector) => {
      const lines = vector.input.stderr_lines as string[]
      expect(classifyLines(lines, signaturesOf(vector))).toBe(vector.expected.kind)
    },
  )

  it.each(vectorsOf('terraphim', 'dedupe_key').map(vector => [vector.id, vector] as const))(
    '%s',
    (_id, { input, expected }) => {
      const keys = [input.stderr_a, input.stderr_b].map(text =>
        unknownDedupeKey(input.provider as string, text as string),
      )
      const { key, key_a = key, key_b = key } = expected
      expect(keys).toEqual([key_a, key_b])
    },
  )
})

describe('what a CLI printed, as a fleet reads it', () => {
  /** Its exit classes in our terms. A missing class is one that it got wrong by its own notes. */
  const CLASSES: Record<string, readonly (string | undefined)[]> = {
    success: [undefined],
    empty_success: [undefined],
    rate_limit: ['throttle'],
    timeout: ['timeout'],
    network_error: ['transient'],
    model_error: ['permanent'],
    permission_denied: ['permanent'],
    compilation_error: ['permanent', 'unknown'],
    test_failure: ['unknown'],
    crash: ['unknown'],
    resource_exhaustion: ['unknown'],
  }
  const known = vectorsOf('terraphim', 'exit_classifier').filter(
    ({ expected, input }) => String(expected.exit_class) in CLASSES && !isAmiss(input),
  )

  /** It takes a number in the middle of a word for a status. */
  function isAmiss({ stderr_lines }: Vector['input']): boolean {
    return (stderr_lines as string[]).some(line => /\d429|429\d/.test(line))
  }

  it('is a limit only if it failed, no matter what a success talks about', () => {
    const read = (exitCode: number, stdout: string) =>
      classify({ exitCode, signal: null, stdout, stderr: '' }, { provider: 'claude-code' })?.class
    expect(read(1, 'Error: plan limit reached for this billing cycle')).toBe('throttle')
    expect(read(0, 'gtr wiki-list: operation timed out after 30s, skipping')).toBeUndefined()
  })

  it.each(known.map(vector => [vector.id, vector] as const))('%s', (_id, { input, expected }) => {
    const text = (lines: unknown) => (lines as string[]).join('\n')
    const failure = classify(
      {
        exitCode: input.exit_code,
        signal: null,
        stdout: text(input.stdout_lines),
        stderr: text(input.stderr_lines),
      },
      { provider: 'claude-code' },
    )
    expect(CLASSES[expected.exit_class as string]).toContain(failure?.class)
  })

  it.each(
    vectorsOf('terraphim', 'limit_error')
      .filter(({ input }) => typeof input.error === 'string')
      .map(vector => [vector.id, vector] as const),
  )('%s', (_id, { input, expected }) => {
    expect(classify(input.error)?.class === 'throttle').toBe(expected.is_subscription_limit)
  })
})

describe('when a limit lifts', () => {
  const waitOf = (line: string) => {
    const failure = classify(`usage limit reached, ${line}`, { now: NOW, timeZone: 'UTC' })
    return failure?.retryAfterMs === undefined ? null : failure.retryAfterMs / 1_000
  }

  it.each([
    ['resets 2am Europe/Berlin', 50_400],
    ['resets in 45m (5-hour window)', 2_700],
    ['It resets at 00:00 UTC."}}', 50_400],
    ['resets in 90s', 90],
    ['The cache resets on restart', null],
  ])('is read right where the original read it wrong: %s', (line, seconds) => {
    expect(waitOf(line)).toBe(seconds)
  })

  const right = vectorsOf('terraphim', 'reset_time').filter(
    ({ input, expected }) => typeof input.line === 'string' && expected.note === undefined,
  )
  it.each(right.map(vector => [vector.id, vector] as const))('%s', (_id, { input, expected }) => {
    // A window of five hours cannot reset in 21 hours, so such a statement is ignored.
    const isImpossible = String(input.line).includes('session limit') && Number(expected.block_secs) > 18_000
    const seconds = waitOf(input.line as string)
    if (isImpossible) expect([null, expected.block_secs]).toContain(seconds)
    else expect(seconds).toBe(expected.block_secs)
  })
})

describe('secrets of a fleet', () => {
  it('are hidden where its own rules had gaps', () => {
    expect(redact('AKIAIOSFODNN7EXAMPLE')).not.toContain('AKIA')
    expect(isRedacted('***REDACTED*** api_key=leak')).toBe(false)
  })

  const vectors = vectorsOf('terraphim', 'redaction').filter(({ expected }) => expected.note === undefined)
  it.each(vectors.map(vector => [vector.id, vector] as const))('%s', (_id, { input, expected }) => {
    const text = input.text as string
    const clean = redact(text)
    for (const part of (expected.contains as string[] | undefined) ?? []) expect(clean).toContain(part)
    for (const part of (expected.not_contains as string[] | undefined) ?? [])
      expect(clean).not.toContain(part)
    if (expected.computed_output !== undefined) expect(clean).toBe(expected.computed_output)
    if (expected.verify_clean !== undefined)
      expect(isRedacted(input.op === undefined ? text : clean)).toBe(expected.verify_clean)
  })
})
