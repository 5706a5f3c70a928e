// An agent with tools. A failed step repeats one question to a model, never a tool: the order is placed once, whatever fails after it.
import { anthropic } from '@ai-sdk/anthropic'
import { openai } from '@ai-sdk/openai'
import { resilient } from '@mulligan/core/ai-sdk'
import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'

const model = resilient([anthropic('claude-sonnet-4-5'), openai('gpt-5')], { budgetMs: 300_000 })

/**
 * @param {string} prompt
 * @param {(item: string) => unknown} order
 */
export async function shop(prompt, order) {
  const tools = {
    order: tool({
      description: 'Orders an item',
      inputSchema: z.object({ item: z.string() }),
      execute: ({ item }) => order(item),
    }),
  }
  const { text, steps } = await generateText({ model, prompt, tools, stopWhen: stepCountIs(10) })
  return { text, steps: steps.length }
}
