import type {
  EmbeddingModelV4,
  LanguageModelV4,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { isCallFailed } from '../../call/call-failed.ts'
import { Health } from '../../provider/health.ts'
import { remarkOn } from './answer.ts'
import { resilientMiddleware } from './middleware.ts'
import { providersOf } from './names.ts'
import { resilientProvider } from './provider.ts'
import { resilient } from './resilient.ts'

const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 2, text: 2, reasoning: 0 },
}
const stop = { unified: 'stop', raw: 'stop' } as const
const answer = (text: string, finishReason: LanguageModelV4GenerateResult['finishReason'] = stop) => ({
  content: text === '' ? [] : [{ type: 'text' as const, text }],
  finishReason,
  usage,
  warnings: [],
  providerMetadata: { own: { id: 1 } },
})
const words = (...texts: string[]): LanguageModelV4StreamPart[] => [
  { type: 'stream-start', warnings: [] },
  { type: 'ping' },
  ...texts.map((delta): LanguageModelV4StreamPart => ({ type: 'text-delta', id: '0', delta })),
]
const finish: LanguageModelV4StreamPart = { type: 'finish', finishReason: stop, usage }
const error: LanguageModelV4StreamPart = {
  type: 'error',
  error: { type: 'overloaded_error', message: 'Overloaded' },
}

const streamOf = (parts: readonly LanguageModelV4StreamPart[]) =>
  new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })

/** A model that answers each question with the next of these; the last one stays. */
function model(provider: string, ...answers: (unknown | (() => unknown))[]) {
  let asked = 0
  const next = async () => {
    const given = answers[Math.min(asked++, answers.length - 1)]
    if (given instanceof Error) throw given
    return given
  }
  return {
    specificationVersion: 'v4',
    provider,
    modelId: 'm',
    supportedUrls: { 'image/*': [/^https:/, new RegExp(provider)] },
    doGenerate: next as LanguageModelV4['doGenerate'],
    doStream: async () => ({
      stream: streamOf((await next()) as LanguageModelV4StreamPart[]),
      request: { body: provider },
    }),
    get asked() {
      return asked
    },
  } satisfies LanguageModelV4 & { asked: number }
}

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const parts: T[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

const refused = Object.assign(new Error('credit balance is too low'), { statusCode: 402 })
const quick = () => ({ health: new Health(), random: () => 0 })
const question = { prompt: [] }

describe('a resilient model', () => {
  it('is the first one for the SDK, with only the addresses that all can load', async () => {
    const made = resilient([model('a'), model('b')])
    expect([made.provider, made.modelId, made.specificationVersion]).toEqual(['a', 'm', 'v4'])
    expect(await made.supportedUrls).toEqual({ 'image/*': [/^https:/] })
  })

  it('asks the next one, passes everything on, and adds who answered', async () => {
    const [first, second] = [model('a.chat', refused), model('b.chat', answer('hello'))]
    const { providerMetadata, ...rest } = await resilient([first, second], quick()).doGenerate(question)
    expect(rest).toMatchObject({ content: [{ text: 'hello' }], usage, warnings: [] })
    expect(providerMetadata).toMatchObject({
      own: { id: 1 },
      mulligan: {
        provider: 'b',
        attempts: [{ provider: 'a', failure: 'throttle/billing' }, { provider: 'b' }],
      },
    })
    expect([first.asked, second.asked]).toEqual([1, 1])
  })

  it('moves on while a stream has no content, and keeps the frame of the one before to itself', async () => {
    const made = resilient([model('a', [...words(), error]), model('b', [...words('hel', 'lo'), finish])], {
      ...quick(),
      maxRetries: 0,
    })
    const { stream, request } = await made.doStream(question)
    const parts = await all(stream)
    expect(request).toEqual({ body: 'b' })
    expect(parts.filter(({ type }) => type === 'stream-start')).toHaveLength(1)
    expect(parts.at(-1)).toMatchObject({ type: 'finish', providerMetadata: { mulligan: { provider: 'b' } } })
  })

  it.each([
    ['an error', [...words('hel'), error, finish], 'overloaded'],
    ['no end', words('hel'), 'stream_cut'],
  ])('ends a stream after its first content with a typed error, by %s', async (_, parts, kind) => {
    const second = model('b', [...words('again'), finish])
    const { stream } = await resilient([model('a', parts), second], quick()).doStream(question)
    const got: LanguageModelV4StreamPart[] = []
    const failed = await (async () => {
      for await (const part of stream) got.push(part)
    })().catch(failed => failed)
    expect(isCallFailed(failed) && failed.failure.kind).toBe(kind)
    expect(got.at(-1)).toMatchObject({ type: 'error' })
    expect(second.asked).toBe(0)
  })

  it('ends a stream as the SDK knows it if that aborts it: by its reason, and without an error', async () => {
    const controller = new AbortController()
    const hanging = new ReadableStream<LanguageModelV4StreamPart>({
      start(source) {
        for (const part of words('hello')) source.enqueue(part)
      },
    })
    const made = resilient([{ ...model('a'), doStream: async () => ({ stream: hanging }) }], quick())
    const { stream } = await made.doStream({ ...question, abortSignal: controller.signal })
    const got: string[] = []
    const reason = new Error('enough')
    const reading = (async () => {
      for await (const { type } of stream) if (got.push(type) === 3) controller.abort(reason)
    })()
    await expect(reading).rejects.toBe(reason)
    expect(got).toEqual(['stream-start', 'ping', 'text-delta'])
  })

  it('says at the end of a stream what it used and cost, although only its last part tells', async () => {
    const prices = { m: { input: 1_000_000, output: 1_000_000 } }
    const made = resilient([model('a', [...words('hello'), finish])], { ...quick(), prices })
    const parts = await all((await made.doStream(question)).stream)
    expect(parts.map(({ type }) => type)).toEqual(['stream-start', 'ping', 'text-delta', 'finish'])
    expect(parts.at(-1)).toMatchObject({
      providerMetadata: { mulligan: { costUsd: 5, attempts: [{ costUsd: 5, tokens: 5, model: 'm' }] } },
    })
  })

  it('delivers the last part of a stream that breaks after it, and then says so', async () => {
    const broken = new ReadableStream<LanguageModelV4StreamPart>({
      pull(controller) {
        const next = [...words('hello'), finish][sent++]
        if (next) controller.enqueue(next)
        else controller.error(new Error('socket hang up'))
      },
    })
    let sent = 0
    const breaking = { ...model('a'), doStream: async () => ({ stream: broken }) }
    const got: string[] = []
    const reading = (async () => {
      for await (const { type } of (await resilient([breaking], quick()).doStream(question)).stream)
        got.push(type)
    })()
    await expect(reading).rejects.toSatisfy(isCallFailed)
    expect(got).toEqual(['stream-start', 'ping', 'text-delta', 'finish', 'error'])
  })

  it('fails within the stream if nobody answers, because the SDK hides what a stream is refused with', async () => {
    const { stream } = await resilient([model('a', refused)], quick()).doStream(question)
    await expect(all(stream)).rejects.toSatisfy(isCallFailed)
  })

  it('takes an answer without words or a reason for none', async () => {
    const cut = { ...answer('', { unified: 'other', raw: undefined }), usage: undefined }
    const { content } = await resilient([model('a', cut), model('b', answer('hello'))], {
      ...quick(),
      maxRetries: 0,
    }).doGenerate(question)
    expect(content).toMatchObject([{ text: 'hello' }])
  })

  it('asks for a better answer where that was asked for, and delivers the last if none is', async () => {
    const filtered = answer('no', { unified: 'content-filter', raw: 'refusal' })
    const [first, second] = [model('a', filtered), model('b', filtered)]
    const { content, providerMetadata } = await resilient([first, second], {
      ...quick(),
      failoverOn: ['filtered'],
    }).doGenerate(question)
    expect(content).toMatchObject([{ text: 'no' }])
    expect(providerMetadata?.mulligan).toMatchObject({ provider: 'b', finish: 'filtered' })
    expect([first.asked, second.asked]).toEqual([1, 1])
  })

  it('asks for no better stream if that would exceed the cost limit', async () => {
    const second = model('b', [...words('hello'), finish])
    const made = resilient([model('a', [...words(), finish]), second], {
      ...quick(),
      failoverOn: ['empty'],
      prices: { m: { input: 1_000_000, output: 1_000_000 } },
      maxCostUsd: 1,
    })
    const parts = await all((await made.doStream(question)).stream)
    expect(parts.at(-1)).toMatchObject({ providerMetadata: { mulligan: { provider: 'a', costUsd: 5 } } })
    expect(second.asked).toBe(0)
  })

  it('asks for a better stream if one ends without a word', async () => {
    const made = resilient([model('a', [...words(), finish]), model('b', [...words('hello'), finish])], {
      ...quick(),
      failoverOn: ['empty'],
    })
    const parts = await all((await made.doStream(question)).stream)
    expect(parts.at(-1)).toMatchObject({ providerMetadata: { mulligan: { provider: 'b' } } })
  })

  const of = (...models: unknown[]) => resilient(models as LanguageModelV4[])
  const having = (options: unknown) => resilient([model('a')], options as object)
  const wrapping = (options: unknown) => resilientMiddleware(options as object)
  const providing = (provider: unknown, options?: unknown) =>
    resilientProvider(provider as never, options as object)
  const embedding = { specificationVersion: 'v4', provider: 'a', modelId: 'e', doEmbed: async () => ({}) }
  it.each<[string, () => unknown, RegExp]>([
    ['no model', () => of(), /at least one model, such as \[openai\('gpt-5'\)\]/],
    ['a name', () => of('gpt-5'), /^resilient: models\[0\] must be a language model such as.*not "gpt-5"$/],
    [
      'a provider',
      () => of(model('a'), () => model('b')),
      /models\[1\].*not a function: give a provider the name/,
    ],
    ['a client', () => of(new Health()), /models\[0\].*not an object of class Health$/],
    ['nothing', () => of(undefined), /models\[0\].*not undefined$/],
    [
      'a model of another kind',
      () => of(model('a'), embedding),
      /models\[1\].*not the model e of another kind/,
    ],
    [
      'an image model',
      () => of({ modelId: 'i', doGenerate: () => {} }),
      /models\[0\].*the model i of another kind/,
    ],
    [
      'an older model',
      () => of({ ...model('a'), specificationVersion: 'v3' }),
      /specification v3.*AI SDK 7 has v4/,
    ],
    [
      'an unknown option',
      () => having({ maxRetry: 1 }),
      /^resilient: unknown option maxRetry: did you mean maxRetries/,
    ],
    ['what the SDK decides', () => having({ pool: ['a'] }), /^resilient: unknown option pool/],
    ['no options', () => having(null), /^resilient: options must be an object/],
    [
      'a wrong remark',
      () => having({ failoverOn: ['filter'] }),
      /failoverOn must be a list of .*filtered.*not \["filter"\]/,
    ],
    ['one remark', () => having({ failoverOn: 'filtered' }), /failoverOn must be a list/],
    ['no check', () => having({ fits: true }), /fits must be a function/],
    [
      'remarks on embeddings',
      () => resilient([embedding as never], { failoverOn: ['empty'] } as object),
      /embeddings: unknown option failoverOn/,
    ],
    [
      'a misspelt fallback',
      () => wrapping({ fallback: [] }),
      /^resilientMiddleware: unknown option fallback: did you mean fallbacks/,
    ],
    ['one fallback', () => wrapping({ fallbacks: model('a') }), /fallbacks must be a list/],
    [
      'the name of a fallback',
      () => wrapping({ fallbacks: ['gpt-5'] }),
      /fallbacks\[0\] must be a language model/,
    ],
    ['no provider', () => providing(undefined), /^resilientProvider: takes a provider/],
    ['a model as provider', () => providing(model('a')), /^resilientProvider: takes a provider/],
    [
      'a list of fallbacks',
      () => providing(() => model('a'), { fallbacks: [] }),
      /fallbacks must be a function/,
    ],
    [
      'a misspelt option of a provider',
      () => providing(() => model('a'), { budgetMS: 1 }),
      /did you mean budgetMs/,
    ],
  ])('says what is wrong with %s, before anything is asked', (_, make, said) => {
    expect(make).toThrow(said)
  })
})

describe('names of providers', () => {
  it.each([
    [
      ['openai.chat:a', 'anthropic.messages:b'],
      ['openai', 'anthropic'],
    ],
    [
      ['openai.chat:a', 'openai.responses:b'],
      ['openai/a', 'openai/b'],
    ],
    [
      ['openai.chat:a', 'openai.chat:a'],
      ['openai/a', 'openai/a#2'],
    ],
  ])('of %j are %j', (models, names) => {
    const given = models.map(name => ({
      provider: name.split(':')[0] as string,
      modelId: name.split(':')[1] as string,
    }))
    expect(providersOf(given)).toEqual(names)
  })
})

describe('a remark on an answer', () => {
  const json = {
    responseFormat: { type: 'json' as const, schema: { type: 'object', required: ['a'] } as const },
  }
  it.each([
    ['schema', answer('{"b":1}'), json],
    ['schema', answer('not JSON'), json],
    ['nothing', answer('x'), {}],
    ['nothing', answer('{"a":1}'), json],
    ['empty', answer('  '), {}],
    ['length', answer('x', { unified: 'length', raw: 'max_tokens' }), {}],
  ] as const)('is %s', (as, value, asked) => {
    expect(remarkOn(value, asked as never, ['schema', 'empty', 'length'])?.as ?? 'nothing').toBe(as)
  })

  it('asks the program whether JSON fits, if it can say', () => {
    expect(remarkOn(answer('{"a":1}'), json, ['schema'], () => false)?.as).toBe('schema')
  })
})

describe('in one place', () => {
  it('is middleware for wrapLanguageModel', async () => {
    const [first, second] = [model('a', refused), model('b', answer('hello'))]
    const { wrapGenerate } = resilientMiddleware({ ...quick(), fallbacks: [second] })
    const result = await wrapGenerate?.({
      model: first,
      params: question,
      doGenerate: undefined as never,
      doStream: undefined as never,
    })
    expect(result?.content).toMatchObject([{ text: 'hello' }])
  })

  it('is a provider, however its models are asked for', async () => {
    const make = (modelId: string) => ({ ...model('a', refused), modelId })
    const own = Object.assign(make, {
      specificationVersion: 'v4' as const,
      languageModel: make,
      chat: make,
      version: 1,
    })
    const provider = resilientProvider(own as never, {
      ...quick(),
      fallbacks: id => [model(`${id}-2`, answer('hello'))],
    }) as unknown as typeof own
    for (const made of [provider('x'), provider.languageModel('x'), provider.chat('x')])
      expect((await made.doGenerate(question)).providerMetadata?.mulligan).toMatchObject({ provider: 'x-2' })
    expect(provider.version).toBe(1)
  })
})

describe('embeddings', () => {
  const embedding = (provider: string, modelId: string, result: unknown) =>
    ({
      specificationVersion: 'v4',
      provider,
      modelId,
      maxEmbeddingsPerCall: provider === 'a' ? 10 : undefined,
      supportsParallelCalls: true,
      doEmbed: () => (result instanceof Error ? Promise.reject(result) : Promise.resolve(result)),
    }) as EmbeddingModelV4

  it('fail over to the same model elsewhere', async () => {
    const made = resilient(
      [embedding('a', 'small', refused), embedding('b', 'openai/small', { embeddings: [[1]] })],
      quick(),
    )
    expect(await made.maxEmbeddingsPerCall).toBe(10)
    expect(await made.doEmbed({ values: ['x'] })).toMatchObject({
      embeddings: [[1]],
      providerMetadata: { mulligan: { provider: 'b' } },
    })
  })

  it('end as the SDK knows it if that aborts them: by its reason', async () => {
    const abortSignal = AbortSignal.abort()
    const asked = resilient([embedding('a', 'small', {})], quick()).doEmbed({ values: ['x'], abortSignal })
    await expect(asked).rejects.toBe(abortSignal.reason)
  })

  it('are refused for models whose vectors cannot be compared', () => {
    expect(() => resilient([embedding('a', 'small', {}), embedding('b', 'large', {})])).toThrow(
      /small and large.*cannot be compared/,
    )
  })
})
