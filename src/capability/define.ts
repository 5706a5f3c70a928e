import type { z } from 'zod'
import { quote } from '../failure/quote.ts'
import { RETRY_CHOICES, type RetryPolicy } from '../verdict/retry-policy.ts'
import {
  branded,
  type Capability,
  type CapabilityKind,
  type CapabilitySettings,
  type SecondTries,
} from './capability.ts'
import type { WorkContext } from './context.ts'
import { paramNames } from './kind/param-names.ts'
import { checkSettings, fail } from './settings.ts'
import type { Verification } from './verification.ts'

/** A function that can be run again from its stored parameters. */
export type FunctionDefinition<S extends z.ZodType, R> = CapabilitySettings<z.output<S>, R> &
  SecondTries<z.output<S>> & {
    /** The schema of the parameters; an object for everything but the simplest. */
    params: S
    /** True if an interrupted session can be resumed: `resume` of the context says which. Default false. */
    resumable?: boolean
    /** The work. */
    run(params: z.output<S>, context: WorkContext): R | Promise<R>
  }

/**
 * Defines a capability from a function. Throws a {@link CapabilityError} if a setting is wrong. The schema gives the parameter
 * types of `run`, `verify` and the hooks.
 */
export function defineCapability<S extends z.ZodType, R>(
  definition: FunctionDefinition<S, R>,
): Capability<z.output<S>, R, z.input<S>> {
  const { params, run, resumable, verify, ...settings } = definition
  if (typeof run !== 'function') fail(definition.name, `run must be a function, not ${quote(run)}`)
  return build<z.output<S>, R, z.input<S>>('function', settings, {
    params: params as unknown as z.ZodType<z.output<S>, z.input<S>>,
    resumable: resumable ?? false,
    verification: verify,
    variables: [],
    problems: () => [],
    run: async (given, context) => run(given, context),
  })
}

/** What each kind contributes. */
export interface Parts<P, R, I = unknown> {
  params: z.ZodType<P, I>
  resumable: boolean
  verification: Verification<P> | Verification<P>['check'] | undefined
  variables: readonly string[]
  problems(params: P): readonly string[]
  run(params: P, context: WorkContext): Promise<R>
}

/** Checks the common settings and builds the capability. */
export function build<P, R, I = unknown>(
  kind: CapabilityKind,
  settings: CapabilitySettings<P, R> & { retry?: Capability['retry'] },
  parts: Parts<P, R, I>,
): Capability<P, R, I> {
  checkSettings(settings, kind)
  const { name, secrets = [], priority = 0, atomic = false } = settings
  const retry = settings.retry ?? defaultRetry(name, kind)
  if (typeof (parts.params as { safeParseAsync?: unknown } | undefined)?.safeParseAsync !== 'function')
    fail(
      name,
      `params must be a zod schema, such as z.object({ id: z.string() }), not ${quote(parts.params)}`,
    )
  const known = paramNames(parts.params)
  const unknown = known && secrets.find(secret => !known.includes(secret))
  if (unknown !== undefined)
    fail(name, `secrets names ${quote(unknown)}, which is not a parameter; known: ${known?.join(', ')}`)
  const verification = verificationOf(name, retry, parts.verification)
  return branded({
    ...settings,
    kind,
    params: parts.params,
    secrets,
    variables: [...new Set(parts.variables)],
    retry,
    atomic,
    verification,
    resumable: parts.resumable,
    priority,
    problems: parts.problems,
    run: parts.run,
  })
}

/** A refused request did nothing, and an agent's driver sees what it did; functions and programs must say. */
function defaultRetry(name: string, kind: CapabilityKind): RetryPolicy {
  if (kind === 'http' || kind === 'agent') return 'none'
  return fail(
    name,
    `retry is missing; say whether ${kind === 'command' ? 'the program' : 'the function'} may run twice: ${RETRY_CHOICES}`,
  )
}

function verificationOf<P>(
  name: string,
  retry: Capability['retry'],
  given: Parts<P, unknown>['verification'],
): Verification<P> | undefined {
  if (given === undefined) {
    if (retry === 'verify_first') fail(name, 'retry "verify_first" needs verify, which checks for the effect')
    return undefined
  }
  if (retry !== 'verify_first') fail(name, 'verify needs retry "verify_first"')
  const verification = typeof given === 'function' ? { check: given } : given
  const { check, delayMs = 0, timeoutMs = 1 } = verification
  if (typeof check !== 'function')
    fail(name, `verify must be a function, or an object with a function as check, not ${quote(given)}`)
  if (!(delayMs >= 0))
    fail(name, `verify.delayMs must be a number of milliseconds, 0 or more, not ${quote(delayMs)}`)
  if (!(timeoutMs > 0))
    fail(name, `verify.timeoutMs must be a number of milliseconds above 0, not ${quote(timeoutMs)}`)
  return verification
}
