import type { Classifier } from '../failure/classifier.ts'
import type { ClassifyContext } from '../failure/context.ts'
import type { Finish, FinishRemark } from '../failure/stream/finish.ts'
import type { Gate } from '../provider/gate.ts'
import type { Routing } from '../provider/settings.ts'
import type { Time } from '../time/time.ts'
import type { BackoffName } from '../verdict/backoff.ts'
import type { Failover } from '../verdict/circumstances.ts'
import type { Policies } from '../verdict/decide.ts'
import type { PolicyProblem } from '../verdict/policy.ts'
import type { Bill } from './bill.ts'
import type { CallEvent } from './event.ts'
import type { PassThrough } from './pass-through.ts'
import type { Prices } from './price.ts'

/** Default number of retries of a call. */
export const MAX_RETRIES_DEFAULT = 2
/** A second try needs more than this many milliseconds, or than a tenth of the budget if that is less. */
export const MIN_RETRY_BUDGET_DEFAULT_MS = 30_000

/** How many times a call waits for a provider that admits it; such waits are not retries. */
export const MAX_ADMISSION_WAITS = 20

/** Longest single wait of a call without a budget, in milliseconds; a longer stated one is returned to the caller. */
export const LONGEST_WAIT_WITHOUT_BUDGET_MS = 300_000

/** Settings of one call. One budget covers everything in it: tries, waits, and all providers. */
export interface CallOptions<P extends string = string> {
  /** Name of the call in events and spans. Default `call`. */
  name?: string | undefined
  /**
   * Total time over all tries and waits, in milliseconds. When it is over, the call settles even if work still runs, and its
   * stream ends. Default Infinity.
   */
  budgetMs?: number | undefined
  /** How many retries are allowed; failovers do not count. Default 2. */
  maxRetries?: number | undefined
  /**
   * Cost limit in US dollars, fed by `prices` and `charge`. No other try begins once it is reached. A try that exceeds it by `charge` is
   * aborted; what it still returns is delivered, because it is paid for. Default Infinity.
   */
  maxCostUsd?: number | undefined
  /** What tokens cost, to know the cost of answers that state their usage. Default: only `charge` knows. */
  prices?: Prices | undefined
  /**
   * A second try begins only if strictly more than this many milliseconds are left. Default: 30 s, or a tenth of the budget if
   * that is less.
   */
  minRetryBudgetMs?: number | undefined
  /** Longest wait before another try, in milliseconds, exclusive. Default: the remaining budget; without a budget, 5 min. */
  longestWaitMs?: number | undefined
  /** Time limit of a single try, in milliseconds; never more than the remaining budget. Default Infinity. */
  attemptTimeoutMs?: number | undefined
  /**
   * For work that returns a stream: longest wait for the first chunk of its answer, in milliseconds from the start of the try. If
   * set, the call resolves when that chunk is there, and a stream that fails earlier is retried or fails over. Default: none;
   * the call resolves with the stream as soon as the work returns it.
   */
  firstChunkMs?: number | undefined
  /** For work that returns a stream: longest silence while its reader waits, in milliseconds. Default: none. */
  idleMs?: number | undefined
  /**
   * What becomes of a complete answer that was cut at its token limit, or filtered. `deliver`: it is the result, with a remark
   * in `finish`. `strict`: it is a failure. `failover`: a filtered answer is asked of the next provider, and delivered if none
   * answers better. A list names which answers fail over so. Default `deliver`.
   */
  finish?: 'deliver' | 'strict' | 'failover' | readonly FinishRemark[] | undefined
  /** Says what is special about a returned answer, where the built-in reading does not. Default: none. */
  finishOf?: ((value: unknown) => Finish | undefined) | undefined
  /** How the waits between retries grow. Default `fullJitter`. */
  backoff?: BackoffName | undefined
  /** The provider that serves the call. Default: none; then no health is tracked. */
  provider?: P | undefined
  /**
   * Providers that can serve the call, the preferred one first, or the name of a pool of the `gate`. Takes precedence over
   * `provider`. Default: none.
   */
  pool?: readonly P[] | string | undefined
  /** The model to ask for at each provider of the pool; the work finds it in its context. Default: `model` everywhere. */
  models?: Readonly<Partial<Record<P, string>>> | undefined
  /**
   * Whether a failure that may pass goes to another provider `first`, or only when retries did not help. Default: as the pool
   * says, else `last`.
   */
  failover?: Failover | undefined
  model?: string | undefined
  /** Called with what each try used and cost, as soon as that is known. Exceptions are ignored. Default: none. */
  bill?: Bill | undefined
  /** In which order the pool is asked: as listed, the cheapest first by `prices`, or by chance with these weights. Default: as the pool says, else `order`. */
  routing?: Routing<P> | undefined
  /** With weights: calls with the same key, such as a conversation, go to the same provider, whose cache knows their prompt. */
  sticky?: string | undefined
  /**
   * When to ask a second provider of the pool because the first is slow: after so many milliseconds, or after the time in which 95 of 100
   * of its answers came. The first answer wins. At most one call in twenty is asked twice. Default: never.
   */
  hedge?: number | 'p95' | undefined
  /** Its retries go first where calls wait in line for a provider. Default false. */
  urgent?: boolean | undefined
  /**
   * Identifies the key or login that the call uses: the key itself, or any string in its place, such as a tenant. Only its hash
   * is kept. A refused login then counts against this key only, until the key changes or a person resets the provider.
   * Default: the one in the provider's settings; if unknown, a refused login blocks the provider briefly.
   */
  credential?: string | undefined
  /**
   * Whether the work may run a second time. `replay`: running it twice does no harm, even after `committed()`. `none`: never, once it
   * may have taken effect. Default: `replay` until `committed()` is called, `none` from then on.
   */
  retry?: 'none' | 'replay' | undefined
  /** @deprecated Write `retry: 'replay'` for true and `retry: 'none'` for false. */
  repeatable?: boolean | undefined
  /**
   * With `retry: 'none'`: until `committed()` is called, the work is a single request, or harmless. Then a refused request
   * is tried again; otherwise earlier steps of the work may have taken effect. Default false.
   */
  atomic?: boolean | undefined
  /** True if the next try can continue a failed try's session, which it finds in `resume` of its context. Default false. */
  resumable?: boolean | undefined
  /** How long the work has to end and report what it did after its signal was aborted, in milliseconds. Default 0. */
  graceMs?: number | undefined
  /**
   * Treat a returned value that reports a failure (`{error}`, `{isError: true}` …) as one, and a stream of a model that ends
   * without its end. Default true.
   */
  softFailures?: boolean | undefined
  /**
   * Errors that are not failures, as a function or a list of names. They are thrown to the caller unchanged, without a retry,
   * and do not affect health. Default: control flow, {@link CONTROL_FLOW}; `[]` for none.
   */
  passThrough?: PassThrough | undefined
  /** Overrides of the default policy, the most specific first. Default: none. */
  policy?: Policies | undefined
  /** Aborting ends the call, or the stream it returned, at once with an `aborted` failure, and aborts the try's signal. */
  signal?: AbortSignal | undefined
  /** Called on every transition. Exceptions are ignored. */
  onEvent?: ((event: CallEvent) => void) | undefined
  /** Called when a policy or classifier gave no usable answer. Exceptions are ignored. Default: a process warning. */
  onPolicyProblem?: ((problem: PolicyProblem) => void) | undefined
  /**
   * Classifies in place of the built-in classifier; returning `undefined` leaves it to that one. Receives what the work threw or
   * returned. If it throws or returns an invalid answer, `onPolicyProblem` is called. Default: none.
   */
  classifier?: Classifier | undefined
  /** More for the built-in classifier: signatures, the time zone of clock times. */
  classify?: Pick<ClassifyContext, 'signatures' | 'timeZone'> | undefined
  /** Health of providers. Default: one for the process, in memory, so every call learns from every other. */
  health?: Gate | undefined
  /** The clock. Default: this machine's. */
  time?: Time | undefined
  /** Returns a number in [0, 1). Default: Math.random. */
  random?: (() => number) | undefined
}
