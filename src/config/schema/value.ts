import { z } from 'zod'
import { quote } from '../../failure/quote.ts'
import { nearest } from '../../option/nearest.ts'
import { DURATION_EXAMPLES, parseDuration } from '../../time/duration.ts'
import { CRON_FORM, CRON_SHAPE, cronProblem } from '../cron.ts'
import { EnvReference, FileReference, type Text } from '../reference.ts'

const WORDS = new WeakMap<z.core.$ZodType, string>()
const DURATIONS = new WeakSet<z.core.$ZodType>()

/** The name of a value type in the documentation, such as `duration`. */
export function wordsOf(schema: z.core.$ZodType): string | undefined {
  return WORDS.get(schema)
}

/** Whether a schema reads a duration, even inside wrappers. */
export function isDuration(schema: z.core.$ZodType): boolean {
  if (DURATIONS.has(schema)) return true
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType }
  return innerType !== undefined && isDuration(innerType)
}

/** The error of a schema: what would be right, and what was given instead. */
export function must(right: string): { error: (issue: { input?: unknown }) => string } {
  return {
    error: ({ input }) =>
      input === undefined ? `is missing; it must be ${right}` : `must be ${right}, not ${quote(input)}`,
  }
}

/** The same, for a value that may be a secret in the wrong place: it is not repeated. */
function mustSecretly(right: string): { error: (issue: { input?: unknown }) => string } {
  return { error: ({ input }) => `${input === undefined ? 'is missing; it ' : ''}must be ${right}` }
}

function value<S extends z.ZodType>(schema: S, description: string, words: string): S {
  const described = schema.describe(description)
  WORDS.set(described, words)
  return described
}

/** A name that others refer to: no spaces, no control characters. */
export function name(description: string) {
  const right = 'a name without spaces, such as "claude-work"'
  return value(z.string(must(right)).regex(/^[^\s\x00-\x1f\x7f"']{1,200}$/, must(right)), description, 'name')
}

/** A string that may also be given as "env:NAME". */
export function text(description: string, right = 'a string, or "env:NAME"') {
  const schema = z
    .string(must(right))
    .min(1, must(right))
    .regex(/^(?!env:)|^env:[A-Za-z_]\w*$/, {
      error: 'must name a variable after "env:", such as "env:API_KEY"',
    })
    .transform((written): Text => (written.startsWith('env:') ? new EnvReference(written.slice(4)) : written))
  return value(schema, description, 'string or `env:NAME`')
}

/** A string used as it is: a pattern, a path. */
export function plainText(description: string, right = 'a string') {
  return value(z.string(must(right)).min(1, must(right)), description, 'string')
}

/** The fingerprint of a failure. */
export function fingerprint(description: string) {
  const right = 'a fingerprint such as "fp2:0123456789abcdef"'
  return value(z.string(must(right)).regex(/^fp\d:[0-9a-f]{16}$/, must(right)), description, 'fingerprint')
}

/** A secret, which is never written into the config itself. */
export function secret(description: string) {
  const right = '"env:NAME" or "file:PATH"; never put the secret itself in the config'
  const schema = z
    .string(mustSecretly(right))
    .regex(/^env:[A-Za-z_]\w*$|^file:[^\x00-\x1f\x7f]+$/, mustSecretly(right))
    .transform(written =>
      written.startsWith('env:') ? new EnvReference(written.slice(4)) : new FileReference(written.slice(5)),
    )
  return value(schema, description, 'reference')
}

/** For editors, which cannot call {@link durationMs}, and whose patterns have no flags. */
const DURATION_PATTERN = /^\s*(?:\d+(?:\.\d+)?(?:[mM][sS]|[mM][iI][nN]|[smhdwSMHDW])\s*)+$/

/** A duration in whole milliseconds; undefined if it is invalid or too large. */
function durationMs(written: string): number | undefined {
  const ms = Math.round(parseDuration(written) ?? Number.NaN)
  return Number.isSafeInteger(ms) ? ms : undefined
}

/** A duration such as "10m", in milliseconds. */
export function duration(description: string, { least = '1ms' }: { least?: string } = {}) {
  const leastMs = durationMs(least) as number
  const right = `a duration such as ${DURATION_EXAMPLES}${leastMs > 1 ? `, at least ${least}` : ''}`
  const schema = z
    .string(must(right))
    .regex(DURATION_PATTERN, must(right))
    .refine(written => (durationMs(written) ?? -1) >= leastMs, must(right))
    .transform(written => durationMs(written) as Ms)
  const described = value(schema, description, 'duration')
  DURATIONS.add(described)
  return described
}

/** The window of a cap: `hour`, `day` and `month` follow the clock, a duration in milliseconds rolls. */
export function capWindow(description: string) {
  const right = '"hour", "day", "month", or a duration such as "5h" or "7d"'
  const clock = (written: string) => (['hour', 'day', 'month'] as const).find(name => name === written)
  const schema = z
    .string(must(right))
    .refine(written => clock(written) !== undefined || (durationMs(written) ?? 0) >= 60_000, must(right))
    .transform(written => clock(written) ?? (durationMs(written) as number))
  return value(schema, description, '`"hour"`, `"day"`, `"month"` or duration')
}

/** A whole number within bounds. */
export function whole(description: string, { least = 1, most }: { least?: number; most?: number } = {}) {
  const right = `a whole number, ${most === undefined ? `${least} or more` : `${least} to ${most}`}`
  const schema = z.int(must(right)).min(least, must(right))
  return value(most === undefined ? schema : schema.max(most, must(right)), description, 'whole number')
}

/** An amount above 0. */
export function amount(description: string, of: string) {
  const right = `a number of ${of} above 0`
  return value(z.number(must(right)).gt(0, must(right)), description, 'number')
}

/** A share above 0, at most 1. */
export function share(description: string) {
  const right = 'a number above 0, at most 1'
  return value(z.number(must(right)).gt(0, must(right)).lte(1, must(right)), description, 'number')
}

/** true or false. */
export function flag(description: string) {
  return value(z.boolean(must('true or false')), description, 'true or false')
}

type SnakeCase<S extends string> = S extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}`
  : S

/** If there are more names than this, a message suggests only the nearest. */
const MOST_NAMED = 12

/** One of several names, written in snake_case. */
export function choice<const N extends string>(
  names: readonly N[],
  description: string,
): z.ZodPipe<z.ZodEnum<Readonly<Record<SnakeCase<N>, SnakeCase<N>>>>, z.ZodTransform<N, SnakeCase<N>>> {
  const byWritten = new Map(names.map(name => [snakeCase(name), name]))
  const written = [...byWritten.keys()] as [SnakeCase<N>, ...SnakeCase<N>[]]
  const type = `one of ${written.map(name => `"${name}"`).join(', ')}`
  const error = (issue: { input?: unknown }) => {
    const guess = typeof issue.input === 'string' ? nearest(issue.input, written) : undefined
    const right = guess !== undefined && written.length > MOST_NAMED ? 'a known name' : type
    return `${must(right).error(issue)}${guess === undefined ? '' : `; did you mean "${guess}"?`}`
  }
  const schema = z.enum(written, { error }).transform(name => byWritten.get(name as SnakeCase<N>) as N)
  // Its inferred type cannot be written into a declaration file.
  return value(schema, description, type) as never
}

function snakeCase<N extends string>(name: N): SnakeCase<N> {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`) as SnakeCase<N>
}

/** The value of an agent CLI option. The CLI's driver knows which options exist and what each takes. */
export function agentOption() {
  const right = 'a string, a number, true or false, or a list of strings'
  const schema = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())], must(right))
  return value(schema, 'The value of an option.', 'string, number, true or false, or list of strings')
}

/** A time zone by its name. */
export function timeZone(description: string) {
  const right = 'a time zone such as "UTC" or "Europe/Berlin"'
  return value(z.string(must(right)).refine(isTimeZone, must(right)), description, 'time zone')
}

/** Zones known to be valid: asking the system about one costs more than all other checks of a config. */
const ZONES = new Set<string>(['UTC'])

function isTimeZone(name: string): boolean {
  if (ZONES.has(name)) return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    ZONES.add(name)
    return true
  } catch {
    return false
  }
}

/** The times of a schedule, as a cron expression. */
export function cron(description: string) {
  const { error } = must(CRON_FORM)
  const schema = z
    .string({ error })
    .regex(CRON_SHAPE, { error, abort: true })
    .refine(written => cronProblem(written) === undefined, {
      error: issue => `${error(issue)}: ${cronProblem(String(issue.input))}`,
    })
  return value(schema, description, 'cron expression')
}

/** Any JSON value; a date becomes its text. */
export function json(description: string) {
  const right = 'a string, a finite number, true or false, or a list or table of these'
  const schema = z
    .unknown()
    .refine(isJson, must(right))
    .transform(written => JSON.parse(JSON.stringify(written)) as Json)
  return value(schema, description, 'any value')
}

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

function isJson(written: unknown): boolean {
  if (typeof written === 'number') return Number.isFinite(written)
  if (written === undefined || written === null || typeof written === 'bigint') return false
  return typeof written !== 'object' || Object.values(written).every(isJson)
}

/** A list of values. */
export function list<S extends z.ZodType>(
  item: S,
  description: string,
  { least = 0 }: { least?: number } = {},
) {
  const schema = z.array(item, must('a list, written as [ … ]'))
  const enough = { error: `must have at least ${least === 1 ? 'one value' : `${least} values`}` }
  return (least > 0 ? schema.min(least, enough) : schema).describe(description)
}

/** A list of tables, written as `[[title]]`. */
export function tables<S extends z.ZodType>(item: S, title: string, description: string, { least = 0 } = {}) {
  const right = `${least > 0 ? `at least ${least} tables` : 'an array of tables'}, each written as [[${title}]]`
  const error = {
    error: ({ code }: { code?: string }) =>
      code === 'too_small' ? `must have ${right}` : `must be ${right}`,
  }
  const schema = z.array(item, error)
  return (least > 0 ? schema.min(least, error) : schema).describe(description)
}

/** Values under user-defined names. */
export function map<S extends z.ZodType>(item: S, description: string) {
  return z.record(z.string(), item, { error: 'must be a table of names and values' }).describe(description)
}

/** Milliseconds that were written as a duration; their key gets the suffix `Ms`. */
export type Ms = number & { readonly [MS]: true }

export declare const MS: unique symbol
