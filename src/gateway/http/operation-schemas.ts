import { z } from 'zod'
import { present } from '../../failure/present.ts'
import { type OperationFilter, withoutDeliveries } from '../../ledger/filter.ts'
import { OPERATION_STATES } from '../../ledger/operation.ts'
import { cancelReason, failureClass, failureKind, parkReason } from '../../shape/failure.ts'
import { instant, name } from './value-schemas.ts'

/** The path parameter with an operation's id. */
export const operationPath = z.strictObject({ id: z.string().min(1).max(100) })

/** Filters for operations, the same as those of `mulligan ops ls`. */
export const filterShape = {
  state: z.array(z.enum(OPERATION_STATES)).min(1).optional().describe('In any of these states.'),
  capability: z.array(name).min(1).optional().describe('Of any of these capabilities.'),
  engine: name.optional().describe('Jobs of this other engine: bullmq, pg-boss, graphile-worker …'),
  provider: name.optional().describe('That this provider can serve.'),
  class: failureClass.optional().describe('Whose last failure has this class.'),
  kind: failureKind.optional().describe('Whose last failure has this kind.'),
  fingerprint: z.string().max(100).optional().describe('Whose last failure has this fingerprint.'),
  parked_for: parkReason.optional().describe('Parked for this reason.'),
  as: cancelReason.optional().describe('Dead for this reason.'),
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
    as: deadAs,
    held_by: heldBy,
    agent_session: agentSession,
    since,
    before,
    ...same
  } = given
  const renamed = {
    ids,
    kind,
    parkedFor,
    deadAs,
    heldBy,
    agentSession,
    createdFrom: since,
    createdBefore: before,
  }
  return withoutDeliveries(present({ ...same, ...renamed }))
}
