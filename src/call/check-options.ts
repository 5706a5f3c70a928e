import { WrongArgument } from '../failure/own-error.ts'
import { quote } from '../failure/quote.ts'
import { FINISH_REMARKS } from '../failure/stream/finish.ts'
import { remedyFor } from '../option/check-names.ts'
import { BACKOFF_NAMES } from '../verdict/backoff.ts'
import { FAILOVERS } from '../verdict/circumstances.ts'
import type { CallOptions } from './options.ts'
import { checkPrices, type Prices } from './price.ts'

interface Rule {
  /** What a valid value looks like. */
  right: string
  test(value: unknown): boolean
}

const name: Rule = { right: 'a name', test: value => typeof value === 'string' && value !== '' }
const milliseconds: Rule = {
  right: 'a number of milliseconds above 0',
  test: value => isNumber(value) && value > 0,
}
const flag: Rule = { right: 'true or false', test: value => typeof value === 'boolean' }
const callback: Rule = { right: 'a function', test: value => typeof value === 'function' }
const object: Rule = { right: 'an object', test: value => typeof value === 'object' && value !== null }

/** Every option, and what it takes. */
const OPTIONS: Record<keyof CallOptions, Rule> = {
  name,
  budgetMs: milliseconds,
  longestWaitMs: milliseconds,
  attemptTimeoutMs: milliseconds,
  firstChunkMs: milliseconds,
  idleMs: milliseconds,
  finish: {
    right: `deliver, strict, failover, or a list of ${FINISH_REMARKS.join(', ')}`,
    test: value =>
      ['deliver', 'strict', 'failover'].includes(value as string) ||
      (Array.isArray(value) && value.every(one => FINISH_REMARKS.includes(one))),
  },
  finishOf: callback,
  minRetryBudgetMs: { right: 'a number of milliseconds, 0 or more', test: isAmount },
  maxCostUsd: { right: 'a number of US dollars, 0 or more', test: isAmount },
  prices: {
    right: 'prices by model, a function, or a list of them',
    test: value => callback.test(value) || object.test(value),
  },
  maxRetries: {
    right: 'a whole number, 0 or more',
    test: value => isAmount(value) && (Number.isInteger(value) || value === Infinity),
  },
  backoff: {
    right: `one of ${BACKOFF_NAMES.join(', ')}`,
    test: value => (BACKOFF_NAMES as readonly unknown[]).includes(value),
  },
  provider: { ...name, right: 'the name of a provider' },
  pool: {
    right: 'a list of at least one provider name, each named once, or the name of a pool',
    test: value =>
      name.test(value) ||
      (Array.isArray(value) && value.length > 0 && value.every(name.test) && isUnique(value)),
  },
  models: {
    right: 'an object with a model for each provider that needs one',
    test: value => object.test(value) && Object.values(value as object).every(name.test),
  },
  failover: { right: 'first or last', test: value => (FAILOVERS as readonly unknown[]).includes(value) },
  model: name,
  routing: {
    right: 'order, cheapest, or an object with a weight, 0 or more, for each provider',
    test: value =>
      value === 'order' ||
      value === 'cheapest' ||
      (object.test(value) && Object.values(value as object).every(isAmount)),
  },
  bill: callback,
  sticky: { right: 'a string that identifies the conversation', test: name.test },
  hedge: {
    right: 'a number of milliseconds above 0, or p95',
    test: value => value === 'p95' || milliseconds.test(value),
  },
  urgent: flag,
  credential: { right: 'a string that identifies the key or login', test: name.test },
  retry: {
    right: '"none" or "replay" (only a capability can be verified first)',
    test: value => value === 'none' || value === 'replay',
  },
  repeatable: flag,
  atomic: flag,
  resumable: flag,
  graceMs: { right: 'a number of milliseconds, 0 or more', test: isAmount },
  softFailures: flag,
  passThrough: {
    right: 'a function, or a list of error names',
    test: value => callback.test(value) || (Array.isArray(value) && value.every(name.test)),
  },
  policy: {
    right: 'a policy, a function, or a list of them',
    test: value =>
      (Array.isArray(value) ? value : [value]).every(one => callback.test(one) || object.test(one)),
  },
  signal: { right: 'an AbortSignal', test: value => value instanceof AbortSignal },
  onEvent: callback,
  onPolicyProblem: callback,
  classifier: callback,
  classify: object,
  health: object,
  time: object,
  random: callback,
}

/** By name, because every call looks up each of its options. */
const RULES: ReadonlyMap<string, Rule> = new Map(Object.entries(OPTIONS))

/** The names of all options. */
export const OPTION_NAMES: readonly string[] = Object.keys(OPTIONS)

/**
 * Throws a TypeError that names the option, its value and what would be right.
 * @param where whose options they are
 */
export function checkOptions(options: CallOptions, where = 'call'): void {
  for (const key in options) {
    const value = options[key as keyof CallOptions]
    if (value === undefined) continue
    const rule = RULES.get(key)
    if (!rule) throw new WrongArgument(`${where}: unknown option ${key}${remedyFor(key, OPTION_NAMES)}`)
    if (key === 'credential' && !rule.test(value))
      // The value may be a key, which must not be shown.
      throw new WrongArgument(
        `${where}: credential must be ${rule.right}, not ${value === '' ? 'an empty one' : `a value of type ${typeof value}`}`,
      )
    if (key === 'prices' && rule.test(value)) checkPrices(value as Prices)
    if (!rule.test(value))
      throw new WrongArgument(`${where}: ${key} must be ${rule.right}, not ${quote(value)}`)
  }
}

/** Throws unless the work is a function. */
export function checkWork(work: unknown): void {
  if (typeof work !== 'function')
    throw new WrongArgument(`call: the work must be a function, not ${quote(work)}`)
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && !Number.isNaN(value)
}

function isAmount(value: unknown): boolean {
  return isNumber(value) && value >= 0
}

function isUnique(list: readonly unknown[]): boolean {
  // For short lists, a set would cost more than all other checks of a call.
  if (list.length < 8) return list.every((one, at) => list.indexOf(one) === at)
  return new Set(list).size === list.length
}
