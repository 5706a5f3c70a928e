import { tellsFault } from './envelope.ts'
import { isOutcomeAlone } from './outcome-fields.ts'
import type { Fields } from './read.ts'

// Tells what kind of thing an input is. A thrown value is a failure of some kind. A returned value may be a data row
// that looks like one, so more is required of it.

export function isError(input: object, fields: Fields): boolean {
  if (input instanceof Error) return true
  return (
    typeof fields.get('message') === 'string' &&
    (fields.has('name') || fields.has('stack') || fields.has('constructorName'))
  )
}

/**
 * A returned data row may have a name and a message, such as a person or a ticket. An error written as JSON has the name
 * of an error class, and something no row has: a stack trace, a status, or nothing but what errors have.
 */
export function isReturnedError(input: object, fields: Fields): boolean {
  if (input instanceof Error) return true
  const [name, message, stack] = [fields.get('name'), fields.get('message'), fields.get('stack')]
  if (typeof message !== 'string' || typeof name !== 'string' || !ERROR_CLASS.test(name)) return false
  if (typeof stack === 'string') return /^\s+at /m.test(stack)
  const status = fields.get('statusCode') ?? fields.get('status')
  if (typeof status === 'number') return status >= 400 && status <= 599
  return isOutcomeAlone(fields) && tellsFault(message)
}

const ERROR_CLASS = /^\w*(?:Error|Exception)$/

export function isHttp(fields: Fields): boolean {
  const status = fields.get('status') ?? fields.get('statusCode')
  if (typeof status !== 'number' || status < 100 || status > 599) return false
  return fields.has('headers') || fields.has('body') || fields.has('statusText')
}

/** What clients keep of an HTTP answer besides its status and body. */
const ANSWER_FIELDS = new Set(
  `status statusCode body data url ok type redirected size timeout config request method isBase64Encoded cookies
  multiValueHeaders contentType duration error message`.split(/\s+/),
)

/** An article or a checked page has a status and a body too, but also fields that say what it is about. */
export function isReturnedHttp(fields: Fields): boolean {
  if (!isHttp(fields)) return false
  if (fields.has('headers') || fields.has('statusText')) return true
  for (const name of fields.keys()) if (!ANSWER_FIELDS.has(name)) return false
  return true
}
