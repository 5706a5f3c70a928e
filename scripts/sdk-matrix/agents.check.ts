import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { Agent as MastraAgent } from '@mastra/core/agent'
import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { resilient } from '../../src/sdk/ai-sdk/resilient.ts'
import { resilientFetch } from '../../src/sdk/fetch/resilient-fetch.ts'
import { always, quick, vendor } from './labs.ts'

// The recipes of docs/sdks.md for agents, with the real packages.
const apiKey = 'k'
setTracingDisabled(true)

it('OpenAI Agents fail over by the fetch of their client', async () => {
  const [bad, good] = [await vendor(always('billing')), await vendor([], 'forty-two')]
  const fetch = resilientFetch({ ...quick(), providers: [{}, { baseURL: good.openaiUrl, apiKey: 'second' }] })
  const client = new OpenAI({ apiKey, baseURL: bad.openaiUrl, fetch })
  const agent = new Agent({ name: 'a', model: new OpenAIChatCompletionsModel(client as never, 'm') })
  expect((await run(agent, 'x')).finalOutput).toBe('forty-two')
  expect([bad.requests.length, good.requests.length]).toEqual([1, 1])
})

it('OpenAI Agents repeat the question of a failed step, and never a tool', async () => {
  let ran = 0
  const parameters = z.object({})
  const count = tool({ name: 'count', description: 'counts', parameters, execute: () => String(++ran) })
  const answer = () =>
    ran === 0 ? { ends: 'tool' as const, text: '', tool: { name: 'count', input: {} } } : 'forty-two'
  const lab = await vendor([{ after: 1, fault: 'server_error', times: 2 }], answer)
  const client = new OpenAI({ apiKey, baseURL: lab.openaiUrl, fetch: resilientFetch(quick()) })
  const model = new OpenAIChatCompletionsModel(client as never, 'm')
  const agent = new Agent({ name: 'a', model, tools: [count] })
  expect((await run(agent, 'x')).finalOutput).toBe('forty-two')
  expect([lab.requests.length, ran]).toEqual([4, 1])
})

it('Mastra takes a resilient model', async () => {
  const [bad, good] = [await vendor(always('billing')), await vendor([], 'forty-two')]
  const model = resilient(
    [
      createAnthropic({ apiKey, baseURL: `${bad.url}/v1` })('m'),
      createOpenAI({ apiKey, baseURL: good.openaiUrl }).chat('m'),
    ],
    quick(),
  )
  const agent = new MastraAgent({ id: 'a', name: 'a', instructions: 'x', model: model as never })
  expect((await agent.generate('x')).text).toBe('forty-two')
  expect([bad.requests.length, good.requests.length]).toEqual([1, 1])
})
