import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { embed, generateText, Output, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isCallFailed } from '../../src/call/call-failed.ts'
import { resilient, resilientMiddleware, resilientProvider } from '../../src/sdk/ai-sdk/index.ts'
import { always, quick, vendor } from './labs.ts'

const apiKey = 'k'
const prompt = 'x'
type Lab = Awaited<ReturnType<typeof vendor>>
const anthropic = ({ url }: Lab): LanguageModelV4 =>
  createAnthropic({ apiKey, baseURL: `${url}/v1` })('claude')
const openai = ({ openaiUrl }: Lab): LanguageModelV4 => createOpenAI({ apiKey, baseURL: openaiUrl })('gpt')

async function pair(script: Parameters<typeof vendor>[0], answer = 'forty-two') {
  const [bad, good] = [await vendor(script, answer), await vendor([], answer)]
  return { bad, good, models: [anthropic(bad), openai(good)] as const }
}

describe('generateText', () => {
  it('asks the next model, and says so in its metadata', async () => {
    const { bad, good, models } = await pair(always('billing'))
    const { text, providerMetadata, usage } = await generateText({
      model: resilient(models, quick()),
      prompt,
    })
    expect(text).toBe('forty-two')
    expect(usage.outputTokens).toBeGreaterThan(0)
    expect(providerMetadata?.mulligan).toMatchObject({
      provider: 'openai',
      attempts: [
        { provider: 'anthropic', failure: 'throttle/billing', verdict: 'failover' },
        { provider: 'openai' },
      ],
    })
    expect([bad.requests.length, good.requests.length]).toEqual([1, 1])
  })

  it('does not multiply the retries of the SDK by ours', async () => {
    for (const fault of ['server_error', 'reset', 'rate_limit'] as const) {
      const lab = await vendor([{ fault, times: 'always', waitMs: 1 }])
      const error = await generateText({ model: resilient([anthropic(lab)], quick()), prompt }).catch(
        error => error,
      )
      expect(isCallFailed(error)).toBe(true)
      expect(lab.requests).toHaveLength(3)
    }
  })

  it('ends with the abort of the caller', async () => {
    const { models } = await pair(always('hang'))
    const abortSignal = AbortSignal.timeout(50)
    const error = await generateText({ model: resilient(models, quick()), prompt, abortSignal }).catch(
      error => error,
    )
    expect(error.name).toBe('TimeoutError')
  })

  it.each(['empty', 'schema', 'filtered', 'length'] as const)(
    'asks the next model if an answer is %s',
    async as => {
      const faults = {
        empty: undefined,
        schema: undefined,
        filtered: 'refusal',
        length: 'output_limit',
      } as const
      const fault = faults[as]
      const answer = as === 'empty' ? ' ' : as === 'schema' ? '{"other":1}' : 'cut'
      const first = await vendor(fault ? always(fault) : [], answer)
      const second = await vendor([], '{"letter":"a"}')
      const model = resilient([anthropic(first), openai(second)], { ...quick(), failoverOn: [as] })
      const { output, providerMetadata } = await generateText({
        model,
        prompt,
        output: Output.object({ schema: z.object({ letter: z.string() }) }),
      })
      expect(output).toEqual({ letter: 'a' })
      expect(providerMetadata?.mulligan).toMatchObject({
        provider: 'openai',
        attempts: [{ verdict: 'failover' }, {}],
      })
    },
  )

  it('delivers an answer if none is better', async () => {
    const [first, second] = [
      await vendor(always('output_limit'), 'one'),
      await vendor(always('output_limit'), 'two'),
    ]
    const model = resilient([openai(first), anthropic(second)], { ...quick(), failoverOn: ['length'] })
    const { finishReason, providerMetadata } = await generateText({ model, prompt })
    expect(finishReason).toBe('length')
    expect([first.requests.length, second.requests.length]).toEqual([1, 1])
    expect(providerMetadata?.mulligan).toBeDefined()
  })
})

describe('an agent', () => {
  it('repeats the model call of a failed step, and never a tool', async () => {
    let ran = 0
    const toolThenText = () =>
      ran < 5
        ? { ends: 'tool' as const, text: '', tool: { name: 'count', input: {} } }
        : { ends: 'stop' as const, text: 'done' }
    const bad = await vendor([{ after: 4, fault: 'overloaded', times: 'always' }], toolThenText)
    const good = await vendor([], toolThenText)
    const { text, steps } = await generateText({
      model: resilient([anthropic(bad), openai(good)], quick()),
      prompt,
      stopWhen: stepCountIs(10),
      tools: {
        count: tool({ inputSchema: z.object({}), execute: () => ++ran }),
      },
    })
    expect(text).toBe('done')
    expect(steps).toHaveLength(6)
    expect(ran).toBe(5)
  })
})

describe('streamText', () => {
  it('asks the next model until the first content', async () => {
    const good = await vendor([], 'forty-two')
    const events = [
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'claude',
          content: [],
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      },
      { type: 'ping' },
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    ]
    const body = events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
    const overloaded = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    const models = [createAnthropic({ apiKey, fetch: overloaded })('claude'), openai(good)]
    const result = streamText({
      model: resilient(models, { ...quick(), maxRetries: 0 }),
      prompt,
      onError() {},
    })
    expect((await Array.fromAsync(result.textStream)).join('')).toBe('forty-two')
    expect((await result.providerMetadata)?.mulligan).toMatchObject({
      provider: 'openai',
      attempts: [{}, {}],
    })
    expect(good.requests).toHaveLength(1)
  })

  it('ends with a typed error after that, and nothing comes twice', async () => {
    const { good, models } = await pair(always('unfinished_stream'), 'one two three four five six')
    const result = streamText({ model: resilient(models, quick()), prompt, onError() {} })
    let text = ''
    const error = await (async () => {
      for await (const piece of result.textStream) text += piece
    })().catch(error => error)
    expect(isCallFailed(error) && error.failure.kind).toBe('stream_cut')
    expect('one two three four five six'.startsWith(text)).toBe(true)
    expect(text).not.toBe('')
    expect(good.requests).toHaveLength(0)
    await expect(result.text).rejects.toSatisfy(isCallFailed)
  })

  it('tells a browser', async () => {
    const { models } = await pair(always('unfinished_stream'), 'one two three four')
    const response = streamText({
      model: resilient(models, quick()),
      prompt,
      onError() {},
    }).toUIMessageStreamResponse()
    let body = ''
    const reading = (async () => {
      for await (const piece of (response.body as ReadableStream<Uint8Array>).pipeThrough(
        new TextDecoderStream() as never,
      ))
        body += piece
    })()
    await expect(reading).rejects.toSatisfy(isCallFailed)
    expect(body).toContain('"type":"error"')
  })
})

describe('in one place', () => {
  it('is middleware', async () => {
    const { models } = await pair(always('billing'))
    const model = wrapLanguageModel({
      model: models[0],
      middleware: resilientMiddleware({ ...quick(), fallbacks: [models[1]] }),
    })
    expect((await generateText({ model, prompt })).text).toBe('forty-two')
    expect((await Array.fromAsync(streamText({ model, prompt }).textStream)).join('')).toBe('forty-two')
  })

  it('is a provider', async () => {
    const { bad, models } = await pair(always('billing'))
    const provider = resilientProvider(createAnthropic({ apiKey, baseURL: `${bad.url}/v1` }), {
      ...quick(),
      fallbacks: () => [models[1]],
    })
    for (const model of [provider('claude'), provider.languageModel('claude')])
      expect((await generateText({ model, prompt })).text).toBe('forty-two')
  })
})

describe('embeddings', () => {
  it('refuses models whose vectors cannot be compared', async () => {
    const provider = createOpenAI({ apiKey })
    expect(() => resilient([provider.embedding('small'), provider.embedding('large')])).toThrow(
      /cannot be compared/,
    )
  })

  it('fail over to the same model elsewhere', async () => {
    const fetched =
      (status: number): typeof fetch =>
      async () =>
        new Response(
          JSON.stringify(
            status === 200
              ? { data: [{ index: 0, embedding: [1, 2] }], usage: { prompt_tokens: 1 } }
              : { error: { message: 'down' } },
          ),
          {
            status,
            headers: { 'content-type': 'application/json' },
          },
        )
    const at = (name: string, status: number) =>
      createOpenAI({ apiKey, name, fetch: fetched(status) }).embedding('small')
    const { embedding, providerMetadata } = await embed({
      model: resilient([at('one', 402), at('two', 200)], quick()),
      value: 'x',
    })
    expect(embedding).toEqual([1, 2])
    expect(providerMetadata?.mulligan).toMatchObject({ provider: 'two' })
  })
})
