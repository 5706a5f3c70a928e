import type { Capability } from '../capability/capability.ts'
import { type Admitted, admitParams } from '../capability/check-params.ts'
import { routedProviders } from '../capability/providers.ts'
import type { SqlClient } from '../ledger/ledger.ts'
import type { NewOperation } from '../ledger/operation.ts'
import type { Trace } from '../ledger/trace.ts'
import { InvalidParams, QueueError } from './error.ts'
import type { QueueDeps } from './queue-deps.ts'

/** Options for submitting an operation. */
export interface SubmitOptions {
  /** When to run it at the earliest: epoch milliseconds or a date. Default: at once. */
  at?: number | Date
  /** Submitting the same key and parameters to the same capability again returns the same operation, even after it ended. */
  key?: string
  /** How long the key is stored after the operation ended, in milliseconds. Default 7 days. */
  keyRetentionMs?: number
  /** Integer from -10 to 10; higher runs first. Default: the capability's. */
  priority?: number
  /** Names of the providers that can serve it, the preferred one first. Default: the capability's. */
  providers?: readonly string[]
  /** The session that asks for it and gets a notice when it ends. */
  session?: string
  /** What submitted it, for people: `submit`, `run`, `cron`, `workflow` … Default `submit`. */
  source?: string
  /** The submitter's own JSON. */
  context?: unknown
  /** Retry limit of this operation. Default: its capability's, else the queue's. */
  maxRetries?: number
  /**
   * Retries of this operation end this long after its first failure, in milliseconds. Default: its capability's, else the
   * queue's, else 30 min, or longer if the retry limit needs it.
   */
  retryForMs?: number
  /** The trace that it belongs to and its runs continue. Default: that of the active OpenTelemetry span, if any. */
  trace?: Trace
  /** Store it even if this process does not have the capability: without checks, and without sealing secrets. Default false. */
  unchecked?: boolean
}

/** Options for submitting one operation. */
export interface SubmitOneOptions extends SubmitOptions {
  /**
   * A `pg` connection to the ledger's server on which the caller has begun a transaction: the operation exists only if that
   * transaction commits. Default: a transaction of its own.
   */
  client?: SqlClient
}

/** One of many operations to submit. */
export interface Submission extends SubmitOptions {
  /** Name of the capability. */
  capability: string
  /** Default: an empty object. */
  params?: unknown
}

/**
 * Turns a submission into the operation to store; synchronous unless a schema is asynchronous. Throws or rejects with a
 * {@link QueueError} that says what is wrong.
 */
export function newOperation(deps: QueueDeps, submission: Submission): NewOperation | Promise<NewOperation> {
  const { capability: name, params, context } = submission
  const { maxParamsBytes } = deps.settings
  // Serialised once: the text that is measured is the one that is checked and stored.
  const text = jsonText(params ?? {})
  checkSize('the parameters', name, text, maxParamsBytes)
  if (context !== undefined) checkSize('the context', name, jsonText(context), maxParamsBytes)
  const capability = capabilityOf(deps, submission)
  if (!capability) return operationOf(deps, submission, undefined, { params: params ?? {}, text })
  const admitted = admitParams(capability, params, deps.secrets, text)
  return admitted instanceof Promise
    ? admitted.then(later => operationOf(deps, submission, capability, acceptedParams(capability, later)))
    : operationOf(deps, submission, capability, acceptedParams(capability, admitted))
}

function operationOf(
  deps: QueueDeps,
  submission: Submission,
  capability: Capability | undefined,
  { params, text }: AdmittedParams,
): NewOperation {
  const { at, priority, source = 'submit' } = submission
  const { key, keyRetentionMs, session, context, maxRetries, retryForMs, trace } = submission
  const providers = submission.providers ?? (capability && routedProviders(deps, capability, session))
  const operation: NewOperation = {
    capability: submission.capability,
    params,
    priority: priority ?? capability?.priority ?? 0,
    source,
  }
  // Assigned one by one: spreading an object for each took longer than the rest of this function.
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

interface AdmittedParams {
  params: unknown
  /** The same as JSON text; undefined if not JSON. */
  text: string | undefined
}

/** Parameters to store: checked against the schema, with secrets sealed. Throws {@link InvalidParams}. */
export function acceptedParams(capability: Capability, admitted: Admitted): AdmittedParams {
  if (admitted.admitted) return admitted
  throw new InvalidParams(capability.name, admitted.problems)
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

/** Converts a date or epoch milliseconds to epoch milliseconds. */
export function timeOf(at: number | Date): number {
  const time = Math.round(typeof at === 'number' ? at : at.getTime())
  if (Number.isSafeInteger(time)) return time
  throw new QueueError('invalid', `at must be a date or epoch milliseconds, not ${String(at)}`)
}

/** Throws a {@link QueueError} if this JSON text is too large to store with one operation of the capability. */
export function checkSize(
  what: 'the parameters' | 'the context',
  capability: string,
  text: string | undefined,
  limitBytes: number,
): void {
  // No character takes more than 3 bytes, so most texts need not be measured.
  if (text === undefined || text.length * 3 <= limitBytes) return
  const bytes = Buffer.byteLength(text)
  if (bytes <= limitBytes) return
  throw new QueueError(
    'too_large',
    `${what} of an operation of ${JSON.stringify(capability)} take ${bytes} bytes; the limit is ${limitBytes}: put large data into a file and pass its path, or raise maxParamsBytes ([queue] max_params_bytes)`,
  )
}

/** A value as JSON text; undefined if not JSON, which is refused elsewhere. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
