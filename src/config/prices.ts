import type { Prices } from '../call/price.ts'
import type { PriceConfig } from './schema/price.ts'

/** The prices of a config, for calls. */
export function pricesOf(prices: readonly PriceConfig[]): Prices {
  return Object.fromEntries(prices.map(({ model, ...price }) => [model, price]))
}
