import { z } from 'zod'
import { present } from '../../../failure/present.ts'
import { type Trace, traceFrom } from '../../../ledger/trace.ts'
import { handedOver, handedOverToJson } from '../../../queue/hand-over-json.ts'
import { operationToJson } from '../../../queue/operation-json.ts'
import { operation } from '../../../queue/operation-shape.ts'
import { isHandedOver } from '../../../queue/run-result.ts'
import { moment } from '../../../shape/value.ts'
import { timeToJson } from '../../../time/time-json.ts'
import { backgroundOf, inForce } from '../facilities.ts'
import { keyOf, refuseKey } from '../idempotency-key.ts'
import { LARGEST_BATCH, plainBatch } from '../plain-batch.ts'
import { type Route, route } from '../route.ts'
import { submission, submissionOf } from '../submission-schema.ts'
import { name } from '../value-schemas.ts'
import { existing } from './operations.ts'

const submitted = operation.extend({
  created: z.boolean().describe('False if an operation with this key already existed.'),
  has_runner: z.boolean().describe('Whether a live runner has its capability.'),
})

const submit = route({
  method: 'post',
  path: '/v1/operations',
  id: 'submitOperation',
  summary: 'Submit an operation; with a key (or Idempotency-Key header), at most once',
  demand: 'submit',
  body: submission,
  answers: {
    201: { description: 'Submitted', schema: submitted },
    200: { description: 'The existing operation with this key', schema: submitted },
  },
  async run({ body, header }, facilities) {
    const now = inForce(facilities)
    const { capability, params, ...options } = submissionOf({
      ...body,
      ...keyOf(body.key, header),
    })
    const { id, created } = await now.queue.submit(capability, params, { ...options, ...traceOf(header) })
    const stored = await existing(facilities, id)
    const hasRunner = await now.queue.hasRunner(capability)
    const json = { ...operationToJson(stored, backgroundOf(now, capability)), created, has_runner: hasRunner }
    return { status: created ? 201 : 200, json, headers: { location: `/v1/operations/${id}` } }
  },
})

/** The body of a batch. */
export const batchBody = z.strictObject({ operations: z.array(submission).min(1).max(LARGEST_BATCH) })

const batch = route({
  method: 'post',
  path: '/v1/operations/batch',
  id: 'submitOperations',
  summary: 'Submit many operations: all or none',
  demand: 'submit',
  body: batchBody,
  plainBody: plainBatch,
  answers: {
    200: {
      description: 'One entry per operation, in the same order',
      schema: z.object({
        operations: z.array(z.object({ id: z.string(), created: z.boolean(), due_at: moment })),
      }),
    },
  },
  async run({ body, header }, facilities) {
    refuseKey(header)
    const submissions = body.operations.map(submissionOf)
    const { trace } = traceOf(header)
    if (trace) for (const each of submissions) each.trace = trace
    const inserted = await inForce(facilities).queue.submitMany(submissions)
    // Formatting a time takes longer than the rest of an entry, and most of a batch shares one.
    let last = { at: Number.NaN, text: '' }
    const operations = inserted.map(({ id, created, dueAt }) => {
      if (dueAt !== last.at) last = { at: dueAt, text: timeToJson(dueAt) }
      return { id, created, due_at: last.text }
    })
    return { json: { operations } }
  },
})

const handOver = route({
  method: 'post',
  path: '/v1/operations/hand_over',
  id: 'handOver',
  summary: 'Hand over a call that failed elsewhere; its failure is judged like any other',
  demand: 'submit',
  body: submission.omit({ at: true, unchecked: true }).extend({
    provider: name.optional().describe('The provider that was called.'),
    model: name.optional().describe('The model that was called.'),
    tries: z.int().min(1).max(1000).optional().describe('How often it was tried. Default 1.'),
    failed: z
      .unknown()
      .refine(failed => failed !== undefined && failed !== null, 'is missing')
      .describe('The failure, in any form that `mulligan classify` reads.'),
  }),
  answers: {
    202: {
      description: 'Queued for another try',
      schema: handedOver,
    },
    200: {
      description: 'An operation with this key has already succeeded',
      schema: z.object({ ok: z.boolean(), operation_id: z.string() }),
    },
  },
  async run({ body: { failed, provider, model, tries, ...given }, header }, facilities) {
    const { capability, params, ...options } = submissionOf({
      ...given,
      ...keyOf(given.key, header),
    })
    const { queue } = inForce(facilities)
    const result = await queue.handOver(capability, params ?? {}, failed, {
      ...options,
      ...traceOf(header),
      ...present({ provider, model, tries }),
    })
    return isHandedOver(result)
      ? { status: 202, json: handedOverToJson(result) }
      : { json: { ok: true, operation_id: result.operationId } }
  },
})

/** The trace of the request. */
function traceOf(header: (name: string) => string | undefined): { trace?: Trace } {
  const trace = traceFrom(header('traceparent'), header('tracestate'))
  return trace ? { trace } : {}
}

/** Submitting operations. */
export const submissionRoutes: readonly Route[] = [submit, batch, handOver]
