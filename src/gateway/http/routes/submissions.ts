import { z } from 'zod'
import { type Trace, traceFrom } from '../../../ledger/trace.ts'
import { handedOverToJson } from '../../../queue/hand-over-json.ts'
import { operationToJson } from '../../../queue/operation-json.ts'
import { isHandedOver } from '../../../queue/run-result.ts'
import { timeToJson } from '../../../time/time-json.ts'
import { backgroundOf, inForce } from '../facilities.ts'
import { operation } from '../operation-schemas.ts'
import { Problem } from '../problem.ts'
import { type Route, route } from '../route.ts'
import { submission, submissionOf } from '../submission-schema.ts'
import { moment, name } from '../value-schemas.ts'
import { existing } from './operations.ts'

/** The most operations that one request submits. */
const LARGEST_BATCH = 1000

const submitted = operation.extend({
  created: z.boolean().describe('False if the key stood for it already.'),
  has_runner: z.boolean().describe('Whether a live runner has its capability.'),
})

const submit = route({
  method: 'post',
  path: '/v1/operations',
  id: 'submitOperation',
  summary: 'Submit an operation; with a key (or Idempotency-Key header), at most once',
  demand: 'change',
  body: submission,
  answers: {
    201: { description: 'Submitted', schema: submitted },
    200: { description: 'The operation that the key stands for already', schema: submitted },
  },
  async run({ body, header }, facilities) {
    const now = inForce(facilities)
    const { capability, params, ...options } = submissionOf({
      ...body,
      ...keyOf(body.key, header('idempotency-key')),
    })
    const { id, created } = await now.queue.submit(capability, params, { ...options, ...traceOf(header) })
    const stored = await existing(facilities, id)
    const hasRunner = await now.queue.hasRunner(capability)
    const json = { ...operationToJson(stored, backgroundOf(now, capability)), created, has_runner: hasRunner }
    return { status: created ? 201 : 200, json, headers: { location: `/v1/operations/${id}` } }
  },
})

const batch = route({
  method: 'post',
  path: '/v1/operations/batch',
  id: 'submitOperations',
  summary: 'Submit many operations: all of them, or none',
  demand: 'change',
  body: z.strictObject({ operations: z.array(submission).min(1).max(LARGEST_BATCH) }),
  answers: {
    200: {
      description: 'One entry for each, in the same order',
      schema: z.object({
        operations: z.array(z.object({ id: z.string(), created: z.boolean(), due_at: moment })),
      }),
    },
  },
  async run({ body, header }, facilities) {
    const submissions = body.operations.map(submissionOf)
    const { trace } = traceOf(header)
    if (trace) for (const each of submissions) each.trace = trace
    const inserted = await inForce(facilities).queue.submitMany(submissions)
    // Most of a batch is due at the same time, and writing a time takes longer than all the rest of an entry.
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
  summary: 'Hand over a call that was made elsewhere and failed; it is decided like any other failure',
  demand: 'change',
  body: submission.omit({ at: true, unchecked: true }).extend({
    provider: name.optional().describe('Who was called.'),
    model: name.optional().describe('The model that was called.'),
    tries: z.int().min(1).max(1000).optional().describe('How often it was tried. Default 1.'),
    failed: z
      .unknown()
      .refine(failed => failed !== undefined && failed !== null, 'is missing')
      .describe('The failure, in any form that `mulligan classify` reads.'),
  }),
  answers: {
    202: {
      description: 'It will be tried again',
      schema: z.object({
        ok: z.boolean(),
        queued_for_retry: z.boolean(),
        operation_id: z.string(),
        retry_at: moment.optional(),
        parked_for: z.string().optional(),
        has_runner: z.boolean(),
        retry_hint: z.string(),
      }),
    },
    200: {
      description: 'It has succeeded already under its key',
      schema: z.object({ ok: z.boolean(), operation_id: z.string() }),
    },
  },
  async run({ body: { failed, provider, model, tries, ...given }, header }, facilities) {
    const { capability, params, ...options } = submissionOf({
      ...given,
      ...keyOf(given.key, header('idempotency-key')),
    })
    const { queue } = inForce(facilities)
    const result = await queue.handOver(capability, params ?? {}, failed, {
      ...options,
      ...traceOf(header),
      ...(provider === undefined ? {} : { provider }),
      ...(model === undefined ? {} : { model }),
      ...(tries === undefined ? {} : { tries }),
    })
    return isHandedOver(result)
      ? { status: 202, json: handedOverToJson(result) }
      : { json: { ok: true, operation_id: result.operationId } }
  },
})

/** The trace that the request belongs to. */
function traceOf(header: (name: string) => string | undefined): { trace?: Trace } {
  const trace = traceFrom(header('traceparent'), header('tracestate'))
  return trace ? { trace } : {}
}

/** The key of the body, or of the header that others use for it; a quoted one, as the draft standard has it, too. */
function keyOf(key: string | undefined, header: string | undefined): { key?: string } {
  const given = header?.trim().replace(/^"(.*)"$/, '$1')
  if (given === undefined || given === '') return key === undefined ? {} : { key }
  if (given.length > 500) throw new Problem(400, 'invalid', 'Idempotency-Key: at most 500 characters')
  if (key !== undefined && key !== given)
    throw new Problem(400, 'invalid', 'key and Idempotency-Key differ; give one of them')
  return { key: given }
}

/** Submitting operations. */
export const submissionRoutes: readonly Route[] = [submit, batch, handOver]
