import type { ClassifyContext } from '../failure/index.ts'
import type { Gate } from '../provider/index.ts'
import type { Time } from '../time/index.ts'
import type { BackoffName, Policies, PolicyProblem } from '../verdict/index.ts'
import type { CallEvent } from './event.ts'

/** How often a call is retried unless told otherwise. */
export const MAX_RETRIES_DEFAULT = 2
/** A second try needs at least this much, or a tenth of the budget if that is less. */
export const MIN_RETRY_BUDGET_DEFAULT_MS = 30_000

/** Without a budget nobody said how long is too long: no single wait is longer than this, what is stated longer is handed back. */
export const LONGEST_WAIT_WITHOUT_BUDGET_MS = 300_000

/** Settings of one call. One budget governs everything in it: tries, waits, and whoever is asked. */
export interface CallOptions {
  /** What the call is called in events and spans. Default `call`. */
  name?: string
  /** Total wall time over all tries and waits, in milliseconds. At its end the call settles, whatever runs. Default Infinity. */
  budgetMs?: number
  /** Tries begun by a retry; failovers do not count. Default 2. */
  maxRetries?: number
  /** US dollars, as told by `charge`. Checked before a try, and a try that passes it is aborted. Default Infinity. */
  maxCostUsd?: number
  /** A second try is begun only if strictly more than this is left, in milliseconds. Default the smaller of 30 s and a tenth of the budget. */
  minRetryBudgetMs?: number
  /** Longest time of a single try, in milliseconds; never more than what is left of the budget. Default Infinity. */
  attemptTimeoutMs?: number
  /** Default `fullJitter`. */
  backoff?: BackoffName
  /** The provider that serves the call. Default none: then no health is kept. */
  provider?: string
  /** Providers that can serve the call, the preferred one first. Wins over `provider`. */
  pool?: readonly string[]
  model?: string
  /** Running it twice does no harm. Default true until `committed()` is called; true given here holds after that too. */
  repeatable?: boolean
  /** A value that says of itself that it failed (`{error}`, `{isError: true}` …) is treated as a failure. Default true. */
  softFailures?: boolean
  /** Overrides of the default policy, the most specific first. */
  policy?: Policies
  /** Abort ends the call at once with an `aborted` failure, and aborts the signal of the try that runs. */
  signal?: AbortSignal
  /** Told of every transition. What it throws is ignored. */
  onEvent?: (event: CallEvent) => void
  /** Told of a policy that gave no usable answer. Default a warning of the process. */
  onPolicyProblem?: (problem: PolicyProblem) => void
  /** More for the classifier: signatures, the time zone of clock times. */
  classify?: Pick<ClassifyContext, 'signatures' | 'timeZone'>
  /** Health of providers. Default one for the process, in memory. */
  gate?: Gate
  /** Default the time of this machine. */
  time?: Time
  /** In [0, 1). Default Math.random. */
  random?: () => number
}

const KNOWN: ReadonlySet<string> = new Set<keyof CallOptions>([
  'name',
  'budgetMs',
  'maxRetries',
  'maxCostUsd',
  'minRetryBudgetMs',
  'attemptTimeoutMs',
  'backoff',
  'provider',
  'pool',
  'model',
  'repeatable',
  'softFailures',
  'policy',
  'signal',
  'onEvent',
  'onPolicyProblem',
  'classify',
  'gate',
  'time',
  'random',
])

/** Throws a TypeError that names the option, its value and what would be right. */
export function checkOptions(options: CallOptions): void {
  for (const key in options) {
    const value = options[key as keyof CallOptions]
    if (value === undefined) continue
    if (!KNOWN.has(key))
      throw new TypeError(`call: unknown option ${JSON.stringify(key)}; known are: ${[...KNOWN].join(', ')}`)
    const problem = problemOf(key, value)
    if (problem) throw new TypeError(`call: ${key} must be ${problem}, not ${describe(value)}`)
  }
}

function problemOf(key: string, value: unknown): string | undefined {
  switch (key) {
    case 'budgetMs':
    case 'attemptTimeoutMs':
      return typeof value === 'number' && value > 0 ? undefined : 'a number of milliseconds above 0'
    case 'minRetryBudgetMs':
      return typeof value === 'number' && value >= 0 ? undefined : 'a number of milliseconds, 0 or more'
    case 'maxCostUsd':
      return typeof value === 'number' && value >= 0 ? undefined : 'a number of US dollars, 0 or more'
    case 'maxRetries':
      return typeof value === 'number' && value >= 0 && (Number.isInteger(value) || value === Infinity)
        ? undefined
        : 'a whole number, 0 or more'
    case 'pool':
      return Array.isArray(value) &&
        value.length > 0 &&
        value.every(name => typeof name === 'string' && name !== '')
        ? undefined
        : 'a list of at least one provider name'
    case 'provider':
      return typeof value === 'string' && value !== '' ? undefined : 'the name of a provider'
    default:
      return undefined
  }
}

function describe(value: unknown): string {
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? typeof value)
}
