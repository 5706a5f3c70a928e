import type { Rule } from './rule.ts'

type Example = Pick<Rule, 'example' | 'exampleProvider' | 'exampleReturned'>

/**
 * An input that a rule decides, as a page writes it: plain text, or JSON. `as NAME` before it is the provider, `returned` says
 * that a tool or an API returned it, `thrown` makes an Error of it.
 */
export function exampleOf(written: string): Example {
  const [, provider, how, json] = /^(?:as (\S+) )?(?:(returned|thrown) )?(["{[].*)$/.exec(written) ?? []
  if (json === undefined) return { example: written }
  const value: unknown = JSON.parse(json)
  return {
    example: how === 'thrown' ? thrown(value as Fields) : value,
    ...(provider === undefined ? {} : { exampleProvider: provider }),
    ...(how === 'returned' ? { exampleReturned: true } : {}),
  }
}

interface Fields {
  message: string
  cause?: Fields
  errors?: Fields[]
  [field: string]: unknown
}

function thrown({ message, cause, errors, ...fields }: Fields): Error {
  if (errors) return new AggregateError(errors.map(thrown), message)
  const error = fields.name === 'TypeError' ? new TypeError(message) : new Error(message)
  if (cause !== undefined) error.cause = 'message' in Object(cause) ? thrown(cause) : cause
  return Object.assign(error, fields)
}
