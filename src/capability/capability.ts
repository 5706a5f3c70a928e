import type { z } from 'zod'
import type { Classifier } from '../failure/classifier.ts'
import type { BackoffName } from '../verdict/backoff.ts'
import type { Policies } from '../verdict/decide.ts'
import type { WorkContext } from './context.ts'
import type { HandleFailure, HandleResult } from './hooks.ts'
import type { RetryPolicy } from './retry-policy.ts'
import type { Verification } from './verify.ts'

/** What a capability is made of. */
export type CapabilityKind = 'function' | 'command' | 'http' | 'agent'

/** The model that serves what has these parameters. Written as a method, so that a capability fits where any does. */
export type ModelOf<P> = { of(params: P): string | undefined }['of']

/** The longest time of a try with these parameters. A method, so that a capability of certain parameters is also one of any. */
export type TimeoutOf<P> = { of(params: P): number | undefined }['of']

/** Settings that all kinds of capabilities have. */
export interface CapabilitySettings<P = unknown, R = unknown> {
  /** What operations call it: no spaces, no quotes. It is stored with each operation, so it should not change. */
  name: string
  /** What it does, for people and for agents that choose from a list. Default none. */
  description?: string
  /** Names of parameters that are stored encrypted and never shown. Default none. */
  secrets?: readonly string[]
  /**
   * Says what its failures are in place of the built-in classifier, or nothing to leave it to that one. It sees what the
   * work threw or returned, without secrets. Default none.
   */
  classifier?: Classifier
  /** Policy for its failures; stands above that of the provider and of the config. Default none. */
  policy?: Policies
  /**
   * Sees every result before it counts as success. Default: it does, unless it says of itself that a part of it could
   * not be verified, and it may be tried again.
   */
  handleResult?: HandleResult<P, R>
  /** Sees every failure and its verdict, and may change the verdict. Default: it stands. */
  handleFailure?: HandleFailure<P>
  /** How long its runner may be silent before another takes over, in milliseconds. Default that of the queue. */
  leaseMs?: number
  /**
   * Longest time of one try, in milliseconds, or a function that gives it for the parameters; nothing means no limit.
   * What it throws, and an answer that is no length, is reported, and there is no limit. Default no limit.
   */
  timeoutMs?: number | TimeoutOf<P>
  /** Operations of it that run at the same time, over all runners. Default no limit but that of each runner. */
  concurrency?: number
  /** Integer from -10 to 10; higher ones are run first. Default 0. */
  priority?: number
  /**
   * Until the work calls `committed()` it is one request, or harmless: a refused request is tried again, also where the
   * work is not repeatable. Default false: earlier steps of the work may have taken effect.
   */
  atomic?: boolean
  /** The provider that serves it. Default none. */
  provider?: string
  /** The providers that can serve it, the preferred one first, or the name of a pool. Instead of `provider`. */
  pool?: string | readonly string[]
  /** The model that serves it, or how it follows from the parameters: limits and breakers of a model are its alone. Default unknown. */
  model?: string | ModelOf<P>
  /** Retries of an operation. Default that of the queue. */
  maxRetries?: number
  /** How the waits between retries grow. Default that of the queue. */
  backoff?: BackoffName
  /** Retries end this long after the first failure, in milliseconds. Default that of the queue. */
  retryForMs?: number
}

/** Whether work may run twice is for its author to say. Where its effect can be asked for, also how. */
export type SecondTries<P> =
  | { retry: 'none' | 'replay'; verify?: never }
  | { retry: 'verify_first'; verify: Verification<P> | Verification<P>['check'] }

/**
 * Something that can be run again from its stored parameters. `P` is what the work is given, `R` what it returns, and
 * `I` what is submitted: the same as `P` unless the schema has defaults or transforms.
 */
export interface Capability<P = unknown, R = unknown, I = unknown>
  extends Readonly<CapabilitySettings<P, R>> {
  /** What it is made of. */
  readonly kind: CapabilityKind
  /** What its parameters must be. They are stored as given, and read by this before each run. */
  readonly params: z.ZodType<P, I>
  /** Names of parameters that are stored encrypted and never shown. */
  readonly secrets: readonly string[]
  /** Environment variables that it refers to as `env:NAME`; all have to be set before it runs. */
  readonly variables: readonly string[]
  /** Whether it may run a second time. */
  readonly retry: RetryPolicy
  /** Until the work calls `committed()` it is one request, or harmless. */
  readonly atomic: boolean
  /** How it is asked whether its effect is there; undefined where `retry` is not `verify_first`. */
  readonly verification: Verification<P> | undefined
  /** A session that was cut can be continued. */
  readonly resumable: boolean
  /** Integer from -10 to 10; higher ones are run first. */
  readonly priority: number
  /** What is wrong with parameters that fit the schema, in words; empty if nothing. */
  problems(params: P): readonly string[]
  /** The work. Rejects with anything that `classify` takes, or a {@link WorkFailed} that holds it. */
  run(params: P, context: WorkContext): Promise<R>
}

const BRAND = Symbol.for('mulligan.capability')

/** Marks an object as checked; the mark is also known to other copies of this package. */
export function branded<C extends object>(capability: C): C {
  return Object.freeze(Object.defineProperty(capability, BRAND, { value: true }))
}

/** True for what `defineCapability` and its like made, also in another copy of this package. */
export function isCapability(value: unknown): value is Capability {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true
}
