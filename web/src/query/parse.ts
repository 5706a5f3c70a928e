import { nearest } from '../../../src/option/nearest.ts'
import { QUALIFIERS, type Qualifier } from './qualifiers.ts'

/** One word of a query, and its position. */
export interface Token {
  /** As typed. */
  text: string
  from: number
  to: number
  /** Undefined for plain search words. */
  name?: string
  /** Without quotes. */
  value: string
}

/** A parsed query. */
export interface Query {
  /** Names of the API with their values. */
  filter: Readonly<Record<string, string | readonly string[]>>
  /** Mistakes in the query, for people. A query with mistakes is not sent. */
  problems: readonly string[]
}

const TOKEN = /(?:([a-z][a-z_-]*):)?(?:"([^"]*)("?)|(\S*))/gy
const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** The words of a query. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < text.length; ) {
    if (/\s/.test(text[at] as string)) {
      at += 1
      continue
    }
    TOKEN.lastIndex = at
    const [found = '', name, quoted, , plain = ''] = TOKEN.exec(text) ?? []
    const to = at + Math.max(1, found.length)
    tokens.push({ text: text.slice(at, to), from: at, to, value: quoted ?? plain, ...(name ? { name } : {}) })
    at = to
  }
  return tokens
}

/** Parses a query such as `state:dead class:throttle provider:codex "timed out" since:2h`. */
export function parseQuery(text: string, now: number): Query {
  const filter: Record<string, string | string[]> = {}
  const problems: string[] = []
  const words: string[] = []
  for (const { name, value } of tokensOf(text)) {
    if (name === undefined) {
      if (value !== '') words.push(value)
      continue
    }
    const qualifier = QUALIFIERS.find(known => known.name === name.replaceAll('_', '-'))
    if (!qualifier) {
      const guess = nearest(
        name,
        QUALIFIERS.map(known => known.name),
      )
      problems.push(
        `${name}: is unknown${guess ? `; did you mean ${guess}:?` : '.'} To search for these words, put them in quotes.`,
      )
    } else if (value === '') problems.push(`${name}: needs a value`)
    else problems.push(...take(filter, qualifier, value, now))
  }
  if (words.length > 0) filter.text = words.join(' ')
  return { filter, problems }
}

function take(
  filter: Record<string, string | string[]>,
  { name, param, values, isList, isTime }: Qualifier,
  value: string,
  now: number,
): string[] {
  if (isTime) {
    const at = timeOf(value, now)
    if (at === undefined)
      return [`${name}: takes how long ago, such as 2h, or a time such as 2026-11-15T20:00, not ${value}`]
    filter[param] = new Date(at).toISOString()
    return []
  }
  if (values && !values.includes(value)) {
    const guess = nearest(value, values)
    return [
      `${name}: ${value} is unknown; ${guess ? `did you mean ${guess}?` : `one of ${values.join(', ')}`}`,
    ]
  }
  if (isList) filter[param] = [...((filter[param] as string[] | undefined) ?? []), value]
  else if (filter[param] !== undefined) return [`${name}: can be given once`]
  else filter[param] = value
  return []
}

/** How long ago, or a time; without a zone, in the viewer's time zone. */
function timeOf(value: string, now: number): number | undefined {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)([a-z]+)$/.exec(value) ?? []
  if (count !== undefined) {
    const ms = UNITS[unit]
    return ms === undefined ? undefined : now - Number(count) * ms
  }
  const at = /^\d{4}-\d{2}-\d{2}/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isFinite(at) ? at : undefined
}

/** A filter as the query string of the API. */
export function searchOf(filter: Query['filter']): URLSearchParams {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(filter))
    for (const each of Array.isArray(value) ? value : [value as string]) search.append(name, each)
  return search
}

/** A filter as a query that people can read and change: the reverse of {@link parseQuery}. */
export function queryOf(filter: Query['filter']): string {
  return Object.entries(filter)
    .flatMap(([param, value]) => {
      const name = QUALIFIERS.find(known => known.param === param)?.name
      const values = Array.isArray(value) ? value : [value as string]
      return values.map(each => (name === undefined ? quoted(each) : `${name}:${quoted(each)}`))
    })
    .join(' ')
}

function quoted(value: string): string {
  return /[\s"]/.test(value) ? `"${value.replaceAll('"', ' ')}"` : value
}
