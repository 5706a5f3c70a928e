import { Validator } from '@seriousme/openapi-schema-validator'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { codePoint } from '../../../test/code-point.ts'
import { type Sent, TestApi } from '../../../test/gateway/http/api.ts'
import { promptCapabilities } from '../../capability/prompt-capability.ts'
import { scriptedCapability } from '../../testing/scripted.ts'

type Json = Record<string, unknown>

interface Described {
  method: string
  path: string
  parameters: { name: string; in: string; required: boolean; schema: Json }[]
  body?: Json
}

/** Something of each kind that a path can name. */
const TOML = `
[queue]
modules = ["./work.ts"]

[[provider]]
id = "work"
cli = "claude"

[[schedule]]
name = "nightly"
capability = "fine"
cron = "0 3 * * *"

[[workflow]]
name = "flow"

[[workflow.step]]
id = "first"
run = "fine"

[[workflow.step]]
id = "second"
ask = "Go on?"

[[group]]
name = "team"
prompts = ["a", "b"]
`

let api: TestApi
let document: Json
beforeAll(async () => {
  api = await TestApi.start({
    toml: TOML,
    capabilities: [scriptedCapability({ name: 'fine' }).capability, ...promptCapabilities(async () => ({}))],
  })
  for (let n = 0; n < 5; n += 1) await api.queue.submit('fine')
  await api.post('/v1/workflows/flow/runs', { key: 'known' })
  await api.post('/v1/groups/team/runs')
  document = await api.get('/openapi.json')
})
afterAll(() => api.close())

it('is a valid OpenAPI 3.1 document that names every route', async () => {
  const result = await new Validator().validate(structuredClone(document))
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
  const described = Object.entries(document.paths as Record<string, Json>).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method} ${path}`),
  )
  expect(described.sort()).toEqual(api.gateway.routes.map(({ method, path }) => `${method} ${path}`).sort())
  const ids = api.gateway.routes.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

it('refers only to schemas that it has', () => {
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref as string)
  const names = Object.keys((document.components as Record<string, Json>).schemas as Json)
  expect(new Set(refs)).toEqual(
    new Set(
      names
        .filter(name => refs.includes(`#/components/schemas/${name}`))
        .map(name => `#/components/schemas/${name}`),
    ),
  )
  expect(refs.length).toBeGreaterThan(20)
})

it('survives any request that fits the document, and many that do not', async () => {
  const numRuns = Number(process.env.HTTP_REQUESTS ?? 150)
  const statuses = new Map<number, number>()
  let cut = 0
  /** A refused body that does not arrive within half a second closes the connection; clients then send it again. */
  const send = async (path: string, sent: Sent) =>
    api.send(path, sent).catch(error => {
      if ((error as { cause?: { code?: string } }).cause?.code !== 'ECONNRESET') throw error
      cut += 1
      return api.send(path, sent)
    })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...described()).chain(requestOf), async ({ method, path, body }) => {
      const { status } = await send(path, {
        method: method.toUpperCase(),
        ...(body === undefined ? {} : { body: JSON.stringify(body) ?? 'null' }),
      })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      const { error } = api.answered.at(-1) ?? {}
      expect({ status, error }).toEqual({
        status: expect.toSatisfy((each: number) => each < 500),
        error: undefined,
      })
    }),
    { numRuns },
  )
  expect(cut).toBeLessThanOrEqual(Math.max(1, numRuns / 1_000))
  // Some of the requests are valid.
  expect(statuses.get(200)).toBeGreaterThan(numRuns / 20)
}, 600_000)

function described(): Described[] {
  return Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
    // Skipped: a stream never ends, and wrong codes are answered ever later.
    Object.entries(path.endsWith('/stream') || path.endsWith('/sign_in') ? {} : methods).map(
      ([method, { parameters = [], requestBody }]) => {
        const body = (requestBody as { content: Record<string, { schema: Json }> } | undefined)?.content[
          'application/json'
        ]?.schema
        return { method, path, parameters: parameters as Described['parameters'], ...(body ? { body } : {}) }
      },
    ),
  )
}

/** A request as the document describes it, sometimes with a wrong value somewhere. */
function requestOf({ method, path, parameters, body }: Described) {
  const inPath = parameters.filter(each => each.in === 'path')
  const inQuery = parameters.filter(each => each.in === 'query' && each.name !== 'wait_ms')
  return fc
    .record({
      path: fc.tuple(...inPath.map(({ name }) => known(name))),
      query: fc.tuple(
        ...inQuery.map(({ schema }) => fc.option(exampleOf(schema), { freq: 3, nil: undefined })),
      ),
      body: body ? exampleOf(body) : fc.constant(undefined),
    })
    .map(made => {
      let filled = path
      inPath.forEach(({ name }, index) => {
        filled = filled.replace(`{${name}}`, encodeURIComponent(String(made.path[index])))
      })
      const search = new URLSearchParams()
      inQuery.forEach(({ name }, index) => {
        const value = made.query[index]
        for (const each of Array.isArray(value) ? value : [value])
          if (each !== undefined)
            search.append(name, typeof each === 'object' ? JSON.stringify(each) : String(each))
      })
      return { method, path: `${filled}?${search}`, body: made.body }
    })
}

const text = () =>
  fc.oneof(fc.string(), fc.string({ unit: codePoint }), fc.constantFrom('fine', 'work', 'op_1'))
const known = (name: string) =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        ...(name === 'id'
          ? ['op_1', 'op_4', 'work', 'claude', 'label_1', 'wf_1', 'wf_2']
          : ['x', 'fp1:', 'hook', 'nightly', 'flow', 'team', 'first', 'second']),
      ),
    },
    {
      weight: 1,
      arbitrary: text().filter(each => each !== '' && each !== '.' && each !== '..' && each.isWellFormed()),
    },
  )

/** A value that fits a JSON Schema or, rarely, any other value. */
function exampleOf(schema: Json, depth = 0): fc.Arbitrary<unknown> {
  const anything = fc.jsonValue({ maxDepth: 2 })
  return fc.oneof({ weight: 15, arbitrary: fitting(schema, depth) }, { weight: 1, arbitrary: anything })
}

function fitting(schema: Json, depth: number): fc.Arbitrary<unknown> {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) as string
    const named = (document.components as { schemas: Record<string, Json> }).schemas
    return fitting(named[name] as Json, depth)
  }
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'string':
      return schema.format === 'date-time'
        ? fc
            .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') })
            .map(date => date.toISOString())
        : text()
    case 'integer':
    case 'number': {
      const { minimum = -1000, maximum = 1000 } = schema as { minimum?: number; maximum?: number }
      return fc.integer({ min: Math.max(minimum, -(2 ** 31)), max: Math.min(maximum, 2 ** 31 - 1) })
    }
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(exampleOf((schema.items ?? {}) as Json, depth + 1), { minLength: 1, maxLength: 3 })
    case 'object': {
      const properties = schema.properties as Record<string, Json> | undefined
      if (!properties || depth > 4)
        return fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
      const required = (schema.required as string[] | undefined) ?? []
      const inner = Object.entries(properties).map(([name, of]) => [name, exampleOf(of, depth + 1)] as const)
      return fc.record(Object.fromEntries(inner), { requiredKeys: required })
    }
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}
