import { expect, it } from 'vitest'
import { libraryPrices } from '../call/library-prices.ts'
import { priceOf } from '../call/price.ts'
import { listPrices } from './list-prices.ts'

const usage = { inputTokens: 1_000_000, outputTokens: 100_000, cachedTokens: 500_000, cacheWriteTokens: 0 }
const price = (model: string | undefined, provider?: string) =>
  priceOf(listPrices, { provider, model, usage })

it('knows what models of the vendors cost, cached tokens for less', () => {
  expect(price('gpt-5', 'openai')).toBeCloseTo(1.6875, 6)
  expect(price('gpt-5-2025-08-07', 'openai.responses')).toBeCloseTo(1.6875, 6)
  expect(price('gemini-2.5-pro', 'gemini')).toBe(price('gemini-2.5-pro', 'google.generative-ai'))
  expect(price('llama-3.3-70b-versatile', 'groq')).toBeGreaterThan(0)
})

it('takes the vendor of the model, if the provider is a name of your own', () => {
  expect(price('gpt-5', 'work~1a2b')).toBe(price('gpt-5', 'openai'))
})

it('knows nothing of a model that it does not know', () => {
  expect(price('nobodys-model', 'openai')).toBeUndefined()
  expect(price(undefined)).toBeUndefined()
})

it('is not confused by counts that do not add up', () => {
  const odd = { inputTokens: 10, outputTokens: 1, cachedTokens: 20, cacheWriteTokens: 20 }
  expect(priceOf(listPrices, { provider: 'openai', model: 'gpt-5', usage: odd })).toBeGreaterThan(0)
})

it('says what it needs', () => {
  expect(() => libraryPrices({ calcPrice: () => null } as never)).toThrow(/needs the function calcPrice/)
})

it('has no price where the list breaks', () => {
  const broken = libraryPrices(() => {
    throw new Error('no list')
  })
  expect(priceOf([broken, () => 2], { provider: 'p', model: 'm', usage })).toBe(2)
})

it('asks the library once for a model that it does not know', () => {
  let asked = 0
  const prices = libraryPrices(() => {
    asked++
    return null
  })
  const used = { provider: undefined, model: 'own-1', usage }
  expect([priceOf(prices, used), priceOf(prices, used)]).toEqual([undefined, undefined])
  expect(asked).toBe(1)
})
