import { z } from 'zod'
import { failureToJson } from '../failure/json.ts'
import type { Attempt } from '../ledger/attempt.ts'
import type { DeadOperation } from '../ledger/operation.ts'
import { parkReason } from '../shape/failure.ts'
import { jsonWriter } from '../shape/json-writer.ts'
import { moment } from '../shape/value.ts'
import type { HandedOver } from './run-result.ts'

/** A handed-over operation: not done yet. */
export const handedOver = z.object({
  ok: z.boolean(),
  queued_for_retry: z.boolean(),
  operation_id: z.string(),
  retry_at: moment.exactOptional(),
  parked_for: parkReason.exactOptional(),
  has_runner: z.boolean(),
  retry_hint: z.string(),
})

const write = jsonWriter(handedOver)

/** A handed-over operation in JSON: not done yet, and when it is tried again. */
export function handedOverToJson(given: HandedOver) {
  return write({ ...given, ok: false })
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
