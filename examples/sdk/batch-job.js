// A batch job at night: many questions, few at a time, one bill. Limits are waited out, the cheaper model goes first, and the job stops
// before it costs more than it may.
import { anthropic } from '@ai-sdk/anthropic'
import { openai } from '@ai-sdk/openai'
import { resilient } from '@mulligan/core/ai-sdk'
import { generateText } from 'ai'

const prices = {
  'gpt-5-mini': { input: 0.25, output: 2, cached: 0.025 },
  'claude-haiku-4-5': { input: 1, output: 5, cached: 0.1 },
}
const model = resilient([anthropic('claude-haiku-4-5'), openai('gpt-5-mini')], {
  routing: 'cheapest',
  prices,
  maxCostUsd: 0.05,
})

/**
 * @param {readonly string[]} questions
 * @param {{atOnce?: number, mostUsd?: number}} options
 */
export async function answerAll(questions, { atOnce = 4, mostUsd = 5 } = {}) {
  const answers = new Map()
  const left = [...questions]
  let usd = 0
  const work = async () => {
    for (let prompt = left.shift(); prompt !== undefined && usd < mostUsd; prompt = left.shift()) {
      try {
        const { text, providerMetadata } = await generateText({ model, prompt })
        usd += Number(providerMetadata?.mulligan?.costUsd ?? 0)
        answers.set(prompt, { text })
      } catch (error) {
        answers.set(prompt, { failed: error.message, verdict: error.verdict?.action })
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { answers, usd, left }
}
