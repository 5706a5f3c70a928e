import { quote } from '../failure/quote.ts'
import { remedyFor } from '../option/check-names.ts'
import { BACKOFF_NAMES } from '../verdict/backoff.ts'
import { RETRY_POLICIES } from '../verdict/retry-policy.ts'
import type { CapabilityKind, CapabilitySettings } from './capability.ts'
import { CapabilityError } from './error.ts'

/** Priorities range from -10 to 10. */
export const HIGHEST_PRIORITY = 10

interface Rule {
  /** What a valid value looks like. */
  right: string
  test(value: unknown): boolean
}

const NAME = /^[^\s\p{Cc}"'{}]{1,200}$/u
const name: Rule = {
  right: 'a name without spaces or quotes, such as "send-invoice"',
  test: value => typeof value === 'string' && NAME.test(value),
}
const text: Rule = { right: 'a string', test: value => typeof value === 'string' }
const milliseconds: Rule = {
  right: 'a number of milliseconds above 0',
  test: value => typeof value === 'number' && value > 0,
}
const flag: Rule = { right: 'true or false', test: value => typeof value === 'boolean' }
const callback: Rule = { right: 'a function', test: value => typeof value === 'function' }
const names: Rule = { right: 'a list of names, each given once', test: isNames }

/** Every setting, and what it takes. */
const RULES: Record<keyof CapabilitySettings | 'retry', Rule> = {
  name,
  description: text,
  secrets: names,
  policy: {
    right: 'a policy, a function, or a list of them',
    test: value => callback.test(value) || (typeof value === 'object' && value !== null),
  },
  classifier: callback,
  handleResult: callback,
  handleFailure: callback,
  leaseMs: { right: 'a number of milliseconds, at least 1000', test: value => Number(value) >= 1_000 },
  timeoutMs: {
    right: `${milliseconds.right}, or a function that returns one`,
    test: value => milliseconds.test(value) || callback.test(value),
  },
  retryForMs: milliseconds,
  concurrency: { right: 'a whole number, 1 or more', test: value => isWhole(value) && value >= 1 },
  maxRetries: { right: 'a whole number, 0 or more', test: value => isWhole(value) && value >= 0 },
  priority: {
    right: `a whole number from -${HIGHEST_PRIORITY} to ${HIGHEST_PRIORITY}`,
    test: value => isWhole(value) && Math.abs(value) <= HIGHEST_PRIORITY,
  },
  atomic: flag,
  provider: { ...name, right: 'the name of a provider' },
  pool: {
    right: 'the name of a pool, or a list of at least one provider, each named once',
    test: value => name.test(value) || (isNames(value) && (value as unknown[]).length > 0),
  },
  model: {
    right: 'the name of a model, or a function from the parameters to one',
    test: value => callback.test(value) || (text.test(value) && value !== ''),
  },
  tool: callback,
  backoff: {
    right: `one of ${BACKOFF_NAMES.join(', ')}`,
    test: value => (BACKOFF_NAMES as readonly unknown[]).includes(value),
  },
  retry: {
    right: `one of ${RETRY_POLICIES.join(', ')}`,
    test: value => (RETRY_POLICIES as readonly unknown[]).includes(value),
  },
}

const DECLARED = ['params', 'verify', 'base']
/** Settings that only one kind has. The kind checks them itself; here they are for messages. */
const OWN: Record<CapabilityKind, readonly string[]> = {
  function: ['params', 'verify', 'run', 'resumable'],
  command: [...DECLARED, 'argv', 'env', 'inheritEnv', 'cwd', 'stdin', 'output', 'outputLimitBytes'],
  http: [...DECLARED, 'method', 'url', 'headers', 'body', 'output', 'bodyLimitBytes'],
  agent: [...DECLARED, 'prompt', 'cwd', 'worktree', 'options', 'resumable', 'runAgent'],
}

/** Throws a CapabilityError that names the capability, the setting, its value and what would be right. */
export function checkSettings(settings: object, kind: CapabilityKind): void {
  const { name: called } = settings as { name?: unknown }
  if (!name.test(called))
    throw new CapabilityError(`capability: name must be ${name.right}, not ${quote(called)}`)
  for (const [key, value] of Object.entries(settings)) {
    if (value === undefined) continue
    const rule = Object.hasOwn(RULES, key) ? RULES[key as keyof typeof RULES] : undefined
    if (!rule) fail(called, `unknown setting ${key}${remedyFor(key, [...Object.keys(RULES), ...OWN[kind]])}`)
    else if (!rule.test(value)) fail(called, `${key} must be ${rule.right}, not ${quote(value)}`)
  }
  const { provider, pool } = settings as CapabilitySettings
  if (provider !== undefined && pool !== undefined) fail(called, 'give provider or pool, not both')
}

/** Throws with the capability named. */
export function fail(capability: unknown, problem: string): never {
  throw new CapabilityError(`capability ${quote(capability)}: ${problem}`)
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value)
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every(name.test) && new Set(value).size === value.length
}
