import { quote } from '../failure/quote.ts'
import { nearest } from '../option/nearest.ts'
import type { Field, Fields, FieldType } from './plan.ts'

const TYPES: Readonly<Record<FieldType, { is: (value: unknown) => boolean; right: string }>> = {
  string: { is: value => typeof value === 'string', right: 'a string' },
  integer: { is: Number.isSafeInteger, right: 'a whole number' },
  number: { is: Number.isFinite, right: 'a number' },
  boolean: { is: value => typeof value === 'boolean', right: 'true or false' },
  json: { is: () => true, right: 'JSON' },
}

/** The problem with a value for a field; undefined if there is none. */
export function problemOfField({ type }: Field, value: unknown): string | undefined {
  const { is, right } = TYPES[type]
  return is(value) ? undefined : `must be ${right}, not ${quote(value)}`
}

/** All problems with values for these fields: unknown or missing names, wrong types. */
export function problemsOfFields(fields: Fields, given: unknown): string[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return [`must be an object, not ${quote(given)}`]
  const values = given as Record<string, unknown>
  const problems = Object.entries(values).flatMap(([name, value]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field) {
      const problem = problemOfField(field, value)
      return problem === undefined ? [] : [`${name} ${problem}`]
    }
    const guess = nearest(name, Object.keys(fields))
    const known = Object.keys(fields).join(', ')
    return [
      `${name} is unknown; ${guess ? `did you mean ${guess}?` : known ? `known: ${known}` : 'there are none'}`,
    ]
  })
  const missing = Object.entries(fields).filter(
    ([name, { required }]) => required && values[name] === undefined,
  )
  return [...problems, ...missing.map(([name]) => `${name} is missing`)]
}
