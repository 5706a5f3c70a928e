import { z } from 'zod'
import { previewToJson } from '../../../../queue/bulk-json.ts'
import type { BulkAction, BulkPreview } from '../../../../queue/bulk-outcome.ts'
import { isMayRepeat } from '../../../../queue/error.ts'
import { operationToJson } from '../../../../queue/operation-json.ts'
import { numbers, object } from '../../../../shape/value.ts'
import { timeToJson } from '../../../../time/time-json.ts'
import { backgroundOf, inForce } from '../../../http/facilities.ts'
import { filterOf } from '../../../http/operation-schemas.ts'
import { Problem } from '../../../http/problem.ts'
import { existing } from '../../../http/routes/operations.ts'
import { priority } from '../../../http/submission-schema.ts'
import { instant } from '../../../http/value-schemas.ts'
import { briefFilterShape } from '../brief-schemas.ts'
import { type ToolAnswer, type ToolCall, type ToolHost, tool } from '../tool.ts'

const ACTIONS = ['retry', 'cancel', 'discard', 'resume', 'edit'] as const
/** Operations of a preview that are listed; the counts are of all. */
const MOST_LISTED = 50

const input = z.strictObject({
  action: z
    .enum(ACTIONS)
    .describe(
      'retry: a dead one runs again, a parked one goes on, a waiting one runs now. cancel: end it, with everything it started. discard: delete an ended one with its history. resume: a parked one goes on. edit: change parameters, time or priority of one that waits.',
    ),
  id: z.string().min(1).max(100).optional().describe('The operation.'),
  filter: z
    .strictObject(briefFilterShape)
    .optional()
    .describe(
      'Instead of id, for retry, cancel and discard: all that match. Only previews, and gives a token.',
    ),
  token: z.string().min(1).max(200).optional().describe('Of a preview: does exactly what it said, once.'),
  params: object.optional().describe('For edit: all of its parameters.'),
  changed_params: object.optional().describe('For edit: only these parameters; the others stay.'),
  priority: priority.optional().describe('For edit.'),
  at: instant.optional().describe('For edit: run no earlier than this.'),
})

const output = z.looseObject({
  done: z.boolean().describe('Whether anything was changed.'),
  next_step: z.string().optional(),
  id: z.string().optional(),
  outcome: z.string().optional(),
  token: z.string().optional().describe('Call again with it to do what was previewed.'),
  expires_at: z.string().optional(),
  total: z.number().optional(),
  counts: numbers.optional(),
  needs_person: z.number().optional().describe('How many only a person may run again.'),
  operations: z.array(object).optional(),
  left: z.array(z.string()).optional().describe('Changed since the preview, and left alone.'),
  operation: object.optional(),
})

type Given = z.output<typeof input>

/** Changing operations. */
export const operationAction = tool({
  name: 'operation_action',
  title: 'Change operations',
  description: [
    'Retry, cancel, discard, resume or edit one operation by id; or many by filter: the first call only shows what would happen and gives a token, the second call with that token does it.',
    'What may already have taken effect, and cannot be checked, is run again only by a person.',
  ].join(' '),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input,
  output,
  run(given, call, host) {
    const { action, id, filter: of, token } = given
    const ways = Object.entries({ id, filter: of, token }).filter(([, value]) => value !== undefined)
    if (ways.length !== 1) throw new Problem(400, 'invalid', 'give exactly one of id, filter and token')
    if (action !== 'edit') checkNothingToEdit(given)
    if (token !== undefined) return apply(action, token, call, host)
    if (id === undefined) return preview(given, call, host)
    return action === 'edit' ? edit(id, given, call, host) : changeOne(action, id, call, host)
  },
})

function checkNothingToEdit(given: Given): void {
  const other = (['params', 'changed_params', 'priority', 'at'] as const).find(
    key => given[key] !== undefined,
  )
  if (other !== undefined) throw new Problem(400, 'invalid', `${other} goes with action edit`)
}

async function changeOne(
  action: BulkAction | 'resume',
  id: string,
  { rights: { asPerson } }: ToolCall,
  { facilities }: ToolHost,
): Promise<ToolAnswer> {
  const { queue } = inForce(facilities)
  const { state } = await existing(facilities, id)
  if (action === 'resume' && state !== 'parked')
    throw new Problem(409, 'no_change', `${id} is ${state}: only a parked operation is resumed`)
  const seen = await queue.preview(action === 'resume' ? 'retry' : action, { ids: [id] }, { asPerson })
  const [step] = seen.moves
  if (!asPerson && step?.needsPerson !== undefined)
    throw needsPerson(id, `${id} is not run again: ${step.needsPerson}`)
  if (step === undefined || step.outcome === 'none')
    throw new Problem(409, 'no_change', `${id} is ${state}, so ${action} does nothing`)
  const { left } = await queue.apply(seen, { mayRepeat: asPerson })
  if (left.length > 0)
    throw new Problem(409, 'no_change', `${id} changed meanwhile, or is the newest of all; look at it again`)
  return { json: { done: true, id, outcome: step.outcome } }
}

function needsPerson(id: string, why: string): Problem {
  return new Problem(
    403,
    'needs_person',
    `${why}. Check yourself whether it happened, and tell the user, who may decide: mulligan ops retry ${id}`,
  )
}

async function preview(
  { action, filter: given }: Given,
  { rights: { asPerson } }: ToolCall,
  { facilities, previews }: ToolHost,
): Promise<ToolAnswer> {
  if (action === 'edit' || action === 'resume')
    throw new Problem(400, 'invalid', `${action} takes an id; a filter goes with retry, cancel and discard`)
  const { queue } = inForce(facilities)
  const found = await queue.preview(action, filterOf(given ?? {}), { asPerson })
  const { operations, ...rest } = previewToJson(found)
  if (isIdle(found))
    return {
      json: {
        done: false,
        ...rest,
        operations: operations.slice(0, MOST_LISTED),
        next_step: 'Nothing to do.',
      },
    }
  const { token, expiresAt } = previews.keep(found)
  return {
    json: {
      done: false,
      token,
      expires_at: timeToJson(expiresAt),
      ...rest,
      operations: operations.slice(0, MOST_LISTED),
      next_step: `Nothing is changed yet. If this is what you want, call operation_action with action ${action} and this token.`,
    },
  }
}

function isIdle({ moves }: BulkPreview): boolean {
  return moves.every(({ outcome }) => outcome === 'none')
}

async function apply(
  action: string,
  token: string,
  { rights: { asPerson } }: ToolCall,
  { facilities, previews }: ToolHost,
): Promise<ToolAnswer> {
  const { queue } = inForce(facilities)
  const found = previews.take(token)
  if (!found)
    throw new Problem(410, 'preview_gone', 'this preview is unknown, used or too old; make another one')
  if (found.action !== action)
    throw new Problem(400, 'invalid', `the preview is of ${found.action}, not of ${action}; make another one`)
  return { json: { done: true, ...(await queue.apply(found, { mayRepeat: asPerson })) } }
}

async function edit(
  id: string,
  { params, changed_params: changed, priority: rank, at }: Given,
  { rights: { asPerson } }: ToolCall,
  { facilities }: ToolHost,
): Promise<ToolAnswer> {
  if (params !== undefined && changed !== undefined)
    throw new Problem(400, 'invalid', 'give params or changed_params, not both')
  const now = inForce(facilities)
  const before = await existing(facilities, id)
  const all = changed === undefined ? params : { ...(before.params as object), ...changed }
  const given = Object.entries({ params: all, priority: rank, at }).filter(([, value]) => value !== undefined)
  if (given.length === 0)
    throw new Problem(400, 'invalid', 'nothing to change; give params, changed_params, priority or at')
  try {
    await now.queue.edit(id, { ...Object.fromEntries(given), mayRepeat: asPerson })
  } catch (error) {
    throw isMayRepeat(error) ? needsPerson(id, error.why) : error
  }
  const after = await existing(facilities, id)
  return {
    json: { done: true, id, operation: operationToJson(after, backgroundOf(now, after.capability)) },
  }
}
