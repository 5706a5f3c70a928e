import { WrongArgument } from '../failure/own-error.ts'
import type { Prices, Used } from './price.ts'

/** `calcPrice` of `@pydantic/genai-prices`, or a function like it. */
export type CalcPrice = (
  usage: {
    input_tokens: number
    output_tokens: number
    cache_read_tokens: number
    cache_write_tokens: number
  },
  model: string,
  options?: { providerId?: string },
) => { total_price: number } | null

/** What that library calls the vendors that providers are often named after, where it is not their own first word. */
const VENDORS: Readonly<Record<string, string>> = {
  claude: 'anthropic',
  codex: 'openai',
  chatgpt: 'openai',
  gemini: 'google',
  vertex: 'google',
  bedrock: 'aws',
  amazon: 'aws',
  xai: 'x-ai',
  grok: 'x-ai',
  kimi: 'moonshotai',
  moonshot: 'moonshotai',
}

/** More models than anybody asks for. */
const MOST_UNKNOWN = 1_000

/** List prices of a library, for `prices`: of the provider if the library knows it, else of the vendor of the model. */
export function libraryPrices(calcPrice: CalcPrice): Prices {
  if (typeof calcPrice !== 'function')
    throw new WrongArgument('libraryPrices: needs the function calcPrice of @pydantic/genai-prices')
  /** Models without a price: the library compares their names with all that it knows, every time. */
  const unknown = new Set<string>()
  return ({ provider, model, usage }: Used) => {
    if (model === undefined) return undefined
    const asked = `${provider ?? ''} ${model}`
    if (unknown.has(asked)) return undefined
    const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens } = usage
    const cache_read_tokens = Math.min(cachedTokens, inputTokens)
    const counts = {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cache_read_tokens,
      cache_write_tokens: Math.min(cacheWriteTokens, inputTokens - cache_read_tokens),
    }
    const [word = ''] = (provider ?? '').toLowerCase().split(/[^a-z]/, 1)
    const providerId = VENDORS[word] ?? word
    const priced = (word && calcPrice(counts, model, { providerId })) || calcPrice(counts, model)
    if (!priced && unknown.size < MOST_UNKNOWN) unknown.add(asked)
    return priced?.total_price
  }
}
