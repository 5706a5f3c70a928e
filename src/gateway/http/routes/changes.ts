import { z } from 'zod'
import { present } from '../../../failure/present.ts'
import { previewToJson } from '../../../queue/bulk-json.ts'
import type { BulkAction } from '../../../queue/bulk-outcome.ts'
import { bulkAction, bulkOutcome, keptPreview } from '../../../queue/bulk-shape.ts'
import { operationToJson } from '../../../queue/operation-json.ts'
import { operation } from '../../../queue/operation-shape.ts'
import { numbers, object } from '../../../shape/value.ts'
import { timeToJson } from '../../../time/time-json.ts'
import { backgroundOf, inForce } from '../facilities.ts'
import { filter, filterOf, operationPath } from '../operation-schemas.ts'
import { PREVIEW_VALID_MS, type Previews } from '../previews.ts'
import { Problem } from '../problem.ts'
import { type Route, route } from '../route.ts'
import { priority } from '../submission-schema.ts'
import { acceptsRepeat, instant } from '../value-schemas.ts'
import { existing } from './operations.ts'

const SUMMARIES: Record<BulkAction, string> = {
  retry: 'Dead: run again and keep the history; parked: continue; waiting: run now',
  cancel: 'End an operation; a running one with everything it started, in any process',
  discard: 'Delete an ended operation with its history',
}

const retry = route({
  method: 'post',
  path: '/v1/operations/{id}/retry',
  id: 'retryOperation',
  summary: SUMMARIES.retry,
  demand: 'change',
  params: operationPath,
  body: z.strictObject({ may_repeat: acceptsRepeat }),
  bodyOptional: true,
  answers: {
    200: {
      description: 'What was done',
      schema: z.object({ id: z.string(), outcome: bulkOutcome }),
    },
  },
  async run({ params: { id }, body: { may_repeat: isAccepted = false } }, facilities) {
    const { state } = await existing(facilities, id)
    const outcome = await inForce(facilities).queue.retry(id, { mayRepeat: isAccepted })
    if (outcome === 'none') throw new Problem(409, 'no_change', `${id} is ${state}, so retry does nothing`)
    return { json: { id, outcome } }
  },
})

const change = (action: 'cancel' | 'discard') =>
  route({
    method: 'post',
    path: `/v1/operations/{id}/${action}`,
    id: `${action}Operation`,
    summary: SUMMARIES[action],
    demand: 'change',
    params: operationPath,
    answers: {
      200: {
        description: 'What was done',
        schema: z.object({ id: z.string(), outcome: bulkOutcome }),
      },
    },
    async run({ params: { id } }, facilities) {
      const { state } = await existing(facilities, id)
      const outcome = await inForce(facilities).queue[action](id)
      if (outcome === 'none')
        throw new Problem(409, 'no_change', `${id} is ${state}, so ${action} does nothing`)
      return { json: { id, outcome } }
    },
  })

const resume = route({
  method: 'post',
  path: '/v1/operations/{id}/resume',
  id: 'resumeOperation',
  summary: 'Continue a parked operation, because what it waited for has happened',
  demand: 'change',
  params: operationPath,
  body: z.strictObject({
    reason: z.string().min(1).max(500).optional().describe('Why, for its history.'),
    may_repeat: acceptsRepeat,
  }),
  bodyOptional: true,
  answers: { 200: { description: 'The operation', schema: operation } },
  async run(
    { params: { id }, body: { reason = 'resumed by hand', may_repeat: isAccepted = false } },
    facilities,
  ) {
    const now = inForce(facilities)
    const { state } = await existing(facilities, id)
    const outcome = state === 'parked' ? await now.queue.retry(id, { mayRepeat: isAccepted, reason }) : 'none'
    if (outcome === 'none')
      throw new Problem(409, 'no_change', `${id} is ${state}; only a parked operation can be resumed`)
    const found = await existing(facilities, id)
    return { json: operationToJson(found, backgroundOf(now, found.capability)) }
  },
})

const edit = route({
  method: 'patch',
  path: '/v1/operations/{id}',
  id: 'editOperation',
  summary:
    'Change parameters, time or priority of a waiting or parked operation, or revive a dead one with them',
  demand: 'change',
  params: operationPath,
  body: z.strictObject({
    params: object.optional().describe('All parameters, replacing the old ones.'),
    changed_params: object.optional().describe('Only these parameters; the others stay, secrets included.'),
    priority: priority.optional(),
    at: instant.optional().describe('Run no earlier than this.'),
    revive: z
      .boolean()
      .optional()
      .describe('Run a dead operation again with these changes. Default false: a dead one is not edited.'),
    may_repeat: acceptsRepeat,
    unchecked: z
      .boolean()
      .optional()
      .describe('Change parameters even if this daemon does not have the capability.'),
  }),
  answers: { 200: { description: 'The changed operation', schema: operation } },
  async run(
    { params: { id }, body: { changed_params: changed, may_repeat: mayRepeat, ...given } },
    facilities,
  ) {
    if (changed !== undefined && given.params !== undefined)
      throw new Problem(400, 'invalid', 'send params or changed_params, not both')
    if (
      changed === undefined &&
      given.params === undefined &&
      given.priority === undefined &&
      given.at === undefined
    )
      throw new Problem(400, 'invalid', 'nothing to change; send params, changed_params, priority or at')
    const now = inForce(facilities)
    const before = await existing(facilities, id)
    const params = changed === undefined ? given.params : { ...(before.params as object), ...changed }
    await now.queue.edit(id, present({ ...given, params, mayRepeat }))
    const after = await existing(facilities, id)
    return { json: operationToJson(after, backgroundOf(now, after.capability)) }
  },
})

const done = route({
  method: 'post',
  path: '/v1/operations/{id}/done',
  id: 'markOperationDone',
  summary:
    'Mark a dead or parked operation as done, with its result, because somebody saw that its work is done',
  demand: 'change',
  params: operationPath,
  body: z.strictObject({
    result: z.unknown().optional().describe('What it returned. Default nothing.'),
    reason: z.string().min(1).max(500).optional().describe('How it is known, for its history.'),
  }),
  bodyOptional: true,
  answers: { 200: { description: 'The operation', schema: operation } },
  async run({ params: { id }, body: { result, reason }, caller }, facilities) {
    const now = inForce(facilities)
    await now.queue.markDone(id, present({ result, reason, by: caller?.name }))
    const found = await existing(facilities, id)
    return { json: operationToJson(found, backgroundOf(now, found.capability)) }
  },
})

/** Most operations that a preview lists; its counts include all. */
const MOST_LISTED = 1000

/** Changing operations. */
export function changeRoutes(previews: Previews): readonly Route[] {
  const preview = route({
    method: 'post',
    path: '/v1/operations/bulk/preview',
    id: 'previewBulk',
    summary: 'Preview what retry, cancel or discard would do to all matching operations; changes nothing',
    demand: 'change',
    body: z.strictObject({ action: bulkAction, filter }),
    answers: {
      200: {
        description: 'What would change, and the token that applies it',
        schema: keptPreview,
      },
    },
    async run({ body }, facilities) {
      const found = await inForce(facilities).queue.preview(body.action, filterOf(body.filter))
      const { token, expiresAt } = previews.keep(found)
      const { operations, ...rest } = previewToJson(found)
      const listed = operations.slice(0, MOST_LISTED)
      return { json: { token, expires_at: timeToJson(expiresAt), ...rest, operations: listed } }
    },
  })

  const apply = route({
    method: 'post',
    path: '/v1/operations/bulk/apply',
    id: 'applyBulk',
    summary: `Apply a preview once, within ${PREVIEW_VALID_MS / 60_000} minutes; operations that changed since are left alone`,
    demand: 'change',
    body: z.strictObject({
      token: z.string().min(1).max(200),
      may_repeat: acceptsRepeat.describe(
        'Also run again what may already have taken effect, which nothing can check. Default false: it is left alone.',
      ),
    }),
    answers: {
      200: {
        description: 'What was done',
        schema: z.object({
          counts: numbers,
          left: z
            .array(z.string())
            .describe('Operations that were left alone: they changed since, or may happen twice.'),
        }),
      },
    },
    async run({ body: { token, may_repeat: isAccepted = false } }, facilities) {
      const found = previews.take(token)
      if (!found)
        throw new Problem(410, 'preview_gone', 'this preview is unknown, used or expired; make another')
      const { queue } = inForce(facilities)
      return { json: await queue.apply(found, { mayRepeat: isAccepted }) }
    },
  })

  return [preview, apply, retry, change('cancel'), change('discard'), resume, done, edit]
}
