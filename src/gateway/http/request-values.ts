import { z } from 'zod'
import { nearest } from '../../option/nearest.ts'
import { issueInWords } from './issue-words.ts'
import { type Mistake, MOST_MISTAKES, Problem } from './problem.ts'

/** Deepest nesting of JSON that is accepted: serialising deeper values would overflow the stack. */
export const DEEPEST = 200

/** Characters of an unknown name that an answer repeats. */
const LONGEST_SHOWN = 200

const NOTHING = z.strictObject({})

/** Reads a query string by its schema: repeated names become lists, texts become numbers and booleans. */
export function queryOf(search: URLSearchParams, schema: z.ZodType | undefined): unknown {
  const shape = schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {}
  const read = Object.create(null) as Record<string, unknown>
  for (const name of new Set(search.keys())) {
    const inner = unwrapped(Object.hasOwn(shape, name) ? shape[name] : undefined)
    const values = search.getAll(name)
    if (inner instanceof z.ZodArray) read[name] = values
    else read[name] = values.length === 1 ? typed(values[0] as string, inner) : values
  }
  return checked('query', { ...read }, schema ?? NOTHING)
}

function unwrapped(schema: z.ZodType | undefined): z.ZodType | undefined {
  return schema instanceof z.ZodOptional ? unwrapped(schema.unwrap() as z.ZodType) : schema
}

function typed(text: string, schema: z.ZodType | undefined): unknown {
  if (schema instanceof z.ZodNumber && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (schema instanceof z.ZodBoolean && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** Parses the text of a body. Throws a {@link Problem}. */
export function jsonOf(text: string): unknown {
  if (depthOf(text) > DEEPEST)
    throw new Problem(400, 'malformed', `the body nests deeper than ${DEEPEST} levels`)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem(400, 'malformed', `the body is not JSON: ${(error as Error).message}`)
  }
}

/** The deepest nesting of brackets, outside strings. */
export function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let isInString = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (isInString) {
      if (code === 0x5c) at += 1
      else if (code === 0x22) isInString = false
    } else if (code === 0x22) isInString = true
    else if (code === 0x5b || code === 0x7b) {
      depth += 1
      if (depth > deepest) deepest = depth
    } else if (code === 0x5d || code === 0x7d) depth -= 1
  }
  return deepest
}

/** Checks a part of a request by its schema. Throws a {@link Problem} that lists the mistakes. */
export function checked(
  part: 'path' | 'query' | 'body' | 'arguments',
  value: unknown,
  schema: z.ZodType,
): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  // Parsed again with its input, which the messages mention; most requests are valid and never pay for that.
  const detailed = schema.safeParse(value, { reportInput: true }).error ?? result.error
  const mistakes = detailed.issues
    .slice(0, MOST_MISTAKES)
    .flatMap(issue => mistakesOf(part, issue, schema))
    .slice(0, MOST_MISTAKES)
  const [first] = mistakes
  const all = detailed.issues.reduce((sum, issue) => sum + countOf(issue), 0)
  const more = all > 1 ? ` (and ${all - 1} more)` : ''
  throw new Problem(400, 'invalid', `${first?.at}: ${first?.message}${more}`, { mistakes })
}

function countOf(issue: z.core.$ZodIssue): number {
  return issue.code === 'unrecognized_keys' ? issue.keys.length : 1
}

function mistakesOf(part: string, issue: z.core.$ZodIssue, schema: z.ZodType): Mistake[] {
  const at = [part, ...issue.path.map(String)].join('.')
  if (issue.code !== 'unrecognized_keys') return [{ at, message: issueInWords(issue) }]
  const known = schema instanceof z.ZodObject && issue.path.length === 0 ? Object.keys(schema.shape) : []
  return issue.keys.slice(0, MOST_MISTAKES).map(key => {
    const guess = nearest(key, known)
    const remedy = guess
      ? `did you mean ${guess}?`
      : known.length > 0
        ? `known: ${known.join(', ')}`
        : 'this object takes none'
    return { at: `${at}.${key.slice(0, LONGEST_SHOWN)}`, message: `unknown name; ${remedy}` }
  })
}
