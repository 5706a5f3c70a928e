import type { KnownRule } from './catalogue/compiled-form.ts'
import { isModelVendor } from './catalogue/vendor.ts'
import type { UsableContext } from './context.ts'
import { isBadFinish } from './observe/model-answer.ts'
import { dataOf, elements, isObject } from './observe/read.ts'
import type { Candidate } from './precedence.ts'
import { plainJson } from './text/plain-json.ts'

/** Errors of clients and frameworks that say: the model's answer does not have the form that was asked for. */
const OF_ANSWER = new Set(
  `AI_NoObjectGeneratedError NoObjectGeneratedError AI_TypeValidationError TypeValidationError AI_InvalidResponseDataError
  OutputParserException OutputParsingError StructuredOutputParsingError`.split(/\s+/),
)
/** What such an error is made from: the text that did not parse. */
const OF_TEXT = new Set(['AI_JSONParseError', 'JSONParseError', 'SyntaxError'])
/** Errors of schema libraries, which do not say whose value it was, and the lists of what is wrong. */
const OF_SCHEMA = new Set('ZodError $ZodError ValiError ArkErrors TraversalError ValidationError'.split(' '))
const LISTS = ['issues', 'inner', 'details']
/** Where the model's own text is. */
const TEXTS = ['text', 'llmOutput', 'value']
const DEEPEST = 8
const MOST_TEXT = 2_000
/** How much of it the evidence is about; it shows some more. */
const SHOWN = 40

const RULE: KnownRule = {
  id: 'answer:schema',
  class: 'transient',
  kind: 'bad_json',
  effect: 'maybe',
  rank: 'specific',
  why: 'the answer does not have the form that was asked for; another one may',
}

const CLIENT_RULE: KnownRule = {
  ...RULE,
  id: 'answer:client',
  why: 'the client stumbled over an answer that it did not expect, which is no bug of the caller',
}

/**
 * The rule for a model's answer that misses its schema, with the model's text as its evidence. Undefined if the error is
 * another, or if something inside it says why there is no usable answer. An error of a schema library alone may be about the
 * caller's own values, so it counts only for a call to a model.
 */
export function schemaMiss(input: unknown, context: UsableContext): Candidate | undefined {
  if (context.returned) return undefined
  try {
    return isOfClient(input) ? candidate(CLIENT_RULE, 'error.stack', '') : missedSchema(input, context)
  } catch {
    // An error that cannot be inspected says nothing.
    return undefined
  }
}

function missedSchema(input: unknown, { ofModel, provider, model }: UsableContext): Candidate | undefined {
  let said: Said | undefined
  let wrong: Said | undefined
  let isOfAnswer = ofModel === true || model !== undefined || isModelVendor(provider)
  let isMiss = false
  let error = input
  for (let depth = 0; depth < DEEPEST && isObject(error); depth++) {
    const name = nameOf(error)
    const isAnswer = OF_ANSWER.has(name) || isAnswered(error, name)
    const isSchema =
      OF_SCHEMA.has(name) && LISTS.some(list => elements(dataOf(error as object, list), 1).length > 0)
    if (!isAnswer && !isSchema) {
      if (isMiss && OF_TEXT.has(name)) break
      return undefined
    }
    if (isAnswer && hasOtherCause(error)) return undefined
    isOfAnswer ||= isAnswer
    isMiss ||= !isAnswered(error, name)
    said ??= textOf(error)
    wrong ??= issuesOf(error)
    error = dataOf(error, 'cause')
  }
  const { where, text } = said ?? wrong ?? { where: 'error', text: '' }
  return isMiss && isOfAnswer ? candidate(RULE, where, text) : undefined
}

/** The name of an error or its class, as data: whatever has a getter was read before, and is read once. */
function nameOf(error: object): string {
  let holder: object | null = error
  for (let depth = 0; depth < DEEPEST && holder !== null; depth++) {
    const name = dataOf(holder, 'name')
    if (name !== undefined) return typeof name === 'string' ? name : ''
    holder = Object.getPrototypeOf(holder) as object | null
  }
  return ''
}

/** The answer was cut or filtered, or is itself the report of a failure. */
function hasOtherCause(error: object): boolean {
  return isBadFinish(dataOf(error, 'finishReason')) || reportIn(error) !== undefined
}

function reportIn(error: object): object | undefined {
  const value = dataOf(error, 'value')
  return isObject(value) && isObject(dataOf(value, 'error')) ? value : undefined
}

/**
 * What came in place of the answer, if that itself reports a failure. The client only says that it does not have the form of an
 * answer, which reads like a mistake in the request.
 */
export function reportInside(input: unknown): object | undefined {
  try {
    let error = input
    for (let depth = 0; depth < DEEPEST && isObject(error); depth++) {
      const name = nameOf(error)
      if (!OF_ANSWER.has(name) && !isAnswered(error, name)) return undefined
      const report = reportIn(error)
      if (report) return report
      error = dataOf(error, 'cause')
    }
  } catch {
    // An error that cannot be inspected says nothing.
  }
  return undefined
}

/** The AI SDK's error for a request that was answered with 200, but not with an answer. */
function isAnswered(error: object, name: string): boolean {
  const status = dataOf(error, 'statusCode')
  return name === 'AI_APICallError' && typeof status === 'number' && status < 300
}

/** What a piece of evidence says, and where it was found. */
interface Said {
  where: string
  text: string
}

function textOf(error: object): Said | undefined {
  for (const name of TEXTS) {
    const value = dataOf(error, name)
    const text = typeof value === 'string' ? value : isObject(value) ? plainJson(value) : undefined
    if (text) return { where: `error.${name}`, text: text.slice(0, MOST_TEXT).replaceAll(/\s+/g, ' ') }
  }
  return undefined
}

/** What a schema library found wrong, for errors without the text itself: `city: expected string, received undefined`. */
function issuesOf(error: object): Said | undefined {
  for (const list of LISTS) {
    const found = elements(dataOf(error, list), 3).filter(isObject).map(issueText).filter(Boolean)
    if (found.length > 0) return { where: `error.${list}`, text: found.join('; ').slice(0, MOST_TEXT) }
  }
  return undefined
}

function issueText(issue: object): string {
  const path = elements(dataOf(issue, 'path'), DEEPEST).filter(part => !isObject(part))
  const message = dataOf(issue, 'message')
  return typeof message === 'string' ? `${path.join('.')}${path.length > 0 ? ': ' : ''}${message}` : ''
}

/** LangChain reads fields of an answer without looking whether they are there. */
const CLIENT_FRAME = /^\s*at [^\n]*\/node_modules\/@langchain\/[^\n]*$/

function isOfClient(input: unknown): boolean {
  if (!(input instanceof TypeError) || Object.hasOwn(input, 'code')) return false
  if (!/\b(?:undefined|null)\b|not iterable|not a function/.test(input.message)) return false
  const frame = String(input.stack)
    .split('\n')
    .find(line => /^\s*at /.test(line))
  return frame !== undefined && CLIENT_FRAME.test(frame)
}

function candidate(rule: KnownRule, where: string, source: string): Candidate {
  return {
    rule,
    where,
    source,
    at: 0,
    end: Math.min(source.length, SHOWN),
    depth: 0,
    structured: false,
    late: false,
  }
}
