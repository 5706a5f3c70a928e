import type { Fields } from './read.ts'

// What kind of thing an input is. What was thrown is a failure of some kind; what was returned may be a row that looks
// like one, so that more is asked of it.

export function isError(input: object, fields: Fields): boolean {
  if (input instanceof Error) return true
  return (
    typeof fields.get('message') === 'string' &&
    (fields.has('name') || fields.has('stack') || fields.has('constructorName'))
  )
}

/**
 * What was returned may be a row that has a name and a message, like a person's or a ticket's. An error written as JSON
 * is known by the name of its class and by what no row has beside it: the trace of its stack, or a status.
 */
export function isReturnedError(input: object, fields: Fields): boolean {
  if (input instanceof Error) return true
  const [name, message, stack] = [fields.get('name'), fields.get('message'), fields.get('stack')]
  if (typeof message !== 'string' || typeof name !== 'string' || !ERROR_CLASS.test(name)) return false
  if (typeof stack === 'string') return /^\s+at /m.test(stack)
  const status = fields.get('statusCode') ?? fields.get('status')
  return typeof status === 'number' && status >= 400 && status <= 599
}

const ERROR_CLASS = /^\w*(?:Error|Exception)$/

export function isHttp(fields: Fields): boolean {
  const status = fields.get('status') ?? fields.get('statusCode')
  if (typeof status !== 'number' || status < 100 || status > 599) return false
  return fields.has('headers') || fields.has('body') || fields.has('statusText')
}

/** What clients keep of an answer beside its status and body. */
const ANSWER_FIELDS = new Set(
  `status statusCode body data url ok type redirected size timeout config request method isBase64Encoded cookies
  multiValueHeaders contentType duration error message`.split(/\s+/),
)

/** A page that was checked and an article have a status and a body as well, and tell what they are about. */
export function isReturnedHttp(fields: Fields): boolean {
  if (!isHttp(fields)) return false
  if (fields.has('headers') || fields.has('statusText')) return true
  for (const name of fields.keys()) if (!ANSWER_FIELDS.has(name)) return false
  return true
}
