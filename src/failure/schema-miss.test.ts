import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { call } from '../call/call.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import { classify } from './classify.ts'

const zodError = (value: unknown) =>
  z.object({ city: z.string(), age: z.number() }).safeParse(value).error as Error
const named = (name: string, message: string, fields: object = {}) =>
  Object.assign(new Error(message), { name }, fields)

/** As `generateObject` of the AI SDK throws it. */
const noObject = (text: string, fields: object = {}) =>
  named('AI_NoObjectGeneratedError', 'No object generated: response did not match schema.', {
    text,
    finishReason: 'stop',
    cause: named(
      'AI_TypeValidationError',
      `Type validation failed: Value: ${text}.\nError message: [{"code":"invalid_type"}]`,
      {
        value: JSON.parse(text),
        cause: zodError(JSON.parse(text)),
      },
    ),
    ...fields,
  })

describe('an answer that misses its schema', () => {
  it.each<[string, unknown]>([
    ['generateObject of the AI SDK', noObject('{"town":"Rome"}')],
    [
      'a text that is no JSON',
      named('AI_NoObjectGeneratedError', 'No object generated: could not parse the response.', {
        text: 'Sure! Rome.',
        cause: named('AI_JSONParseError', 'JSON parsing failed: Text: Sure! Rome.'),
      }),
    ],
    [
      'a parser of LangChain',
      named('OutputParserException', 'Failed to parse. Text: "Sure". Error: [{"code":"invalid_type"}]', {
        llmOutput: 'Sure! Rome.',
      }),
    ],
  ])('by %s is the model’s doing, with the model’s text as evidence', (_by, error) => {
    const failure = classify(error)
    expect(failure).toMatchObject({ class: 'transient', kind: 'bad_json', effect: 'maybe' })
    expect(failure?.evidence.excerpt).toContain('Rome')
  })

  it('by a schema of the caller is the model’s in a call to a model, and the caller’s anywhere else', () => {
    expect(classify(zodError({}), { ofModel: true })).toMatchObject({
      class: 'transient',
      kind: 'bad_json',
      evidence: { where: 'error.issues', excerpt: expect.stringContaining('city: ') },
    })
    expect(classify(zodError({}), { provider: 'openai' })).toMatchObject({
      class: 'transient',
      kind: 'bad_json',
    })
    expect(classify(zodError({}))).toMatchObject({ class: 'permanent', kind: 'invalid_request' })
  })

  it('has evidence that is bounded and without secrets', () => {
    const secret = `sk-ant-api03-${'a1B2c3D4'.repeat(8)}`
    const failure = classify(noObject(JSON.stringify({ key: secret, story: 'x'.repeat(100_000) })))
    expect(failure?.evidence.excerpt).toMatch(/^\{"key".{20,158}$/)
    expect(JSON.stringify(failure)).not.toContain(secret)
  })

  it('gives way to what says why there is no usable answer', () => {
    expect(classify(noObject('{}', { finishReason: 'length' }))).toMatchObject({ kind: 'max_tokens' })
    const refused = named('AI_TypeValidationError', 'Type validation failed', {
      value: { error: { type: 'overloaded_error', message: 'Overloaded' } },
      cause: zodError({}),
    })
    expect(classify(refused)).toMatchObject({ kind: 'overloaded' })
    const answered = named('AI_APICallError', 'Invalid JSON response', { statusCode: 200, cause: refused })
    expect(classify(answered)).toMatchObject({ kind: 'overloaded' })
    const wrapped = named('AI_NoObjectGeneratedError', 'No object generated', {
      cause: Object.assign(new Error('Too many requests'), { statusCode: 429 }),
    })
    expect(classify(wrapped)).toMatchObject({ class: 'throttle' })
  })

  it('is asked for again, then of another provider', async () => {
    const asked: (string | undefined)[] = []
    const { value } = await call(
      ({ provider }) => {
        asked.push(provider)
        return z.object({ city: z.string() }).parse(provider === 'a' ? { town: 'Rome' } : { city: 'Rome' })
      },
      { pool: ['a', 'b'], health: new Health(), maxRetries: 1, random: () => 0 },
    )
    expect([value, asked]).toEqual([{ city: 'Rome' }, ['a', 'a', 'b']])
  })
})

describe('a TypeError', () => {
  const from = (file: string) => {
    const error = new TypeError("Cannot read properties of undefined (reading 'message')")
    error.stack = `${error.name}: ${error.message}\n    at ChatOpenAI._generate (file:///app/${file}:1:2)\n    at main (file:///app/src/main.js:3:4)`
    return error
  }
  it('within LangChain is no bug of the caller', () => {
    const failure = classify(from('node_modules/@langchain/openai/dist/chat_models.js'))
    expect(failure).toMatchObject({ class: 'transient', kind: 'bad_json', effect: 'maybe' })
  })
  it('of the caller is', () => {
    expect(classify(from('src/main.js'))).toMatchObject({ class: 'permanent', kind: 'code_bug' })
  })
})
