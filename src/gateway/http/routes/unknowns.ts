import { z } from 'zod'
import { present } from '../../../failure/present.ts'
import { inTurns } from '../../../time/in-turns.ts'
import { operatorOf } from '../../../unknown/operator.ts'
import { detailsToJson, teachingToJson, unknownToJson } from '../../../unknown/unknown-json.ts'
import { taught, unknown, unknownDetails } from '../../../unknown/unknown-shape.ts'
import { Unknowns } from '../../../unknown/unknowns.ts'
import { type Route, route } from '../route.ts'
import { teaching, teachingOf, who } from '../unknown-schemas.ts'
import { name } from '../value-schemas.ts'

const path = z.strictObject({
  fingerprint: z.string().min(1).max(100).describe('In full, or a unique prefix.'),
})

const list = route({
  method: 'get',
  path: '/v1/unknowns',
  id: 'listUnknowns',
  summary: 'Unknown failures, the one first seen most recently first, a page at a time',
  demand: 'look',
  query: z.strictObject({
    all: z.boolean().optional().describe('Labelled ones too. Default only those without a label.'),
    provider: name.optional().describe('Of this provider.'),
    limit: z.int().min(1).max(1000).optional().describe('Page size. Default 50.'),
    cursor: z.string().max(500).optional().describe('`next` of the previous page.'),
  }),
  answers: {
    200: {
      description: 'A page',
      schema: z.object({
        unknowns: z.array(unknown),
        next: z.string().optional().describe('Cursor of the next page; missing on the last one.'),
      }),
    },
  },
  async run({ query: { all = false, provider, limit, cursor } }, { ledger }) {
    const page = await new Unknowns(ledger).list(
      { ...(all ? {} : { labelled: false }), ...present({ provider }) },
      present({ limit, cursor }),
    )
    const next = page.next === undefined ? {} : { next: page.next }
    return { json: { unknowns: await inTurns(page.items, unknownToJson), ...next } }
  },
})

const get = route({
  method: 'get',
  path: '/v1/unknowns/{fingerprint}',
  id: 'getUnknown',
  summary:
    'One unknown failure: samples, waiting operations, the proposed signature, labels of similar failures',
  demand: 'look',
  params: path,
  answers: {
    200: {
      description: 'Everything about the fingerprint',
      schema: unknownDetails,
    },
  },
  async run({ params: { fingerprint } }, { ledger }) {
    const unknowns = new Unknowns(ledger)
    return { json: detailsToJson(await unknowns.show(await unknowns.find(fingerprint))) }
  },
})

const preview = route({
  method: 'post',
  path: '/v1/unknowns/{fingerprint}/preview',
  id: 'previewLabel',
  summary: 'Preview a label: its signature, its backtest, the operations it releases; changes nothing',
  demand: 'look',
  params: path,
  body: teaching,
  answers: { 200: { description: 'The effect of the label', schema: taught } },
  async run({ params: { fingerprint }, body, signal }, { ledger, time }) {
    const unknowns = new Unknowns(ledger, { time, signal })
    return {
      json: teachingToJson(await unknowns.preview(await unknowns.find(fingerprint), teachingOf(body))),
    }
  },
})

const give = route({
  method: 'post',
  path: '/v1/unknowns/{fingerprint}/label',
  id: 'labelUnknown',
  summary:
    'Label an unknown failure: parked operations continue as it says, and the next such failure is recognised',
  demand: 'change',
  params: path,
  body: teaching.extend({
    who,
    why: z.string().min(1).max(1000).optional().describe('The reason, for people.'),
    force: z
      .boolean()
      .optional()
      .describe('Give the label even if right classifications become wrong. Default false.'),
  }),
  answers: { 201: { description: 'The label was given', schema: taught } },
  async run({ params: { fingerprint }, body, signal }, { ledger, env, time }) {
    const { who: given = operatorOf(env), why, force, ...said } = body
    const unknowns = new Unknowns(ledger, { time, signal })
    const found = await unknowns.find(fingerprint)
    const { ids, ...shown } = await unknowns.label(found, { ...teachingOf(said), who: given, why, force })
    return { status: 201, json: teachingToJson(shown, ids) }
  },
})

/** Unknown failures, and labelling them. */
export const unknownRoutes: readonly Route[] = [list, get, preview, give]
