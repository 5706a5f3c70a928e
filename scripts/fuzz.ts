// Throws random input at what reads strangers' input: `npm run fuzz`. CASES=1000000 of each; ONLY= names of targets; SEED= to repeat a
// run, with FOUND= only the case of that path. What it found, and the seeds, are in scripts/fuzz-results.md.
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { ConfigError } from '../src/config/error.ts'
import { readConfig } from '../src/config/read.ts'
import { classify } from '../src/failure/classify.ts'
import { redact } from '../src/failure/redact.ts'
import type { Route } from '../src/gateway/http/route.ts'
import { readMessage } from '../src/gateway/mcp/json-rpc.ts'
import { elementsAt, spanOf } from '../src/gateway/mcp/json-text.ts'
import { cleaningUp } from '../src/time/clean-up.ts'

/** What is thrown at a target; undefined if the answer is right, else what is wrong with it. */
interface Target {
  input: fc.Arbitrary<unknown>
  problem: (input: unknown) => Promise<string | undefined> | string | undefined
  close?: () => Promise<void>
}

/** How an object lies: a proxy whose traps throw, or answer differently each time. Kept as data, so that a report can show it. */
interface Lies {
  inner: object
  traps: readonly string[]
  lies: readonly unknown[]
}
const TRAPS = ['get', 'ownKeys', 'has', 'getPrototypeOf', 'getOwnPropertyDescriptor']
const liar: fc.Arbitrary<{ liar: Lies }> = fc.record({
  liar: fc.record({
    inner: fc.object({ maxDepth: 3 }),
    traps: fc.array(fc.constantFrom(...TRAPS), { maxLength: 5 }),
    lies: fc.array(fc.anything({ maxDepth: 1 }), { maxLength: 5 }),
  }),
})

/** Makes the liars in an input. */
function made(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Object.getPrototypeOf(input) !== Object.prototype)
    return input
  if ('liar' in input) {
    const { inner, traps, lies } = input.liar as Lies
    let asked = 0
    const lie = () => {
      asked++
      if (lies.length === 0 || asked % 7 === 0) throw new Error('no')
      return lies[asked % lies.length]
    }
    return new Proxy(inner, Object.fromEntries(traps.map(trap => [trap, lie])))
  }
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, made(value)]))
}

const words = fc.constantFrom(
  '429',
  'rate limit',
  'overloaded',
  'status',
  'error',
  'message',
  'body',
  'headers',
  'stdout',
  'stderr',
  'exitCode',
  'cause',
  'retry-after',
)
const failing = fc.dictionary(words, fc.oneof(fc.anything({ maxDepth: 2 }), words, liar), { maxKeys: 6 })

const PIECES =
  'password token key api_key= : = => " \\" \' [ ] { } ( ) < > / :// @ https:// Bearer Basic Authorization: Cookie: a=b; -u --token -p login value name %3D \\u0070 &quot; kind: Secret data: | >- ghp_ sk-ant- eyJ mlg_ -----BEGIN PRIVATE KEY----- 密码 *** sig= & ? ; ,'.split(
    ' ',
  )
const secretive = fc
  .array(
    fc.oneof(
      fc.constantFrom(...PIECES, '\n', ' ', '\t'),
      fc.string({ maxLength: 12 }),
      fc.stringMatching(/^[A-Za-z0-9_-]{8,60}$/),
    ),
    { maxLength: 14 },
  )
  .map(parts => parts.join(''))

const toml = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '[queue]',
        '[http]',
        '[[provider]]',
        '[redact]',
        '[[workflow]]',
        '[[workflow.step]]',
        '[[capability]]',
        '[policy]',
        '[[signature]]',
      ),
      fc
        .tuple(
          fc.constantFrom(
            'id',
            'name',
            'patterns',
            'data',
            'port',
            'argv',
            'ask',
            'run',
            'after',
            'pattern',
            'class',
            'x',
          ),
          fc.jsonValue({ maxDepth: 2 }),
        )
        .map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
      fc.string({ maxLength: 30 }),
    ),
    { maxLength: 12 },
  )
  .map(lines => lines.join('\n'))

const targets: Record<string, () => Promise<Target> | Target> = {
  classify: () => ({
    input: fc.oneof(
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withNullPrototype: true,
        withObjectString: true,
      }),
      liar,
      failing,
      fc.string(),
    ),
    problem: input => {
      const failure = classify(made(input), { now: 0 })
      if (failure === null) return undefined
      if (/[\n\r]/.test(failure.message)) return 'a message of several lines'
      return redact(JSON.stringify(failure.message)) === JSON.stringify(failure.message)
        ? undefined
        : 'a message that is not redacted'
    },
  }),
  redact: () => ({
    input: secretive,
    problem: input => {
      const once = redact(input as string)
      return redact(once) === once ? undefined : 'redacting twice changes more'
    },
  }),
  config: () => ({
    input: toml,
    problem: input => {
      try {
        readConfig(input as string, undefined)
        return undefined
      } catch (error) {
        return error instanceof ConfigError ? undefined : String(error)
      }
    },
  }),
  'mcp-client': () => ({
    input: fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .jsonValue()
        .map(params =>
          JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params, result: params }),
        ),
    ),
    problem: input => {
      const text = input as string
      const message = readMessage(text)
      if (message.type === 'invalid') return undefined
      const span = spanOf(text, ['result', 'tools'])
      if (span && text[span.start] === '[') elementsAt(text, span.start)
      return undefined
    },
  }),
  http: async () => {
    const { TestApi } = await import('../test/gateway/http/api.ts')
    const api = await TestApi.start()
    const routes = new Map(api.gateway.routes.map(route => [route.id, route]))
    for (const id of ['streamEvents', 'newSignInCode']) routes.delete(id)
    return {
      input: fc.record({
        id: fc.constantFrom(...routes.keys()),
        place: fc.oneof(fc.constantFrom('op_1', 'x', '..', '%00'), fc.string({ minLength: 1, maxLength: 8 })),
        query: fc.dictionary(
          fc.constantFrom('limit', 'after', 'text', 'state', 'id', 'x'),
          fc.string({ maxLength: 8 }),
          { maxKeys: 3 },
        ),
        body: fc.oneof(
          fc.jsonValue({ maxDepth: 3 }),
          fc.dictionary(
            fc.constantFrom(
              'capability',
              'params',
              'filter',
              'code',
              'class',
              'by',
              'ids',
              'signatures',
              'jsonrpc',
              'method',
            ),
            fc.jsonValue({ maxDepth: 2 }),
          ),
        ),
      }),
      problem: async input => {
        const { id, place, query, body } = input as {
          id: string
          place: string
          query: Record<string, string>
          body: unknown
        }
        const route = routes.get(id) as Route
        const path = route.path.replace(/\{\w+\}/g, () => encodeURIComponent(place))
        const { status } = await api.send(`${path}?${new URLSearchParams(query)}`, {
          method: route.method.toUpperCase(),
          ...(route.method === 'get' ? {} : { body }),
        })
        return status >= 500 && status !== 503 ? `${id} answers ${status}` : undefined
      },
      close: () => api.close(),
    }
  },
  'mcp-server': async () => {
    const { TestServer } = await import('../test/mcp-server.ts')
    const server = await TestServer.start()
    const tools = [
      'status',
      'operations',
      'inbox',
      'unknowns',
      'capabilities',
      'workflow',
      'run',
      'operation_action',
    ]
    return {
      input: fc.record({
        tool: fc.constantFrom(...tools),
        given: fc.dictionary(
          fc.constantFrom(
            'action',
            'id',
            'run',
            'step',
            'capability',
            'params',
            'filter',
            'token',
            'limit',
            'mark_read',
            'fingerprint',
            'class',
          ),
          fc.oneof(
            fc.jsonValue({ maxDepth: 2 }),
            fc.constantFrom('list', 'show', 'label', 'retry', 'advance', 'op_1', 'wf_1'),
          ),
          { maxKeys: 4 },
        ),
      }),
      problem: async input => {
        const { tool, given } = input as { tool: string; given: Record<string, unknown> }
        const { text } = await server.call(tool, given)
        return /^internal/.test(text ?? '') ? `${tool}: ${text}` : undefined
      },
      close: () => server.close(),
    }
  },
}

/** The names of the targets. */
export const TARGETS = Object.keys(targets)

/** Tries a target. Throws with the smallest input that goes wrong, and its seed. */
export async function fuzz(
  name: string,
  { cases, seed, path }: { cases: number; seed: number; path?: string | undefined },
): Promise<void> {
  const { input, problem, close } = await (targets[name] as () => Promise<Target> | Target)()
  const property = fc.asyncProperty(input, async given => {
    const found = await problem(given)
    if (found !== undefined) throw new Error(found)
  })
  await cleaningUp(
    () => fc.assert(property, { numRuns: cases, seed, ...(path === undefined ? {} : { path }), verbose: 0 }),
    () => close?.(),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { CASES = '1000000', ONLY = TARGETS.join(','), SEED, FOUND } = process.env
  const cases = Number(CASES)
  for (const name of ONLY.split(',')) {
    const seed = Number(SEED ?? Date.now() % 2 ** 31)
    const began = performance.now()
    try {
      await fuzz(name, { cases, seed, path: FOUND })
      process.stdout.write(
        `| ${name} | ${cases} | ${seed} | nothing | ${Math.round((performance.now() - began) / 1_000)} s |\n`,
      )
    } catch (error) {
      process.exitCode = 1
      process.stdout.write(`| ${name} | ${cases} | ${seed} | ${(error as Error).message.slice(0, 1_000)} |\n`)
    }
  }
}
