import { isOtherMessage, isOutcomeAlone } from './outcome-fields.ts'
import { elements, type Fields, isList, isObject } from './read.ts'
import { failed, type ReadFields, SILENT, type ValueMeaning } from './value-meaning.ts'

/**
 * Envelopes that report failure by a word or a number. The sentence that says why then stands in place of the answer,
 * under any name. If nothing reports failure, the same sentence is the answer.
 */
export function failureEnvelope(_value: object, fields: Fields, read: ReadFields): ValueMeaning {
  if (saysNo(fields) && isOutcomeAlone(fields)) {
    const said = sentenceIn(fields)
    if (said !== undefined) return failed(withoutStatus(fields, said))
    if (saysNothingElse(fields)) return failed(Object.fromEntries(fields))
  }
  const fault = fields.get('fault')
  const said = isObject(fault) ? (read(fault).get('faultstring') ?? read(fault).get('string')) : undefined
  if (isObject(fault) && typeof said === 'string')
    return failed({ message: said, detail: read(fault).get('detail') })
  if (isQueryRefused(fields, read)) return failed({ errors: fields.get('errors') })
  return headSaysNo(fields, read)
}

/** True if nothing but "error" and "failed" is said, in several fields. */
function saysNothingElse(fields: Fields): boolean {
  const said = [...fields.values()].filter(content => content !== null)
  return said.length > 1 && said.every(content => isNoWord(content) || content === false)
}

/** The envelope's `status` is its own, not an HTTP status. */
function withoutStatus(fields: Fields, message: string): unknown {
  const { status, ...rest } = Object.fromEntries(fields)
  return isNoWord(status) || isOff(status) ? { ...rest, message } : { ...rest, status, message }
}

/** Field names that hold the outcome as a word. */
const OUTCOMES = ['status', 'stat', 'result'] as const
const NO = /^(?:error|err|fail|failed|failure|errored|not_?ok|nok|ko)$/i

/** True for a word that means failure in any outcome field. */
export function isNoWord(word: unknown): boolean {
  return typeof word === 'string' && NO.test(word)
}

/** True for a flag that is off, including one written as a number or a word. */
export function isOff(flag: unknown): boolean {
  return (
    flag === false || flag === 0 || flag === '0' || (typeof flag === 'string' && /^(?:false|no)$/i.test(flag))
  )
}

function saysNo(fields: Fields): boolean {
  if (OUTCOMES.some(name => isNoWord(fields.get(name)))) return true
  // A message is free text: the word counts only if the status says failure too.
  if (isNoWord(fields.get('message')) && isOff(fields.get('status'))) return true
  if (fields.has('success') && isOff(fields.get('success'))) return true
  // Zero is good for some and bad for others; only a code in words tells which.
  return isOff(fields.get('status')) && fields.has('infocode') && isCodeWord(fields.get('info'))
}

function isCodeWord(word: unknown): boolean {
  return typeof word === 'string' && /^[A-Z][A-Z_]{3,}$/.test(word) && word !== 'OK'
}

const SENTENCES =
  'summary message msg errmsg error_msg result detail description reason info data title'.split(' ')

function sentenceIn(fields: Fields): string | undefined {
  for (const name of [...SENTENCES, ...[...fields.keys()].filter(isOtherMessage)]) {
    const said = fields.get(name)
    if (typeof said === 'string' && !isNoWord(said) && /[\p{L}]{2}/u.test(said)) return said
  }
  return undefined
}

/** Fields of a GraphQL error. A linter's finding has a line or a rule instead. */
const QUERY_ERROR = new Set('message locations path extensions code type errorType errorInfo'.split(' '))
const ID = /(?:^id|_id|Id|ID)$|^(?:request|trace|correlation|status|cost|complexity)/

/** GraphQL answers with errors and without data; some servers add who asked. */
function isQueryRefused(fields: Fields, read: ReadFields): boolean {
  const errors = fields.get('errors')
  const data = fields.get('data')
  if (!isList(errors) || (data !== undefined && data !== null)) return false
  const found = elements(errors, 4)
  const isQuery = (error: unknown) =>
    isObject(error) &&
    typeof read(error).get('message') === 'string' &&
    [...read(error).keys()].every(name => QUERY_ERROR.has(name))
  if (found.length === 0 || !found.every(isQuery)) return false
  return [...fields].every(
    ([name, content]) =>
      name === 'errors' || name === 'extensions' || content === null || (ID.test(name) && !isObject(content)),
  )
}

/** True if something stands in the place of an answer. */
function hasAnswer(place: unknown): boolean {
  if (!isObject(place)) return place !== undefined && place !== null && place !== ''
  return isList(place) ? elements(place, 1).length > 0 : Object.keys(place).length > 0
}

const HEADS = ['status', 'meta', 'head', 'header', 'response']
const SAID_IN_HEAD = 'error_message errorMessage errorDetail errorType error_type reason message msg'.split(
  ' ',
)

/** Some APIs keep the outcome in a head next to the place for the answer. */
function headSaysNo(fields: Fields, read: ReadFields): ValueMeaning {
  if (hasAnswer(fields.get('data')) || hasAnswer(fields.get('result'))) return SILENT
  for (const name of HEADS) {
    const head = fields.get(name)
    if (!isObject(head) || isList(head)) continue
    const inner = read(head)
    if (!SAID_IN_HEAD.some(field => typeof inner.get(field) === 'string' && inner.get(field) !== '')) continue
    const code =
      inner.get('error_code') ?? inner.get('errorCode') ?? inner.get('code') ?? inner.get('status_code')
    const isNamed = inner.has('error_message') || inner.has('errorMessage') || inner.has('errorType')
    const isBad = typeof code === 'number' && (code >= 400 || (isNamed && code !== 0 && code !== 200))
    if (isBad || (OUTCOMES.some(field => isNoWord(inner.get(field))) && isOutcomeAlone(inner)))
      return failed(head)
  }
  return SILENT
}
