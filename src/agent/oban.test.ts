import { describe, expect, it } from 'vitest'
import { vectorsOf } from '../../test/vectors.ts'
import { exampleCircumstances } from '../../test/verdict/example.ts'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { backoffMs } from '../verdict/backoff.ts'
import { decide } from '../verdict/decide.ts'
import { PRESETS } from '../verdict/presets/presets.ts'
import { mergeOptions, optionsFromJson } from './options.ts'
import { authReasonOf } from './typed-kind.ts'

// Behaviour of the job queue whose typed outcomes the drivers and the preset `oban` adopted.

function reasonOf(stdout: string, stderr: string): string | null {
  const failure = classify({ exitCode: 1, signal: null, stdout, stderr }, { provider: 'claude-code' })
  return (failure && authReasonOf(failure)) ?? null
}

describe('why a login was refused', () => {
  it.each([
    ['HTTP 401 Unauthorized', 'invalid_credentials'],
    ['auth subsystem returned an unexpected error', 'other'],
    ['no credentials configured', 'not_authenticated'],
    ['Not authenticated. Run `claude login`', 'not_authenticated'],
    ['Authentication required. Run `gemini auth login` first.', 'not_authenticated'],
    ['Invalid API key. Run `claude login`', 'invalid_credentials'],
    // A model that may not be used has nothing to do with the login.
    ['API Error: 403 Forbidden permission_error: you may not have access to model claude-x', null],
    ['404 not_found_error: model claude-x does not exist', null],
    ['SSL certificate expired', null],
  ])('%s: %s', (stderr, reason) => {
    expect(reasonOf('', stderr)).toBe(reason)
  })

  const vectors = vectorsOf('oban', 'auth_classify').filter(({ expected }) => 'auth_kind' in expected)
  it.each(vectors.map(vector => [vector.id, vector] as const))('%s', (_id, { input, expected }) => {
    expect(reasonOf(input.stdout as string, input.stderr as string)).toBe(expected.auth_kind)
  })
})

describe('the backoff of a job queue', () => {
  const PAD_MS = 15_000

  it('is 15 s plus a second doubling up to 1,024, plus up to a tenth', () => {
    const steps = [0, 1, 2, 9, 10, 50].map(retries => backoffMs('oban', retries, 0) - PAD_MS)
    expect(steps).toEqual([2_000, 4_000, 8_000, 1_024_000, 1_024_000, 1_024_000])
    expect(backoffMs('oban', 0, 0.999_999)).toBe(18_700)
  })

  const vectors = vectorsOf('oban', 'backoff').filter(({ expected }) => 'secs' in expected)
  it.each(vectors.map(vector => [vector.id, vector] as const))('%s', (_id, { input, expected }) => {
    const retries = (input.attempt as number) - 1
    expect((backoffMs('oban', retries, 0) - PAD_MS) / 1_000).toBe(expected.secs)
  })
})

describe('a job with a fault in its arguments', () => {
  it.each([
    ['an option that there is not', () => mergeOptions(undefined, { workingdir: '/x' } as never, undefined)],
    [
      'a value that an option cannot hold',
      () => mergeOptions(undefined, { effort: 'turbo' } as never, undefined),
    ],
    ['an option of JSON that there is not', () => optionsFromJson({ continue_session: true })],
    ['a name smuggled into meta', () => mergeOptions(undefined, { meta: { model: 'x' } }, undefined)],
  ])('is cancelled at once: %s', (_name, make) => {
    let thrown: unknown
    try {
      make()
    } catch (error) {
      thrown = error
    }
    const failure = classify(thrown) as Failure
    expect(failure).toMatchObject({ class: 'permanent', effect: 'none' })
    expect(
      decide(failure, exampleCircumstances({ durable: true, maxRetries: 20 }), PRESETS.oban),
    ).toMatchObject({ action: 'cancel', as: 'refused' })
  })

  const vectors = vectorsOf('oban', 'args_validate').filter(
    ({ input, expected }) => 'raises' in expected && (input.opts as object) && !isAboutPrompt(input.opts),
  )
  function isAboutPrompt(opts: unknown): boolean {
    return typeof (opts as { prompt?: unknown }).prompt !== 'string'
  }
  it.each(vectors.map(vector => [vector.id, vector] as const))('%s', (_id, { input }) => {
    const { prompt: _prompt, ...options } = input.opts as Record<string, unknown>
    expect(() => optionsFromJson(options)).toThrow(/^option /)
  })
})
