import { checkOptions, OPTION_NAMES } from '../call/check-options.ts'
import type { CallOptions } from '../call/options.ts'
import { WrongArgument } from '../failure/own-error.ts'
import { checkNames } from '../option/check-names.ts'

/** What the SDK itself decides about a call. */
const DECIDED = [
  'provider',
  'pool',
  'models',
  'model',
  'signal',
  'retry',
  'repeatable',
  'atomic',
  'resumable',
  'graceMs',
  'urgent',
] as const satisfies (keyof CallOptions)[]

/** Options of a call that an SDK makes: what the SDK itself decides is not among them. */
export type ModelCallOptions = Omit<CallOptions, (typeof DECIDED)[number]>

/**
 * Throws a WrongArgument for options that are unknown, wrong, or for the SDK to decide.
 * @param where the function that takes them
 * @param own what else it takes, and has checked
 */
export function checkModelOptions(where: string, options: object, own: readonly string[] = []): void {
  if (typeof options !== 'object' || options === null)
    throw new WrongArgument(`${where}: options must be an object, such as {budgetMs: 60_000}`)
  const decided: readonly string[] = DECIDED
  const taken = OPTION_NAMES.filter(name => !decided.includes(name))
  checkNames(where, options, new Set([...own, ...taken]))
  const ofCall = Object.entries(options).filter(([name]) => !own.includes(name))
  checkOptions(Object.fromEntries(ofCall), where)
}
