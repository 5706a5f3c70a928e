import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampled } from '../../../test/sampled.ts'
import { classify } from '../classify.ts'
import { isSureSuccess } from './sure-success.ts'

const isFailure = (value: unknown) => classify(value, { returned: true }) !== null

/** Values that pass the quick test although the full test finds a failure in them. */
const missedIn = (values: Iterable<unknown>) =>
  [...values].filter(value => isSureSuccess(value) && isFailure(value))

/** Every word in the sources of the full test, which include field names and their contents. */
const WORDS = [
  ...new Set(
    ['./', '../cli/']
      .map(folder => new URL(folder, import.meta.url))
      .flatMap(folder => readdirSync(folder).map(file => new URL(file, folder)))
      .filter(({ pathname }) => pathname.endsWith('.ts') && !pathname.includes('.test.'))
      .map(file => readFileSync(file, 'utf8').replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, ''))
      .flatMap(source => source.match(/[A-Za-z_$][\w.$-]*/g) ?? []),
  ),
]

/** Contents that are a failure in some field. */
const CONTENTS: readonly unknown[] = [
  ...[undefined, null, true, false, 0, 1, 5, 200, 429, '', '0', 'x', '429', 'SAFETY', 'FAILED', 'A_LIMIT'],
  ...[[], [0], [[]], [{}], [{ finish_reason: 'length' }], [{ finishReason: 'SAFETY' }], [{ error: {} }]],
  ...[[{ message: { refusal: 'no' } }], {}, { error: {} }, { info: { error: {} } }, { isError: true }],
  ...[{ is_error: true, content: [] }, { success: false }, { ok: false }, { type: 'errored' }, { status: 1 }],
  ...[{ type: 'error' }, { status_code: 1 }, { Error: {} }, { blockReason: 'x' }, { stop_reason: 'refusal' }],
  ...[{ turnCompleteReason: 'x' }, { status: 'failed' }, { reason: 'length' }, { status: 'rejected' }],
]

describe('the quick test passes nothing in which the full test finds a failure', () => {
  it('in any single field', () => {
    const values = WORDS.flatMap(name => CONTENTS.map(content => ({ [name]: content })))
    expect(missedIn(values)).toEqual([])
  })

  it('in any word that a field may contain', () => {
    const fields = WORDS.filter(
      name => !isSureSuccess({ [name]: true }) || !isSureSuccess({ [name]: 'failed' }),
    )
    const told = [...fields, 'type', 'status', 'state', 'subtype', 'stop_reason', 'stopReason', 'object']
    for (const name of told)
      expect(missedIn(WORDS.map(word => ({ [name]: word, object: 'job' })))).toEqual([])
  })

  it.each([
    { ret: 7, msg: 'invalid token' },
    { errcode: 40_001, errmsg: 'invalid credential' },
    { code: 1_301, msg: 'sensitive content' },
    { role: 'meta', type: 'turn.step.retrying' },
    { code: 'Throttling', message: 'slow down', request_id: 'r' },
    { status: 503, headers: {} },
    { status: 'completed', request_counts: { completed: 0, failed: 9 } },
    { role: 'assistant', content: 'Sorry, I encountered an error: API error: 402' },
    { choices: [{ message: { content: 'Sorry, I encountered an error: API error: 402' } }] },
  ])('in fields that fail only together: %j', value => {
    expect(isFailure(value)).toBe(true)
    expect(missedIn([value])).toEqual([])
  })

  const word = fc.constantFrom(...WORDS)
  const { json } = fc.letrec<{ json: unknown }>(tie => ({
    json: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom(...CONTENTS),
      word,
      fc.integer({ min: -1, max: 600 }),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(word, tie('json'), { maxKeys: 5 }),
    ),
  }))
  /** Fields that the quick test checks: random words alone would seldom hit two of them. */
  const minded = WORDS.filter(name => CONTENTS.some(content => !isSureSuccess({ [name]: content })))
  const telling = fc.dictionary(
    fc.constantFrom(...minded),
    fc.oneof(fc.constantFrom(...CONTENTS), word, json),
    {
      minKeys: 1,
      maxKeys: 5,
    },
  )

  it('in random JSON', () => {
    fc.assert(
      fc.property(fc.oneof(json, telling, fc.array(telling, { maxLength: 3 })), value => {
        expect(missedIn([value])).toEqual([])
      }),
      { numRuns: sampled(5_000) },
    )
  })

  it('in the labelled failures and answers, whole or in parts', () => {
    const lines = readFileSync(new URL('../../../corpus/own.jsonl', import.meta.url), 'utf8')
      .trim()
      .split('\n')
    const parts = lines.flatMap(line => [...partsOf((JSON.parse(line) as { input: unknown }).input)])
    expect(parts.length).toBeGreaterThan(1_000)
    expect(missedIn(parts)).toEqual([])
  })
})

/** A value, all objects and lists within it, and those in texts that are JSON. */
function* partsOf(value: unknown): Iterable<unknown> {
  if (typeof value === 'string') {
    for (const text of [value, ...value.split('\n')]) {
      try {
        const parsed: unknown = JSON.parse(text.replace(/^data: ?/, ''))
        if (typeof parsed === 'object') yield* partsOf(parsed)
      } catch {
        // Prose.
      }
    }
  }
  if (typeof value !== 'object' || value === null) return
  yield value
  for (const inner of Object.values(value)) yield* partsOf(inner)
}

describe('the quick test decides', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 429],
    ['a list of data', [{ status: 'failed' }, { status: 'ok' }]],
    ['an empty list', []],
    ['an object of a tool', { city: 'Berlin', celsius: 21, wind: [3, 4] }],
    ['a tool result of MCP', { content: [{ type: 'text', text: 'Error: 429' }], isError: false }],
    [
      'a message of Anthropic',
      { type: 'message', role: 'assistant', content: [], stop_reason: 'end_turn', usage: {} },
    ],
    [
      'a chat completion',
      {
        object: 'chat.completion',
        choices: [{ message: { role: 'assistant', content: 'hi', refusal: null }, finish_reason: 'stop' }],
      },
    ],
    [
      'a response of OpenAI',
      { object: 'response', status: 'completed', error: null, output: [{ type: 'message' }] },
    ],
    ['an answer of Gemini', { candidates: [{ content: {}, finishReason: 'STOP' }], usageMetadata: {} }],
    ['a wrapped value', { success: true, error: null, data: { rows: [] } }],
  ])('%s', (_what, value) => {
    expect(isSureSuccess(value)).toBe(true)
    expect(isFailure(value)).toBe(false)
  })
})

describe('the quick test leaves to the full one', () => {
  const throws = () => {
    throw new Error('not to be read')
  }
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  class Answer {
    get error(): object {
      return {}
    }
  }

  it.each<[string, unknown]>([
    ['an object whose fields stand on its prototype', new Answer()],
    ['an error', new Error('boom')],
    ['a proxy that throws', new Proxy({}, { ownKeys: throws })],
    ['a proxy that was revoked', revoked.proxy],
    ['a list whose elements cannot be read', new Proxy([], { get: throws })],
    ['more fields than it reads', Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`f${at}`, at]))],
  ])('%s', (_what, value) => {
    expect(isSureSuccess(value)).toBe(false)
  })
})
