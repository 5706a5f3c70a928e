import { createRequire } from 'node:module'
import { type CalcPrice, libraryPrices } from '../call/library-prices.ts'
import { type Prices, priceOf } from '../call/price.ts'

let loaded: Prices | undefined

/** List prices of the vendors, for models that the config does not price. Loaded when first asked, because few calls ask. */
export const listPrices: Prices = used => {
  loaded ??= libraryPrices(load())
  return priceOf(loaded, used)
}

function load(): CalcPrice {
  return createRequire(import.meta.url)('@pydantic/genai-prices').calcPrice
}
