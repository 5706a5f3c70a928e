// A streaming chat route, as Next.js, Hono or SvelteKit take it. Until the first word another model may answer; after it the browser is
// told of a cut instead of getting the beginning twice.
import { anthropic } from '@ai-sdk/anthropic'
import { openai } from '@ai-sdk/openai'
import { resilient } from '@mulligan/core/ai-sdk'
import { convertToModelMessages, streamText } from 'ai'

const model = resilient([anthropic('claude-sonnet-4-5'), openai('gpt-5')], {
  budgetMs: 120_000,
  firstChunkMs: 15_000,
  idleMs: 30_000,
})

/** @param {Request} request */
export async function POST(request) {
  const { messages } = await request.json()
  const result = streamText({
    model,
    messages: await convertToModelMessages(messages),
    abortSignal: request.signal,
    onError: ({ error }) => console.error(error.message),
  })
  return result.toUIMessageStreamResponse()
}
