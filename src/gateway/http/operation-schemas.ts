import { z } from 'zod'
import { ALL_KINDS, type FailureClass, KINDS } from '../../failure/failure.ts'
import { EVENT_TYPES } from '../../ledger/event.ts'
import type { OperationFilter } from '../../ledger/filter.ts'
import { OPERATION_STATES } from '../../ledger/operation.ts'
import { CANCEL_REASONS, PARK_REASONS } from '../../verdict/verdict.ts'
import { instant, moment, name, object } from './value-schemas.ts'

const CLASSES = Object.keys(KINDS) as [FailureClass, ...FailureClass[]]

/** The path parameter with an operation's id. */
export const operationPath = z.strictObject({ id: z.string().min(1).max(100) })

/** An operation as the command prints it with `--json`. */
export const operation = z.object({
  id: z.string(),
  capability: z.string(),
  state: z.enum(OPERATION_STATES),
  due_at: moment.optional().describe('When a scheduled operation may run.'),
  mode: z.enum(['again', 'resume']).optional(),
  held_by: z.string().optional().describe('The provider it waits for.'),
  started_at: moment.optional(),
  cancel_requested: z.boolean().optional(),
  parked_for: z.enum(PARK_REASONS).optional(),
  parked_at: moment.optional(),
  ended_at: moment.optional(),
  result: z.unknown().optional(),
  result_cut: z
    .boolean()
    .optional()
    .describe('`result` was cut; get the full result from /v1/operations/{id}/result.'),
  dead_as: z.enum(CANCEL_REASONS).optional(),
  reason: z.string().optional().describe('Why it is in this state.'),
  failure: object.optional().describe('Its last failure: class, kind, message, fingerprint.'),
  key: z.string().optional(),
  params: z.unknown().describe('Secrets are hidden.'),
  providers: z.array(z.string()),
  priority: z.number(),
  source: z.string(),
  session: z.string().optional(),
  context: z.unknown().optional(),
  traceparent: z.string().optional().describe('The trace that its runs continue (W3C Trace Context).'),
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
  first_failed_at: moment.optional(),
  cost_usd: z.number(),
  max_retries: z.number().optional(),
  retry_for_ms: z.number().optional(),
  agent_session: z.string().optional(),
  folder: z.string().optional(),
})

/** One try of an operation. */
export const attempt = z.object({
  number: z.number(),
  run: z.number(),
  started_at: moment,
  ended_at: moment,
  provider: z.string().optional(),
  model: z.string().optional(),
  failure: object.optional(),
  verdict: object.optional(),
  cost_usd: z.number().optional(),
  turns: z.number().optional(),
  session_id: z.string().optional(),
  note: z.unknown().optional().describe('Further facts, such as that the try was made elsewhere.'),
})

/** An event of the ledger. */
export const event = z.object({
  id: z.number().describe('Increases in the order of events.'),
  at: moment,
  type: z.enum(EVENT_TYPES),
  operation: z.string().optional(),
  run: z.number().optional(),
  data: object.optional(),
})

/** Filters for operations, the same as those of `mulligan ops ls`. */
export const filterShape = {
  state: z.array(z.enum(OPERATION_STATES)).min(1).optional().describe('In any of these states.'),
  capability: z.array(name).min(1).optional().describe('Of any of these capabilities.'),
  provider: name.optional().describe('That this provider can serve.'),
  class: z.enum(CLASSES).optional().describe('Whose last failure has this class.'),
  kind: z
    .enum(ALL_KINDS as [string, ...string[]])
    .optional()
    .describe('Whose last failure has this kind.'),
  fingerprint: z.string().max(100).optional().describe('Whose last failure has this fingerprint.'),
  parked_for: z.enum(PARK_REASONS).optional().describe('Parked for this reason.'),
  held_by: name.optional().describe('Held until this provider can serve.'),
  session: z.string().min(1).max(500).optional().describe('Submitted by this session.'),
  agent_session: z.string().min(1).max(500).optional().describe('Run in this agent session.'),
  text: z.string().min(1).max(500).optional().describe('Whose failures contain all these words.'),
  since: instant.optional().describe('Submitted at or after this time.'),
  before: instant.optional().describe('Submitted before this time.'),
}

/** A filter in a request body. */
export const filter = z.strictObject({
  id: z.array(z.string().min(1).max(100)).min(1).max(1000).optional().describe('With any of these ids.'),
  ...filterShape,
})

/** The ledger's form of a filter. */
export function filterOf(given: z.output<typeof filter>): OperationFilter {
  const {
    id: ids,
    kind,
    parked_for: parkedFor,
    held_by: heldBy,
    agent_session: agentSession,
    since,
    before,
    ...same
  } = given
  const renamed = { ids, kind, parkedFor, heldBy, agentSession, createdFrom: since, createdBefore: before }
  const all = Object.entries({ ...same, ...renamed }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(all) as OperationFilter
}
