import { z } from 'zod'
import { present } from '../../failure/present.ts'
import { delivery, notice } from '../../notice/notice-shape.ts'
import { attempt, event, operation } from '../../queue/operation-shape.ts'
import { failure, verdict } from '../../shape/failure.ts'
import { provider } from '../../shape/provider.ts'
import { object } from '../../shape/value.ts'
import { backtest, label, unknown } from '../../unknown/unknown-shape.ts'
import { filter } from './operation-schemas.ts'
import { type AnswerKind, type Route, route } from './route.ts'
import type { Demand } from './scope.ts'
import { submission } from './submission-schema.ts'

type Json = Record<string, unknown>

/** Schemas with a name in the document. */
const NAMED: Readonly<Record<string, z.ZodType>> = {
  Operation: operation,
  Attempt: attempt,
  Failure: failure,
  Verdict: verdict,
  Provider: provider,
  Event: event,
  Filter: filter,
  Submission: submission,
  Unknown: unknown,
  Label: label,
  Backtest: backtest,
  Notice: notice,
  Delivery: delivery,
  Problem: z.object({
    type: z.string(),
    title: z.string(),
    status: z.number(),
    detail: z.string().describe('What is wrong, and what would be right.'),
    code: z.string().describe('For programs.'),
    mistakes: z.array(z.object({ at: z.string(), message: z.string() })).optional(),
    why: z.string().optional().describe('With the code `may_repeat`: what may happen twice.'),
  }),
}

const PREFIX = '#/components/schemas/'

/** Problems that a route may answer with. */
const PROBLEMS: Readonly<Record<string, string>> = {
  '400': 'The request is invalid',
  '401': 'The token is missing or wrong',
  '403': 'The token may not do this, or the request comes from another host or origin',
  '404': 'Not found',
  '409': 'Not possible in the current state',
  '410': 'No longer available',
  '413': 'The body is too large',
  '415': 'The body is not JSON',
  '422': 'The capability is unknown, or does not take these parameters',
  '429': 'Too many wrong tokens or codes',
  '503': 'The daemon is starting or stopping, or the ledger is busy',
}

/** The OpenAPI 3.1 document of these routes, from the schemas that requests are checked with. */
export function openApiOf(routes: readonly Route[], version: string): Json {
  const schemas = schemasOf(routes)
  const paths: Record<string, Json> = {}
  for (const each of routes) {
    paths[each.path] ??= {}
    ;(paths[each.path] as Json)[each.method] = operationOf(each, schemas)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mulligan',
      version,
      description:
        'Operations, providers, schedules, unknown failures, notices and events of a Mulligan daemon.',
    },
    security: [{ token: [] }, { browser: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(Object.keys(NAMED).map(name => [name, schemas.get(name)])),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'From the data folder: mulligan http token' },
        browser: { type: 'apiKey', in: 'cookie', name: 'mulligan_browser' },
      },
    },
  }
}

/** The route that serves the document. */
export function openApiRoute(document: () => Json): Route {
  return route({
    method: 'get',
    path: '/openapi.json',
    id: 'getOpenApi',
    summary: 'This document',
    demand: 'look',
    answers: { 200: { description: 'OpenAPI 3.1', schema: object } },
    run: () => ({ json: document() }),
  })
}

/** Converts all schemas together, so references use the names. */
function schemasOf(routes: readonly Route[]): Map<string, Json> {
  const registry = z.registry<{ id?: string }>()
  const add = (schema: z.ZodType | undefined, id: string) => {
    if (schema && !registry.has(schema)) registry.add(schema, { id })
  }
  for (const [name, schema] of Object.entries(NAMED)) add(schema, name)
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    unrepresentable: 'any',
    uri: id => `${PREFIX}${id}`,
  })
  const known = new Map(Object.entries(schemas).map(([name, schema]) => [name, cleaned(schema as Json)]))
  // Schemas of single routes are inlined, and refer to the named ones.
  for (const each of routes) {
    for (const [part, schema] of partsOf(each)) {
      const name = Object.entries(NAMED).find(([, named]) => named === schema)?.[0]
      const id = `${each.id}.${part}`
      if (name !== undefined) known.set(id, { $ref: `${PREFIX}${name}` })
      else known.set(id, inline(schema, registry))
    }
  }
  return known
}

function inline(schema: z.ZodType, named: z.core.$ZodRegistry<{ id?: string }>): Json {
  const registry = z.registry<{ id?: string }>()
  for (const each of Object.values(NAMED)) registry.add(each, named.get(each) ?? {})
  registry.add(schema, { id: 'inline' })
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    unrepresentable: 'any',
    uri: id => `${PREFIX}${id}`,
  })
  return cleaned(schemas.inline as Json)
}

function partsOf(each: Route): [string, z.ZodType][] {
  const answers = Object.entries(each.answers as Record<string, AnswerKind>)
  return [
    ...(each.params ? ([['params', each.params]] as [string, z.ZodType][]) : []),
    ...(each.query ? ([['query', each.query]] as [string, z.ZodType][]) : []),
    ...(each.body ? ([['body', each.body]] as [string, z.ZodType][]) : []),
    ...answers.flatMap(([status, { schema }]) => (schema ? [[status, schema] as [string, z.ZodType]] : [])),
  ]
}

function cleaned({ $schema: _, $id: __, id: ___, ...schema }: Json): Json {
  return schema
}

function operationOf(each: Route, schemas: ReadonlyMap<string, Json>): Json {
  const parameters = [
    ...parametersOf('path', schemas.get(`${each.id}.params`)),
    ...parametersOf('query', schemas.get(`${each.id}.query`)),
  ]
  const body = schemas.get(`${each.id}.body`)
  return {
    operationId: each.id,
    summary: each.summary,
    ...(each.demand === 'open' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? { requestBody: { required: !each.bodyOptional, content: { 'application/json': { schema: body } } } }
      : {}),
    responses: { ...answersOf(each, schemas), ...problemsOf(each) },
  }
}

function parametersOf(place: 'path' | 'query', schema: Json | undefined): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...of }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...present({ description }),
    schema: of,
  }))
}

function answersOf(each: Route, schemas: ReadonlyMap<string, Json>): Json {
  return Object.fromEntries(
    Object.entries(each.answers as Record<string, AnswerKind>).map(([status, { description, type }]) => {
      const schema = schemas.get(`${each.id}.${status}`)
      const media = type ?? 'application/json'
      return [status, { description, content: { [media]: schema ? { schema } : {} } }]
    }),
  )
}

/** The problems of a route, which follow from its inputs. */
function problemsOf({ demand, body, params }: { demand: Demand; body?: unknown; params?: unknown }): Json {
  const statuses = [
    '400',
    ...(demand === 'open' && !body ? [] : ['401', '429']),
    '403',
    ...(params ? ['404', '409'] : []),
    ...(body ? ['409', '410', '413', '415', '422'] : []),
    '503',
  ]
  const content = { 'application/problem+json': { schema: { $ref: `${PREFIX}Problem` } } }
  return Object.fromEntries(
    [...new Set(statuses)].map(status => [status, { description: PROBLEMS[status], content }]),
  )
}
