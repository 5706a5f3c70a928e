import { z } from 'zod'
import { EVENT_TYPES } from '../ledger/event.ts'
import { OPERATION_STATES } from '../ledger/operation.ts'
import { cancelReason, failure, mode, parkReason, verdict } from '../shape/failure.ts'
import { moment, numbers, object } from '../shape/value.ts'

/** An operation. */
export const operation = z.object({
  id: z.string(),
  capability: z.string(),
  state: z.enum(OPERATION_STATES),
  due_at: moment.exactOptional().describe('When a scheduled operation may run.'),
  started_at: moment.exactOptional(),
  mode: mode.exactOptional(),
  held_by: z
    .string()
    .exactOptional()
    .describe('The provider it waits for, or `engine:` and the engine that has it.'),
  cancel_requested: z.boolean().exactOptional(),
  parked_for: parkReason.exactOptional(),
  parked_at: moment.exactOptional(),
  dead_as: cancelReason.exactOptional(),
  ended_at: moment.exactOptional(),
  result: z.unknown().exactOptional(),
  result_cut: z
    .boolean()
    .exactOptional()
    .describe('`result` was cut; get the full result from /v1/operations/{id}/result.'),
  reason: z.string().exactOptional().describe('Why it is in this state.'),
  failure: failure
    .pick({ class: true, kind: true, message: true, fingerprint: true })
    .exactOptional()
    .describe('Its last failure.'),
  key: z.string().exactOptional(),
  params: z.unknown().describe('Secrets are hidden.'),
  providers: z.array(z.string()),
  priority: z.number(),
  source: z.string(),
  session: z.string().exactOptional(),
  context: z.unknown().exactOptional(),
  traceparent: z.string().exactOptional().describe('The trace that its runs continue (W3C Trace Context).'),
  created_at: moment,
  updated_at: moment,
  run: z.number(),
  attempts: z.number(),
  retries: z.number(),
  remaining_retries: z.number(),
  waits: z.number(),
  snoozes: z.number(),
  retrying_ms: z.number(),
  snoozed_ms: z.number(),
  first_failed_at: moment.exactOptional(),
  cost_usd: z.number(),
  max_retries: z.number().exactOptional(),
  retry_for_ms: z.number().exactOptional(),
  agent_session: z.string().exactOptional(),
  folder: z.string().exactOptional(),
})

/** What answers used, in tokens. */
export const usage = z.object({
  input_tokens: z.number().describe('Of the question, those from a cache included.'),
  output_tokens: z.number(),
  cached_tokens: z.number().describe('Of the question, from a cache.'),
  cache_write_tokens: z.number().describe('Of the question, written to a cache.'),
})

/** One try of an operation. */
export const attempt = z.object({
  number: z.number(),
  run: z.number(),
  started_at: moment,
  ended_at: moment,
  provider: z.string().exactOptional(),
  model: z.string().exactOptional(),
  failure: failure.exactOptional(),
  verdict: verdict.exactOptional(),
  cost_usd: z.number().exactOptional(),
  usage: usage.exactOptional().describe('What its answer used, in tokens.'),
  turns: z.number().exactOptional(),
  session_id: z.string().exactOptional(),
  note: z.unknown().exactOptional().describe('Further facts, such as that the try was made elsewhere.'),
})

/** An event of the ledger. */
export const event = z.object({
  id: z.number().describe('Increases in the order of events.'),
  at: moment,
  type: z.enum(EVENT_TYPES),
  operation: z.string().exactOptional(),
  run: z.number().exactOptional(),
  data: object.exactOptional(),
})

/** How many operations match a filter. */
export const counts = z.object({
  about: z
    .literal(true)
    .exactOptional()
    .describe('The counts are estimates, because counting would have taken too long.'),
  total: z.number(),
  states: z.record(z.enum(OPERATION_STATES), z.number()),
  parked_for: numbers,
  dead_as: numbers,
  held: z.number(),
  due: z.number(),
})
