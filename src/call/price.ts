import { WrongArgument } from '../failure/own-error.ts'
import type { TokenUsage } from '../failure/stream/usage.ts'

/** What one try used, and where. */
export interface Used {
  provider: string | undefined
  /** As the answer names it, else as it was asked for. */
  model: string | undefined
  usage: TokenUsage
}

/** US dollars for a million tokens. */
export interface ModelPrice {
  input: number
  output: number
  /** Of input from a cache. Default: as other input. */
  cached?: number | undefined
  /** Of input that is written to a cache. Default: as other input. */
  cacheWrite?: number | undefined
}

/**
 * What tokens cost: a price for each model (by its name, or `provider/name`), a function that returns US dollars or undefined, or a list of
 * both, of which the first that knows counts.
 */
export type Prices =
  | Readonly<Record<string, ModelPrice>>
  | ((used: Used) => number | undefined)
  | readonly Prices[]

/** What a try cost in US dollars; undefined if nobody knows. */
export function priceOf(prices: Prices, used: Used): number | undefined {
  if (typeof prices === 'function') return amountOf(askedOf(prices, used))
  if (isList(prices)) {
    for (const one of prices) {
      const usd = priceOf(one, used)
      if (usd !== undefined) return usd
    }
    return undefined
  }
  const price = priceIn(prices, used)
  return price && costAt(price, used.usage)
}

/** An answer that is here must not be lost to a price list that breaks. */
function askedOf(prices: (used: Used) => number | undefined, used: Used): number | undefined {
  try {
    return prices(used)
  } catch {
    return undefined
  }
}

function isList(prices: Prices): prices is readonly Prices[] {
  return Array.isArray(prices)
}

/** A dated or prefixed name is the model it begins or ends with: `gpt-5-2026-01-01`, `openai/gpt-5`. The longest name counts. */
function priceIn(
  table: Readonly<Record<string, ModelPrice>>,
  { provider, model }: Used,
): ModelPrice | undefined {
  if (model === undefined) return undefined
  const exact = table[`${provider}/${model}`] ?? table[model]
  if (exact) return exact
  const bare = model.slice(model.lastIndexOf('/') + 1)
  const isDated = (name: string) =>
    bare === name || (bare.startsWith(`${name}-`) && /^\d[\d-]*$|^latest$/.test(bare.slice(name.length + 1)))
  const names = Object.keys(table)
    .filter(isDated)
    .sort((a, b) => b.length - a.length)
  return names[0] === undefined ? undefined : table[names[0]]
}

/** The price of a usage at given rates. */
export function costAt(
  { input, output, cached = input, cacheWrite = input }: ModelPrice,
  usage: TokenUsage,
): number {
  const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens } = usage
  const fresh = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens)
  return (
    (fresh * input + cachedTokens * cached + cacheWriteTokens * cacheWrite + outputTokens * output) /
    1_000_000
  )
}

/** A wrong amount is no price: it must neither stop a call nor let it go on for ever. */
function amountOf(usd: number | undefined): number | undefined {
  return typeof usd === 'number' && usd >= 0 && usd < Infinity ? usd : undefined
}

/** Throws unless every price of a table is an amount. */
export function checkPrices(prices: Prices): void {
  if (typeof prices === 'function') return
  if (isList(prices)) {
    for (const one of prices) checkPrices(one)
    return
  }
  for (const [model, price] of Object.entries(prices)) {
    if (typeof price !== 'object' || price === null)
      throw new WrongArgument(
        `call: prices: ${model} must be {input, output}, in US dollars for a million tokens`,
      )
    const given: Partial<Record<string, number | undefined>> = { ...price }
    for (const [name, usd] of Object.entries(given)) {
      if (!NAMES.includes(name))
        throw new WrongArgument(`call: prices: ${model} has an unknown ${name}; known: ${NAMES.join(', ')}`)
      if (usd !== undefined && amountOf(usd) === undefined)
        throw new WrongArgument(
          `call: prices: ${name} of ${model} must be US dollars for a million tokens, 0 or more`,
        )
    }
    // Without both, the cost would be no number, and no limit on it would ever hold.
    for (const name of ['input', 'output'])
      if (given[name] === undefined) throw new WrongArgument(`call: prices: ${model} needs ${name}`)
  }
}

const NAMES = ['input', 'output', 'cached', 'cacheWrite']
