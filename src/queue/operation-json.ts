import type { Capability } from '../capability/capability.ts'
import { hideSecrets } from '../capability/secret/hide-secrets.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { Operation } from '../ledger/operation.ts'
import { jsonWriter } from '../shape/json-writer.ts'
import { timeToJson } from '../time/time-json.ts'
import { attempt, event, operation } from './operation-shape.ts'

/** What is known about an operation besides its record. */
export interface OperationBackground {
  /** Its capability, which names its secrets. Default: hides only what looks like a secret. */
  capability?: Pick<Capability, 'secrets' | 'maxRetries'> | undefined
  /** Retry limit of operations whose capability sets none. */
  maxRetries: number
}

/** How many retries it has left in the queue; those in the caller's process and waits for limits, people and runners do not count. */
export function remainingRetries(
  { waits, maxRetries: own }: Pick<Operation, 'waits' | 'maxRetries'>,
  { capability, maxRetries }: OperationBackground,
): number {
  return Math.max(0, (own ?? capability?.maxRetries ?? maxRetries) - waits)
}

/** Why it is in its state; a running or succeeded operation needs no reason. */
export function standingReason({ state, reason }: Operation): string | undefined {
  return state === 'running' || state === 'succeeded' ? undefined : reason
}

const writeOperation = jsonWriter(operation)

/** An operation in JSON: secrets hidden, points in time as RFC 3339 UTC, durations in `…_ms`. */
export function operationToJson(given: Operation, background: OperationBackground) {
  const { capability } = background
  return writeOperation({
    ...given,
    ...(given.state === 'succeeded' && given.result !== undefined
      ? { result: hideSecrets(given.result, capability) }
      : {}),
    reason: standingReason(given),
    params: hideSecrets(given.params, capability),
    traceparent: given.trace?.traceparent,
    remainingRetries: remainingRetries(given, background),
  })
}

/** One try of an operation in JSON. */
export const triedToJson = jsonWriter(attempt)

const writeEvent = jsonWriter(event)

/** An event in JSON. */
export function eventToJson(given: LedgerEvent) {
  const { data } = given
  if (data === undefined) return writeEvent(given)
  const due = typeof data.due_at === 'number' ? { due_at: timeToJson(data.due_at) } : {}
  const until = typeof data.until === 'number' ? { until: timeToJson(data.until) } : {}
  return writeEvent({ ...given, data: { ...data, ...due, ...until } })
}
