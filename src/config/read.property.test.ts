import fc from 'fast-check'
import { stringify } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { formatDuration } from '../time/duration.ts'
import { ConfigError, type Problem } from './error.ts'
import { readConfig } from './read.ts'
import { isReference } from './reference.ts'
import { fileSchema } from './schema/config.ts'
import { type Node, nodeAt, nodeOf } from './schema/node.ts'
import { type Path, pathText } from './toml/position.ts'

const name = fc.stringMatching(/^[a-z][a-z0-9._/-]{0,8}$/)
const duration = fc.integer({ min: 60_000, max: 10 ** 9 }).map(formatDuration)
const whole = fc.integer({ min: 1, max: 1_000 })
const text = fc.oneof(
  fc.stringMatching(/^[ -~]{1,12}$/).filter(value => !value.startsWith('env:')),
  fc.constant('env:SOME_NAME'),
)
const optional = <T extends Record<string, fc.Arbitrary<unknown>>>(model: T, ...required: (keyof T)[]) =>
  fc.record(model, { requiredKeys: required, noNullPrototype: true } as never) as fc.Arbitrary<
    Record<string, unknown>
  >

const provider = optional(
  {
    id: name,
    cli: fc.constantFrom('claude', 'codex', 'opencode'),
    quota: name,
    models: fc.array(optional({ id: name, context_window: whole }, 'id'), { maxLength: 2 }),
    credential: fc.constantFrom('env:KEY', 'file:~/login'),
    command: text,
    args: fc.array(text, { maxLength: 2 }),
    env: fc.dictionary(fc.stringMatching(/^[A-Z_ é.]{1,5}$/), text, { maxKeys: 2, noNullPrototype: true }),
    pinned: fc.dictionary(name, fc.oneof(whole, fc.boolean(), text), { maxKeys: 2, noNullPrototype: true }),
    error_signatures: optional({
      throttle: fc.array(name, { maxLength: 2 }),
      flake: fc.array(name, { maxLength: 2 }),
    }),
    caps: fc.uniqueArray(
      optional({ per: fc.constantFrom('hour', 'day', '5h', '7d'), usd: whole, tokens: whole }, 'per', 'usd'),
      {
        selector: cap => cap.per,
        maxLength: 3,
      },
    ),
    time_zone: fc.constantFrom('UTC', 'Europe/Berlin'),
    breaker: optional({
      consecutive: whole,
      rate: fc.constantFrom(0.25, 1),
      window: duration,
      cooldown: duration,
      successes: whole,
    }),
    concurrency: whole,
    probe: optional(
      { argv: fc.array(text, { minLength: 1, maxLength: 2 }), timeout: duration, every: duration },
      'argv',
    ),
  },
  'id',
)

const CRONS = ['0 3 * * *', '*/5 * * * * *', '@daily'] as const

/** Schedules of a config's capabilities, with the parameters they declare. */
const scheduled = (written: Record<string, unknown>) => {
  const capabilities = (written.capability ?? []) as { name: string; params?: Record<string, unknown> }[]
  if (capabilities.length === 0) return fc.constant(written)
  const schedule = fc.constantFrom(...capabilities).chain(({ name: capability, params = {} }) =>
    optional(
      {
        name,
        capability: fc.constant(capability),
        cron: fc.constantFrom(...CRONS),
        time_zone: fc.constantFrom('UTC', 'Europe/Berlin'),
        params: fc.record(Object.fromEntries(Object.keys(params).map(param => [param, text])), {
          noNullPrototype: true,
        }),
        missed: fc.constantFrom('skip', 'once'),
        overlap: fc.constantFrom('allow', 'skip'),
        priority: fc.integer({ min: -10, max: 10 }),
        enabled: fc.boolean(),
      },
      'name',
      'capability',
      'cron',
      'params',
    ),
  )
  return fc
    .uniqueArray(schedule, { selector: ({ name: own }) => own, maxLength: 2 })
    .map(schedules => ({ ...written, schedule: schedules }))
}

const config = fc
  .uniqueArray(provider, { selector: ({ id }) => id, minLength: 1, maxLength: 4 })
  .chain(providers =>
    optional(
      {
        provider: fc.constant(providers),
        pool: fc.uniqueArray(
          fc.record(
            {
              id: name,
              providers: fc.subarray(
                providers.map(({ id }) => id),
                { minLength: 1 },
              ),
            },
            { noNullPrototype: true },
          ),
          { selector: ({ id }) => id, maxLength: 2 },
        ),
        policy: optional({
          preset: fc.constantFrom('default', 'oban_snooze', 'work_buddy'),
          max_retries: whole,
          min_retry_budget: duration,
          override: fc.uniqueArray(
            optional(
              {
                kind: fc.constantFrom('stall', 'dns', 'lock'),
                max_retries: whole,
                backoff: fc.constant('full_jitter'),
              },
              'kind',
              'max_retries',
            ),
            { selector: ({ kind }) => kind, maxLength: 2 },
          ),
        }),
        budget: optional({ day_usd: whole, month_usd: whole }),
        queue: optional({
          enabled: fc.boolean(),
          data: text,
          retry_for: duration,
          prune: optional({ dead: duration }),
          modules: fc.array(name, { maxLength: 2 }),
        }),
        capability: fc.uniqueArray(
          optional(
            {
              name,
              argv: fc.array(text, { minLength: 1, maxLength: 2 }),
              timeout: duration,
              priority: fc.integer({ min: -10, max: 10 }),
              params: fc.dictionary(name, optional({ required: fc.boolean() }), {
                maxKeys: 2,
                noNullPrototype: true,
              }),
            },
            'name',
            'argv',
          ),
          { selector: capability => capability.name, maxLength: 2 },
        ),
      },
      'provider',
    ),
  )
  .chain(scheduled)

/** Every value inside another, with its path; empty lists and tables count as values. */
function* leavesOf(value: unknown, path: Path = []): Generator<{ path: Path; value: unknown }> {
  const inner = typeof value !== 'object' || value === null || isReference(value) ? [] : Object.entries(value)
  if (inner.length === 0) yield { path, value }
  for (const [key, item] of inner) yield* leavesOf(item, [...path, Array.isArray(value) ? Number(key) : key])
}

/** Paths of all written keys that the schema defines. */
function* fixedKeysOf(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== 'object' || value === null) return
  const isTable = nodeAt(nodeOf(fileSchema), path)?.kind === 'table'
  for (const [key, item] of Object.entries(value)) {
    const here = [...path, Array.isArray(value) ? Number(key) : key]
    if (isTable) yield here
    yield* fixedKeysOf(item, here)
  }
}

/** A copy in which the key at a path has another name or value. */
function changed(
  value: unknown,
  path: Path,
  change: (key: string, value: unknown) => [string, unknown],
): unknown {
  const [step, ...rest] = path
  if (Array.isArray(value))
    return value.map((item, index) => (index === step ? changed(item, rest, change) : item))
  return Object.fromEntries(
    Object.entries(value as object).map(([key, item]) =>
      key !== step ? [key, item] : rest.length === 0 ? change(key, item) : [key, changed(item, rest, change)],
    ),
  )
}

function problemsOf(text: string): readonly Problem[] {
  try {
    readConfig(text, 'mulligan.toml')
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

const lineOf = (text: string, part: string) => text.slice(0, text.indexOf(part)).split('\n').length

describe('any valid config', () => {
  it('is read, and every value has an origin', () => {
    fc.assert(
      fc.property(config, written => {
        const toml = stringify(written)
        const lines = toml.split('\n')
        const loaded = readConfig(toml, 'mulligan.toml')
        for (const { path } of leavesOf(loaded.config)) {
          expect(loaded.originOf(pathText(path)), `origin of ${pathText(path)}`).toBeDefined()
        }
        for (const { path, origin } of loaded.values) {
          const key = path.at(-1)
          if (origin.from !== 'file' || typeof key !== 'string' || !/^[\w-]+$/.test(key)) continue
          expect(lines[origin.line - 1]?.slice(origin.column - 1)).toContain(key)
        }
        const fromFile = loaded.values
          .filter(({ origin }) => origin.from === 'file')
          .map(({ path }) => pathText(path))
        expect(fromFile.sort()).toEqual(writtenLeaves(written).sort())
      }),
    )
  })
})

/** An empty table is written as only its header, so its keys have their defaults. */
function writtenLeaves(written: unknown): string[] {
  return [...leavesOf(written)]
    .filter(({ path, value }) => !(isEmptyTable(value) && nodeAt(nodeOf(fileSchema), path)?.kind === 'table'))
    .map(({ path }) => pathText(path))
}

function isEmptyTable(value: unknown): boolean {
  return typeof value === 'object' && !Array.isArray(value)
}

describe('a mistake anywhere', () => {
  it('in a key is found on its line, with the nearest right name', () => {
    const cases = config.chain(written => {
      const keys = [...fixedKeysOf(written)].filter(path => misspelt(path) !== undefined)
      return fc.record({
        written: fc.constant(written),
        path: keys.length > 0 ? fc.constantFrom(...keys) : fc.constant(undefined),
      })
    })
    fc.assert(
      fc.property(cases, ({ written, path }) => {
        fc.pre(path !== undefined)
        const wrong = misspelt(path) as string
        const toml = stringify(changed(written, path, (_key, value) => [wrong, value]))
        const found = problemsOf(toml).find(({ message }) => message.includes(`"${wrong}"`))
        expect(found?.message).toContain(`did you mean "${path.at(-1)}"?`)
        expect(toml.split('\n')[(found?.line ?? 0) - 1]).toContain(wrong)
        expect(found?.line).toBe(lineOf(toml, wrong))
      }),
    )
  })

  it('in a value is found on its line, for any key', () => {
    const cases = config.chain(written =>
      fc.record({ written: fc.constant(written), path: fc.constantFrom(...fixedKeysOf(written)) }),
    )
    fc.assert(
      fc.property(cases, ({ written, path }) => {
        const toml = stringify(changed(written, path, key => [key, [[[987_654_321]]]]))
        const found = problemsOf(toml).filter(({ line }) => line === lineOf(toml, '987654321'))
        expect(found.map(({ path: at }) => at)).toContainEqual(expect.stringContaining(String(path.at(-1))))
      }),
    )
  })
})

describe('for any contents of a file', () => {
  it('it is read, or its mistakes are reported with their lines; nothing else is thrown', () => {
    const keys = fc.oneof(fc.constantFrom(...allKeys(nodeOf(fileSchema))), fc.string({ maxLength: 4 }))
    const scalar = fc.oneof(
      fc.constantFrom('a', 'env:X', '10m', 'claude', 'day', 'verify_first', '(', ''),
      fc.integer({ min: -5, max: 5 }),
      fc.double({ noDefaultInfinity: true, noNaN: true }),
      fc.boolean(),
      fc.constant(new Date(0)),
    )
    const { value } = fc.letrec<{ value: unknown }>(tie => ({
      value: fc.oneof(
        { maxDepth: 4 },
        scalar,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(keys, tie('value'), { maxKeys: 5, noNullPrototype: true }),
      ),
    }))
    const tables = fc.dictionary(
      fc.constantFrom(
        'provider',
        'providers',
        'pool',
        'policy',
        'council',
        'queue',
        'capability',
        'schedule',
      ),
      value,
      { noNullPrototype: true },
    )
    fc.assert(
      fc.property(tables, document => {
        const problems = problemsOf(stringify(document))
        for (const { line, column, message } of problems) {
          expect(line).toBeGreaterThan(0)
          expect(column).toBeGreaterThan(0)
          expect(message).not.toMatch(/undefined|\[object|Invalid input/)
        }
      }),
    )
  })

  it('even if it is not TOML at all', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[[\]{}=."'#a\n \\,-]{0,30}$/)), text => {
        for (const problem of problemsOf(text)) expect(problem.line).toBeGreaterThan(0)
      }),
    )
  })
})

function allKeys(node: Node): string[] {
  if (node.kind === 'value') return []
  if (node.kind !== 'table') return allKeys(node.item)
  return [...node.fields.values()].flatMap(field => [field.key, ...allKeys(field.node)])
}

/** The key with two neighbours swapped; undefined if it is too short to be recognised. */
function misspelt(path: Path): string | undefined {
  const key = String(path.at(-1))
  const at = [...key].findIndex(
    (letter, index) => index > 0 && key[index + 1] !== undefined && key[index + 1] !== letter,
  )
  if (key.length < 5 || at < 0) return undefined
  return `${key.slice(0, at)}${key[at + 1]}${key[at]}${key.slice(at + 2)}`
}
