import type { z } from 'zod'
import type { Classifier } from '../failure/classifier.ts'
import type { BackoffName } from '../verdict/backoff.ts'
import type { Policies } from '../verdict/decide.ts'
import type { RetryPolicy } from '../verdict/retry-policy.ts'
import type { WorkContext } from './context.ts'
import type { HandleFailure, HandleResult } from './hook.ts'
import type { Verification } from './verification.ts'

/** What a capability is made of. */
export type CapabilityKind = 'function' | 'command' | 'http' | 'agent'

/** The model for given parameters. A method type, so that a capability with specific parameters fits where any does. */
export type ModelOf<P> = { of(params: P): string | undefined }['of']

/** The time limit of a try for given parameters. A method type, for the same reason. */
export type TimeoutOf<P> = { of(params: P): number | undefined }['of']

/** Settings that all kinds of capabilities have. */
export interface CapabilitySettings<P = unknown, R = unknown> {
  /** Its name in operations: no spaces, no quotes. Stored with each operation, so it should not change. */
  name: string
  /** What it does, for people and for agents that choose from a list. Default: none. */
  description?: string
  /** Names of parameters that are stored encrypted and never shown. Default: none. */
  secrets?: readonly string[]
  /**
   * Classifies its failures in place of the built-in classifier; undefined leaves it to that one. Sees what the work threw or
   * returned, without secrets. Default: none.
   */
  classifier?: Classifier
  /** Policy for its failures; takes precedence over the provider's and the config's. Default: none. */
  policy?: Policies
  /**
   * Sees every result before it counts as success. Default: every result counts, unless it says that part of it could not be
   * verified and it may be tried again.
   */
  handleResult?: HandleResult<P, R>
  /** Sees every failure and its verdict, and may change the verdict. Default: the verdict stands. */
  handleFailure?: HandleFailure<P>
  /** How long its runner may be silent before another takes over, in milliseconds. Default: the queue's. */
  leaseMs?: number
  /**
   * Time limit of one try in milliseconds, or a function of the parameters that returns it; undefined means no limit. If the
   * function throws or returns an invalid value, that is reported and there is no limit. Default: no limit.
   */
  timeoutMs?: number | TimeoutOf<P>
  /** How many of its operations run at once, over all runners. Default: limited only by each runner. */
  concurrency?: number
  /** Integer from -10 to 10; higher runs first. Default 0. */
  priority?: number
  /**
   * Until the work calls `committed()`, it is a single request, or harmless: a refused request is tried again, even if the work
   * is not repeatable. Default false: earlier steps of the work may have taken effect.
   */
  atomic?: boolean
  /** The provider that serves it. Default: none. */
  provider?: string
  /** The providers that can serve it, the preferred one first, or the name of a pool. In place of `provider`. */
  pool?: string | readonly string[]
  /** The model, or a function of the parameters that returns it: a model has its own limits and breaker. Default: unknown. */
  model?: string | ModelOf<P>
  /** The tool of an MCP server that it calls, by its parameters: a tool may be paused on its own. Default: none. */
  tool?: ModelOf<P>
  /** Retry limit of an operation. Default: the queue's. */
  maxRetries?: number
  /** How the waits between retries grow. Default: the queue's. */
  backoff?: BackoffName
  /** Retries end this long after the first failure, in milliseconds. Default: the queue's. */
  retryForMs?: number
}

/** Whether work may run twice, as its author says; and how to verify its effect, if that is possible. */
export type SecondTries<P> =
  | { retry: 'none' | 'replay'; verify?: never }
  | { retry: 'verify_first'; verify: Verification<P> | Verification<P>['check'] }

/**
 * Something that can be run again from its stored parameters. `P` is what the work gets, `R` what it returns, and `I` what is
 * submitted: the same as `P` unless the schema has defaults or transforms.
 */
export interface Capability<P = unknown, R = unknown, I = unknown>
  extends Readonly<CapabilitySettings<P, R>> {
  /** What it is made of. */
  readonly kind: CapabilityKind
  /** The schema of its parameters. They are stored as given, and parsed with this before each run. */
  readonly params: z.ZodType<P, I>
  /** Names of parameters that are stored encrypted and never shown. */
  readonly secrets: readonly string[]
  /** Environment variables that it refers to as `env:NAME`; all must be set before it runs. */
  readonly variables: readonly string[]
  /** Whether it may run a second time. */
  readonly retry: RetryPolicy
  /** True if it is a single request, or harmless, until the work calls `committed()`. */
  readonly atomic: boolean
  /** How to check whether its effect is there; undefined unless `retry` is `verify_first`. */
  readonly verification: Verification<P> | undefined
  /** True if an interrupted session can be resumed. */
  readonly resumable: boolean
  /** Integer from -10 to 10; higher runs first. */
  readonly priority: number
  /** What is wrong with parameters that match the schema; empty if nothing. */
  problems(params: P): readonly string[]
  /** The work. Rejects with anything that `classify` takes, or a {@link WorkFailed} that contains it. */
  run(params: P, context: WorkContext): Promise<R>
}

const BRAND = Symbol.for('mulligan.capability')

/** Marks an object as a checked capability; other copies of this package recognise the mark too. */
export function branded<C extends object>(capability: C): C {
  return Object.freeze(Object.defineProperty(capability, BRAND, { value: true }))
}

/** True for what `defineCapability` and the like made, even in another copy of this package. */
export function isCapability(value: unknown): value is Capability {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true
}
