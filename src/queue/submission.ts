import { type Admitted, admitParams } from '../capability/admit-params.ts'
import type { Capability } from '../capability/capability.ts'
import { providersOf } from '../capability/providers.ts'
import type { SqlClient } from '../ledger/ledger.ts'
import type { NewOperation } from '../ledger/operation.ts'
import type { Trace } from '../ledger/trace.ts'
import { QueueError } from './error.ts'
import type { QueueDeps } from './queue-deps.ts'
import { checkSize, jsonText } from './size.ts'

/** How an operation is submitted. */
export interface SubmitOptions {
  /** Epoch milliseconds or a date before which it is not run. Default at once. */
  at?: number | Date
  /** Submitting the same key and parameters to the same capability again gives the same operation, even after it ended. */
  key?: string
  /** How long the key is kept after the operation ended, in milliseconds. Default 7 days. */
  keyRetentionMs?: number
  /** Integer from -10 to 10; higher ones are run first. Default that of the capability. */
  priority?: number
  /** Names of the providers that can serve it, the preferred one first. Default those of the capability. */
  providers?: readonly string[]
  /** The session that asks for it and wants to hear how it ended. */
  session?: string
  /** What submitted it, for people: `submit`, `run`, `cron`, `workflow` … Default `submit`. */
  source?: string
  /** The submitter's own JSON. */
  context?: unknown
  /** Retries of this operation. Default those of its capability, else of the queue. */
  maxRetries?: number
  /**
   * Retries of this operation end this long after its first failure, in milliseconds. Default that of its capability,
   * else of the queue, else 30 min or more, as many retries need.
   */
  retryForMs?: number
  /** The trace that it belongs to, which its runs continue. Default that of the active span of OpenTelemetry, if there is one. */
  trace?: Trace
  /** Store it although this process does not know the capability: nothing is checked, no secret sealed. Default false. */
  unchecked?: boolean
}

/** How one operation is submitted. */
export interface SubmitOneOptions extends SubmitOptions {
  /**
   * A connection of `pg` on which the caller has begun a transaction, on the server of the ledger: the operation is there when
   * that is committed, and not otherwise. Default a transaction of its own.
   */
  client?: SqlClient
}

/** One of many operations to submit. */
export interface Submission extends SubmitOptions {
  /** Name of the capability. */
  capability: string
  /** Default none: an empty object. */
  params?: unknown
}

/**
 * Makes what is stored of what was asked for, at once unless a schema waits for something. Throws or rejects with a
 * {@link QueueError} that says what is wrong.
 */
export function newOperation(deps: QueueDeps, submission: Submission): NewOperation | Promise<NewOperation> {
  const { capability: name, params, context } = submission
  const { maxParamsBytes } = deps.settings
  // Written as JSON once: what is measured is what is checked and stored.
  const text = jsonText(params ?? {})
  checkSize('the parameters', name, text, maxParamsBytes)
  if (context !== undefined) checkSize('the context', name, jsonText(context), maxParamsBytes)
  const capability = capabilityOf(deps, submission)
  if (!capability) return operationOf(deps, submission, undefined, { params: params ?? {}, text })
  const admitted = admittedParams(deps, capability, params, text)
  return admitted instanceof Promise
    ? admitted.then(later => operationOf(deps, submission, capability, later))
    : operationOf(deps, submission, capability, admitted)
}

function operationOf(
  { pools }: QueueDeps,
  submission: Submission,
  capability: Capability | undefined,
  { params, text }: AdmittedParams,
): NewOperation {
  const { at, priority, source = 'submit' } = submission
  const { key, keyRetentionMs, session, context, maxRetries, retryForMs, trace } = submission
  const providers = submission.providers ?? (capability && providersOf(capability, pools))
  const operation: NewOperation = {
    capability: submission.capability,
    params,
    priority: priority ?? capability?.priority ?? 0,
    source,
  }
  // One by one: spreading an object for each took longer than all the rest of this function.
  if (text !== undefined) operation.paramsText = text
  if (providers !== undefined) operation.providers = providers
  if (at !== undefined) operation.dueAt = timeOf(at)
  if (key !== undefined) operation.key = key
  if (keyRetentionMs !== undefined) operation.keyRetentionMs = keyRetentionMs
  if (session !== undefined) operation.session = session
  if (context !== undefined) operation.context = context
  if (maxRetries !== undefined) operation.maxRetries = maxRetries
  if (retryForMs !== undefined) operation.retryForMs = retryForMs
  if (trace !== undefined) operation.trace = trace
  return operation
}

/** Parameters as they are stored: checked against the schema, secrets sealed. */
export function admittedParams(
  { secrets }: QueueDeps,
  capability: Capability,
  params: unknown,
  text?: string,
): AdmittedParams | Promise<AdmittedParams> {
  const admitted = admitParams(capability, params, secrets, text)
  return admitted instanceof Promise
    ? admitted.then(answer => orRefused(capability, answer))
    : orRefused(capability, admitted)
}

interface AdmittedParams {
  params: unknown
  /** The same as JSON text; undefined for what is no JSON. */
  text: string | undefined
}

function orRefused(capability: Capability, admitted: Admitted): AdmittedParams {
  if (admitted.admitted) return admitted
  throw new QueueError(
    'invalid_params',
    `the parameters do not fit capability ${JSON.stringify(capability.name)}: ${admitted.problems.join('; ')}`,
  )
}

function capabilityOf(
  { registry }: QueueDeps,
  { capability: name, unchecked = false }: Submission,
): Capability | undefined {
  const capability = registry.get(name)
  if (capability || unchecked) return capability
  const known = registry.names.join(', ')
  throw new QueueError(
    'unknown_capability',
    `there is no capability ${JSON.stringify(name)} here; known: ${known || 'none'}`,
  )
}

/** A time that was given as a date or in epoch milliseconds, as the latter. */
export function timeOf(at: number | Date): number {
  const time = Math.round(typeof at === 'number' ? at : at.getTime())
  if (Number.isSafeInteger(time)) return time
  throw new QueueError('invalid', `at must be a date or epoch milliseconds, not ${String(at)}`)
}
