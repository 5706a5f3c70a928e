import type { z } from 'zod'
import { nearest } from '../option/nearest.ts'

/** Schema types in words. */
const WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object of names and values',
  record: 'an object of names and values',
  null: 'null',
}

/** How zod itself reports a wrong type; a message by the schema's author is left unchanged. */
const OTHER_TYPE = /^Invalid input: expected .+, received (\w+)$/

/**
 * What is wrong with parameters, each problem with its path: `items[0].id: must be a string, not a number`. Does not repeat given
 * values.
 * @param known names of the parameters, if the schema tells
 */
export function paramProblems(issue: z.core.$ZodIssue, known: readonly string[] = []): string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(key => at([...issue.path, key], noSuch(key, issue.path.length === 0 ? known : [])))
  return [at(issue.path, issue.code === 'invalid_type' ? otherType(issue) : issue.message)]
}

function noSuch(key: string, known: readonly string[]): string {
  const guess = nearest(key, known)
  if (guess !== undefined) return `unknown parameter; did you mean ${guess}?`
  return `unknown parameter${known.length > 0 ? `; known: ${known.join(', ')}` : ''}`
}

function otherType({ expected, message }: { expected: string; message: string }): string {
  const received = OTHER_TYPE.exec(message)?.[1]
  const right = WORDS[expected]
  if (received === undefined || right === undefined) return message
  if (received === 'undefined') return `is missing; it must be ${right}`
  // A fraction in place of a whole number is still a number.
  return expected === 'int' ? `must be ${right}` : `must be ${right}, not ${WORDS[received] ?? received}`
}

function at(path: readonly PropertyKey[], problem: string): string {
  const where = path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`,
    '',
  )
  return where === '' ? problem : `${where}: ${problem}`
}
