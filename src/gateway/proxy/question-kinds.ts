import { type CallFailed, isCallFailed } from '../../call/call-failed.ts'
import type { CallEvent } from '../../call/event.ts'
import type { Failure, FailureClass, FailureKind } from '../../failure/failure.ts'
import type { ModelRequest } from '../../sdk/fetch/model-request.ts'
import type { Asked } from './asked.ts'

/** A try of a question that failed. */
export type FailedTry = CallEvent & { type: 'attempt.failed' }

/** Fields of a question that say whether the vendor keeps the answer. */
export const SAY_KEPT = ['store', 'background'] as const

/** True if the vendor keeps the answer, so that asking twice leaves two. */
export function isKeptByVendor({ api, path }: Asked, { json }: Pick<ModelRequest, 'json'>): boolean {
  if (api !== 'openai' || !/\/responses(?:\?|$)/.test(path)) return false
  const { store, background } = (json ?? {}) as { store?: unknown; background?: unknown }
  return store !== false || background === true
}

/** True if the provider bills what it did not deliver. None does that for an answer which it says it has no room for. */
export function isPaid({ usage, costUsd, failure }: FailedTry): boolean {
  if (failure.kind === 'overloaded' || failure.class === 'throttle') return false
  return (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0) > 0 || (costUsd ?? 0) > 0
}

/** Failures that pass by themselves. */
const PASSING: readonly FailureClass[] = ['transient', 'timeout', 'throttle']

/** True if one round did all that it may, and the failure may pass by itself or at a stated time. */
export function mayPass({ verdict, failure }: CallFailed): boolean {
  const isOver = verdict.action === 'snooze' || (verdict.action === 'cancel' && verdict.as === 'exhausted')
  return isOver && PASSING.includes(failure.class)
}

/** True for a limit that says when it lifts. */
export function statesItsEnd(failure: Pick<Failure, 'class' | 'retryAfterMs' | 'resetAt'>): boolean {
  return failure.class === 'throttle' && (failure.retryAfterMs ?? failure.resetAt) !== undefined
}

/** Kinds of failure that only a person can end. */
const FOR_PERSON: readonly FailureKind[] = ['billing', 'auth', 'forbidden']

export function isForPerson({ kind }: { kind: FailureKind }): boolean {
  return FOR_PERSON.includes(kind)
}

/** True if nobody was asked, because of a bill or a login that a person must settle. */
export function isBlockedUntilCleared(error: unknown): boolean {
  if (!isCallFailed(error) || error.attempts.length > 0) return false
  const { failure } = error
  return failure.origin === 'gate' && failure.resetAt === undefined && isForPerson(failure)
}
