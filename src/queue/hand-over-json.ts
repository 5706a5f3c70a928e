import { failureToJson } from '../failure/json.ts'
import type { Attempt } from '../ledger/attempt.ts'
import type { DeadOperation } from '../ledger/operation.ts'
import { timeToJson } from '../time/time-json.ts'
import type { HandedOver } from './run-result.ts'

/** A handed-over operation in JSON: not done yet, and when it is tried again. */
export function handedOverToJson(handedOver: HandedOver): Record<string, unknown> {
  const { operationId, retryAt, parkedFor, hasRunner, retryHint } = handedOver
  return {
    ok: false,
    queued_for_retry: true,
    operation_id: operationId,
    ...(retryAt === undefined ? {} : { retry_at: timeToJson(retryAt) }),
    ...(parkedFor === undefined ? {} : { parked_for: parkedFor }),
    has_runner: hasRunner,
    retry_hint: retryHint,
  }
}

/** A dead operation in JSON; `failure` is the complete failure of its last attempt. */
export function failedToJson(
  { id, deadAs, reason }: DeadOperation,
  failure: Attempt['failure'],
): Record<string, unknown> {
  return {
    ok: false,
    operation_id: id,
    dead_as: deadAs,
    reason,
    ...(failure ? { failure: failureToJson(failure) } : {}),
  }
}
