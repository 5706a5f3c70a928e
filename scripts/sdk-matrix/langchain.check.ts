import { ChatAnthropic } from '@langchain/anthropic'
import { StringOutputParser } from '@langchain/core/output_parsers'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isCallFailed } from '../../src/call/call-failed.ts'
import { resilientModel } from '../../src/sdk/langchain/resilient-model.ts'
import { always, quick, vendor } from './labs.ts'

type Lab = Awaited<ReturnType<typeof vendor>>
const apiKey = 'k'
const anthropic = ({ url }: Lab) =>
  new ChatAnthropic({ model: 'claude', apiKey, anthropicApiUrl: url, maxTokens: 9 })
const openai = ({ openaiUrl }: Lab) =>
  new ChatOpenAI({ model: 'gpt', apiKey, configuration: { baseURL: openaiUrl } })
const pair = async (
  script: Parameters<typeof vendor>[0],
  answer: Parameters<typeof vendor>[1] = 'forty-two',
) => {
  const [bad, good] = [await vendor(script), await vendor([], answer)]
  return { bad, good, model: resilientModel([anthropic(bad), openai(good)], quick()) }
}

describe('resilientModel', () => {
  it('asks the next model', async () => {
    const { bad, good, model } = await pair(always('billing'))
    expect((await model.invoke('x')).text).toBe('forty-two')
    expect([bad.requests.length, good.requests.length]).toEqual([1, 1])
  })

  it.each([anthropic, openai])(
    'makes no more requests than ours, although its models retry six times',
    async make => {
      const lab = await vendor(always('server_error'))
      const error = await resilientModel([make(lab)], quick())
        .invoke('x')
        .catch(error => error)
      expect(isCallFailed(error)).toBe(true)
      expect(lab.requests).toHaveLength(3)
    },
  )

  it('streams, alone and in a chain', async () => {
    const { model } = await pair(always('billing'))
    let text = ''
    for await (const chunk of await model.stream('x')) text += chunk.text
    for await (const piece of await model.pipe(new StringOutputParser()).stream('x')) text += piece
    expect(text).toBe('forty-twoforty-two')
  })

  it('says that a stream was cut, after its first words', async () => {
    const { good, model } = await pair(always('unfinished_stream'))
    const error = await (async () => {
      for await (const _ of await model.stream('x'));
    })().catch(error => error)
    expect(isCallFailed(error) && error.failure.kind).toBe('stream_cut')
    expect(good.requests).toHaveLength(0)
  })

  it('binds tools to each model in its own way', async () => {
    const calls = { ends: 'tool' as const, text: '', tool: { name: 'count', input: { of: 'x' } } }
    const { model } = await pair(always('billing'), () => calls)
    const count = tool(({ of }) => of, {
      name: 'count',
      description: 'counts',
      schema: z.object({ of: z.string() }),
    })
    const { tool_calls } = await model.bindTools([count]).invoke('x')
    expect(tool_calls).toMatchObject([{ name: 'count', args: { of: 'x' } }])
  })

  it('ends with the abort of the caller', async () => {
    const { model } = await pair(always('hang'))
    const error = await model.invoke('x', { signal: AbortSignal.timeout(50) }).catch(error => error)
    expect(error.name).toBe('TimeoutError')
  })
})
