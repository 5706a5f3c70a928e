import type { z } from 'zod'
import { nearest } from '../../option/nearest.ts'

/** Matches zod's default messages; any other message is one of ours. */
const PLAIN = /^(?:Invalid|Too|Unrecognized)\b/

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/** Up to this many choices are listed; with more, only the nearest is named. */
const MOST_CHOICES = 15

/** What is wrong with a value in a request, and what would be right. */
export function issueInWords(issue: z.core.$ZodIssue): string {
  if (!PLAIN.test(issue.message)) return issue.message
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is missing'
      if (issue.expected === 'int' && typeof issue.input === 'number') return 'must be a whole number'
      return `must be ${TYPES[issue.expected] ?? issue.expected}, not ${kindOf(issue.input)}`
    case 'invalid_value':
      return choiceInWords(issue.values.map(String), issue.input)
    case 'too_small':
      return `must ${amountInWords(issue.origin, 'at least', Number(issue.minimum))}`
    case 'too_big':
      return `must ${amountInWords(issue.origin, 'at most', Number(issue.maximum))}`
    case 'invalid_union':
      return 'matches none of the allowed forms; see /openapi.json'
    default:
      return issue.message
  }
}

function choiceInWords(choices: readonly string[], given: unknown): string {
  if (given === undefined) return `is missing; one of: ${choices.join(', ')}`
  // A stranger's object may have a toString of its own.
  const text = typeof given === 'string' ? given : ''
  // Older configs say `flake`.
  const guess = text === 'flake' && choices.includes('transient') ? 'transient' : nearest(text, choices)
  const list =
    choices.length <= MOST_CHOICES || guess === undefined ? `one of: ${choices.join(', ')}` : undefined
  const parts = [guess === undefined ? undefined : `did you mean ${guess}?`, list]
  return `has an unknown value; ${parts.filter(part => part !== undefined).join(' ')}`
}

function amountInWords(origin: string, bound: string, amount: number): string {
  if (origin === 'string') return `have ${bound} ${amount} ${amount === 1 ? 'character' : 'characters'}`
  if (origin === 'array' || origin === 'set' || origin === 'map')
    return `have ${bound} ${amount} ${amount === 1 ? 'entry' : 'entries'}`
  return `be ${bound} ${amount}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return TYPES[typeof value] ?? typeof value
}
