/** More than any call costs, takes or uses. A larger number is a mistake or a lie, and no evidence. */
const MOST_USD = 100_000
const MOST_COUNTED = 1_000_000_000

/** True for an amount of money that a call can have cost. */
export function isPlausibleCost(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MOST_USD
}

/** True for a number of turns or tokens that a call can have used. */
export function isPlausibleCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MOST_COUNTED
}
