import type { Classifier } from '../failure/classifier.ts'
import type { ClassifyContext } from '../failure/context.ts'
import type { Gate } from '../provider/gate.ts'
import type { Time } from '../time/time.ts'
import type { BackoffName } from '../verdict/backoff.ts'
import type { Policies } from '../verdict/decide.ts'
import type { PolicyProblem } from '../verdict/policy.ts'
import type { CallEvent } from './event.ts'
import type { PassThrough } from './pass-through.ts'

/** How often a call is retried unless told otherwise. */
export const MAX_RETRIES_DEFAULT = 2
/** A second try needs at least this much, or a tenth of the budget if that is less. */
export const MIN_RETRY_BUDGET_DEFAULT_MS = 30_000

/** How often a call waits for a provider that admits it, when none does; such waits are no retries. */
export const MAX_ADMISSION_WAITS = 20

/** Without a budget no single wait exceeds this; a longer stated one is returned to the caller. */
export const LONGEST_WAIT_WITHOUT_BUDGET_MS = 300_000

/** Settings of one call. One budget governs everything in it: tries, waits, and all providers. */
export interface CallOptions<P extends string = string> {
  /** Name of the call in events and spans. Default `call`. */
  name?: string
  /** Total wall time over all tries and waits, in milliseconds. When it is over, the call settles even if work still runs, and its stream ends. Default Infinity. */
  budgetMs?: number
  /** Tries begun by a retry; failovers do not count. Default 2. */
  maxRetries?: number
  /** US dollars, as reported by `charge`. Checked before each try, and a try that exceeds it is aborted. Default Infinity. */
  maxCostUsd?: number
  /** A second try is begun only if strictly more than this is left, in milliseconds. Default the smaller of 30 s and a tenth of the budget. */
  minRetryBudgetMs?: number
  /** Longest wait before another try, in milliseconds, exclusive. Default what is left of the budget; without one, 5 min. */
  longestWaitMs?: number
  /** Longest time of a single try, in milliseconds; never more than what is left of the budget. Default Infinity. */
  attemptTimeoutMs?: number
  /**
   * For work that returns a stream: longest wait for its first chunk, in milliseconds. With it the call resolves when
   * the first chunk is there, and a stream that fails before is tried again or elsewhere. Default none: the call
   * resolves with the stream as soon as the work returns it.
   */
  firstChunkMs?: number
  /** For work that returns a stream: longest silence while its reader waits, in milliseconds. Default none. */
  idleMs?: number
  /** Default `fullJitter`. */
  backoff?: BackoffName
  /** The provider that serves the call. Default none: then no health is kept. */
  provider?: P
  /** Providers that can serve the call, the preferred one first. Wins over `provider`. */
  pool?: readonly P[]
  model?: string
  /**
   * Identifies the key or login that the call uses: the key itself, or any text in its place, such as a
   * tenant. Only its hash is kept. A refused login is then held against it alone, until it changes or a person
   * resets the provider. Default that of the provider's settings; if unknown, a refused login blocks the
   * provider briefly.
   */
  credential?: string
  /** Running it twice does no harm. Default true until `committed()` is called; true given here holds after that too. */
  repeatable?: boolean
  /**
   * With `repeatable: false`: until `committed()` is called the work is one request, or harmless. Then a refused
   * request is tried again; otherwise earlier steps of the work may have taken effect. Default false.
   */
  atomic?: boolean
  /** A session of a failed try can be continued by the next one, which finds it in `resume` of its context. Default false. */
  resumable?: boolean
  /** Time that work has to end and report what it did after its signal was aborted, in milliseconds. Default 0. */
  graceMs?: number
  /** Treat a returned value that reports a failure (`{error}`, `{isError: true}` …) as one. Default true. */
  softFailures?: boolean
  /**
   * Errors that are no failures, as a function or a list of names: thrown to the caller as they are, at once, without a
   * retry, and do not affect health. Default control flow, {@link CONTROL_FLOW}; `[]` for none.
   */
  passThrough?: PassThrough
  /** Overrides of the default policy, the most specific first. */
  policy?: Policies
  /** Abort ends the call at once with an `aborted` failure, also a stream that it gave, and aborts the signal of the try. */
  signal?: AbortSignal
  /** Called on every transition. What it throws is ignored. */
  onEvent?: (event: CallEvent) => void
  /** Called when a policy or classifier gave no usable answer. What it throws is ignored. Default a process warning. */
  onPolicyProblem?: (problem: PolicyProblem) => void
  /**
   * Classifies in place of the built-in classifier; `undefined` leaves it to that one. It gets what the work threw or
   * returned. If it throws or returns something that is no failure, `onPolicyProblem` is called. Default none.
   */
  classifier?: Classifier
  /** More for the built-in classifier: signatures, the time zone of clock times. */
  classify?: Pick<ClassifyContext, 'signatures' | 'timeZone'>
  /** Health of providers. Default one for the process, in memory: every call of it learns from every other. */
  gate?: Gate
  /** Default the time of this machine. */
  time?: Time
  /** In [0, 1). Default Math.random. */
  random?: () => number
}
