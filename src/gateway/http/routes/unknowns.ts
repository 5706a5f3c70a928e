import { z } from 'zod'
import { operatorOf } from '../../../unknown/operator.ts'
import { detailsToJson, teachingToJson, unknownToJson } from '../../../unknown/unknown-json.ts'
import { Unknowns } from '../../../unknown/unknowns.ts'
import { type Route, route } from '../route.ts'
import { backtest, label, teaching, teachingOf, unknown, who } from '../unknown-schemas.ts'
import { name } from '../value-schemas.ts'

const path = z.strictObject({
  fingerprint: z.string().min(1).max(100).describe('In full, or enough of its beginning.'),
})

const taught = z.object({
  fingerprint: z.string(),
  given: z.boolean(),
  labels: z.array(z.string()).optional().describe('Ids of the labels, once it is given.'),
  signature: z.string().nullable().describe('The pattern that it brings along.'),
  parked: z.number().describe('Operations that are judged again.'),
  backtest,
})

const list = route({
  method: 'get',
  path: '/v1/unknowns',
  id: 'listUnknowns',
  summary: 'Failures that no rule and no label knows, the one first seen last first, a page at a time',
  demand: 'look',
  query: z.strictObject({
    all: z.boolean().optional().describe('Labelled ones too. Default only those without a label.'),
    provider: name.optional().describe('Of this provider.'),
    limit: z.int().min(1).max(1000).optional().describe('Page size. Default 50.'),
    cursor: z.string().max(500).optional().describe('`next` of the page before.'),
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
      { ...(all ? {} : { labelled: false }), ...(provider === undefined ? {} : { provider }) },
      { ...(limit === undefined ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) },
    )
    const next = page.next === undefined ? {} : { next: page.next }
    return { json: { unknowns: page.items.map(unknownToJson), ...next } }
  },
})

const get = route({
  method: 'get',
  path: '/v1/unknowns/{fingerprint}',
  id: 'getUnknown',
  summary: 'Samples, what waits for a label, the proposed signature, labels of similar failures',
  demand: 'look',
  params: path,
  answers: {
    200: {
      description: 'Everything about the fingerprint',
      schema: z.object({
        fingerprint: z.string(),
        unknowns: z.array(unknown).describe('One for each provider that it came from.'),
        labels: z.array(label),
        parked: z.number().describe('Operations that wait for a label.'),
        proposed_signature: z.string().nullable(),
        no_signature_because: z.string().nullable(),
        suggestions: z.array(z.object({ similarity: z.number(), label })),
      }),
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
  summary: 'What a label would do: its signature, its backtest, what moves. Nothing is changed',
  demand: 'look',
  params: path,
  body: teaching,
  answers: { 200: { description: 'What would happen', schema: taught } },
  async run({ params: { fingerprint }, body }, { ledger }) {
    const unknowns = new Unknowns(ledger)
    return {
      json: teachingToJson(await unknowns.preview(await unknowns.find(fingerprint), teachingOf(body))),
    }
  },
})

const give = route({
  method: 'post',
  path: '/v1/unknowns/{fingerprint}/label',
  id: 'labelUnknown',
  summary: 'Say what it is: what is parked on it moves, and the next such failure is recognised',
  demand: 'change',
  params: path,
  body: teaching.extend({
    who,
    why: z.string().min(1).max(1000).optional().describe('Why, for people.'),
    force: z.boolean().optional().describe('Although right classifications become wrong. Default false.'),
  }),
  answers: { 201: { description: 'The label was given', schema: taught } },
  async run({ params: { fingerprint }, body }, { ledger, env }) {
    const { who: given = operatorOf(env), why, force, ...said } = body
    const unknowns = new Unknowns(ledger)
    const found = await unknowns.find(fingerprint)
    const { ids, ...shown } = await unknowns.label(found, { ...teachingOf(said), who: given, why, force })
    return { status: 201, json: teachingToJson(shown, ids) }
  },
})

/** Failures that nobody knows, and saying what they are. */
export const unknownRoutes: readonly Route[] = [list, get, preview, give]
