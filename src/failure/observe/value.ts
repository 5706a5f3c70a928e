import { meaningOf } from './events.ts'
import { elements, type Fields, isList, isObject } from './read.ts'

type ReadFields = (value: object) => Fields

/**
 * What a returned value says about itself, by its shape alone: `failed` with the part that says so, or
 * `fine`, or `silent` where nothing about it speaks of success or failure.
 */
export type ValueMeaning = { says: 'failed'; content: unknown } | { says: 'fine' } | { says: 'silent' }

const FINE: ValueMeaning = { says: 'fine' }
const SILENT: ValueMeaning = { says: 'silent' }
const failed = (content: unknown): ValueMeaning => ({ says: 'failed', content })

export function meaningOfValue(value: object, read: ReadFields): ValueMeaning {
  if (isList(value)) return meaningOfList(value, read)
  const fields = read(value)
  for (const test of TESTS) {
    const meaning = test(value, fields, read)
    if (meaning.says !== 'silent') return meaning
  }
  return SILENT
}

/** A body in a one-element list is Google's streaming form; any other list is data. */
function meaningOfList(value: object, read: ReadFields): ValueMeaning {
  const list = elements(value, 2)
  return list.length === 1 && isObject(list[0]) && !isList(list[0]) ? meaningOfValue(list[0], read) : SILENT
}

const TESTS: ((value: object, fields: Fields, read: ReadFields) => ValueMeaning)[] = [
  toolResult,
  agentEvent,
  modelAnswer,
  vendorEnvelope,
  namedRefusal,
  jobOutcome,
  plainFlags,
]

/** MCP: `isError`, at the top or in the result of a JSON-RPC answer. */
function toolResult(value: object, fields: Fields, read: ReadFields): ValueMeaning {
  const holder = ['result', 'response'].map(key => fields.get(key)).find(isObject) ?? value
  const inner = read(holder)
  const flag = inner.get('isError') ?? inner.get('is_error')
  if (flag === true && fields.get('type') !== 'result') {
    const { content, structuredContent, ...rest } = Object.fromEntries(inner)
    return failed([content ?? null, structuredContent ?? null, rest])
  }
  return SILENT
}

function agentEvent(value: object, fields: Fields, read: ReadFields): ValueMeaning {
  if (typeof fields.get('type') !== 'string') return SILENT
  const meaning = meaningOf(value, read)
  if (meaning.role === 'failed' || meaning.role === 'retrying') return failed(meaning.content)
  return meaning.role === 'succeeded' || fields.get('type') === 'rate_limit_event' ? FINE : SILENT
}

const BAD_STOPS = new Set([
  'refusal',
  'max_tokens',
  'model_context_window_exceeded',
  'guardrail_intervened',
  'content_filtered',
  'malformed_model_output',
  'malformed_tool_use',
  'sensitive',
])
const BAD_FINISHES = new Set([
  'length',
  'content_filter',
  'error',
  'error_toxic',
  'timeout',
  'max_tokens',
  'insufficient_system_resource',
  'sensitive',
  'network_error',
  'model_context_window_exceeded',
  'content-filter',
  'error_limit',
  'model_length',
  'refusal',
  'abort',
])
const GOOD_GEMINI = new Set(['STOP', 'FINISH_REASON_UNSPECIFIED'])

/** Answers of model APIs that came with 200 and are none. */
function modelAnswer(value: object, fields: Fields, read: ReadFields): ValueMeaning {
  const stop = fields.get('stop_reason') ?? fields.get('stopReason')
  if (typeof stop === 'string') return BAD_STOPS.has(stop) ? failed(value) : FINE
  for (const choice of elements(fields.get('choices'), 8).filter(isObject)) {
    const answer = read(choice)
    const finish = answer.get('finish_reason')
    const message = answer.get('message')
    const refusal = isObject(message) ? read(message).get('refusal') : undefined
    if (typeof refusal === 'string' && refusal !== '') return failed({ finish_reason: 'refusal', refusal })
    if (
      isObject(answer.get('error')) ||
      (typeof finish === 'string' && BAD_FINISHES.has(finish.toLowerCase()))
    )
      return failed(value)
  }
  const candidates = elements(fields.get('candidates'), 8).filter(isObject)
  const finishes = candidates
    .map(candidate => read(candidate).get('finishReason'))
    .filter(finish => typeof finish === 'string')
  if (finishes.some(finish => !GOOD_GEMINI.has(finish))) return failed(value)
  const live = fields.get('serverContent')
  if (isObject(live) && typeof read(live).get('turnCompleteReason') === 'string') return failed(live)
  const feedback = fields.get('promptFeedback')
  if (isObject(feedback) && read(feedback).has('blockReason')) return failed(value)
  const finish = fields.get('finish_reason') ?? fields.get('finishReason')
  if (typeof finish === 'string' && BAD_FINISHES.has(finish.toLowerCase())) return failed(value)
  return candidates.length > 0 ? FINE : SILENT
}

/** Vendors that always answer 200 and put the outcome into the body. */
function vendorEnvelope(value: object, fields: Fields, read: ReadFields): ValueMeaning {
  const base = fields.get('base_resp')
  if (isObject(base)) return isZero(read(base).get('status_code')) ? FINE : failed(value)
  const response = fields.get('Response')
  if (isObject(response)) return isObject(read(response).get('Error')) ? failed(value) : FINE
  const code = fields.get('error_code')
  if (code !== undefined && code !== null) return isZero(code) ? FINE : failed(value)
  return SILENT
}

const REFUSED = /DENIED|ERROR|FAIL|INVALID|EXCEEDED|OVER_|LIMIT|EXHAUSTED|UNAVAILABLE|FORBIDDEN|UNAUTHORIZED/

/** Refusals that name themselves beside the place where an answer would stand. */
function namedRefusal(value: object, fields: Fields): ValueMeaning {
  const said = fields.get('error_message') ?? fields.get('errorMessage') ?? fields.get('errorType')
  if (typeof said === 'string' && said !== '') return failed(value)
  if (!fields.has('message')) return SILENT
  if (fields.get('message') === 'NOTOK') return failed({ error: fields.get('result') })
  const status =
    fields.get('status') ??
    fields.get('statusCode') ??
    fields.get('status_code') ??
    fields.get('cod') ??
    fields.get('code')
  if (
    /^[45]\d\d$/.test(String(status)) ||
    (typeof status === 'string' && /^[A-Z_]+$/.test(status) && REFUSED.test(status))
  )
    return failed(value)
  return fields.has('retry_after') || fields.has('retryAfter') ? failed(value) : SILENT
}

const BAD_STATES = new Set([
  'failed',
  'error',
  'errored',
  'failure',
  'incomplete',
  'cancelled',
  'canceled',
  'expired',
  'timeout',
  'timed_out',
  'aborted',
])

/** Responses, runs, predictions, batches: a lifecycle word, or an outcome by type. */
function jobOutcome(value: object, fields: Fields, read: ReadFields): ValueMeaning {
  const type = fields.get('type')
  const response = fields.get('response')
  if (typeof type === 'string' && type.startsWith('response.') && isObject(response))
    return jobOutcome(response, read(response), read)
  const status = fields.get('status')
  if (typeof status === 'string' && BAD_STATES.has(status.toLowerCase())) return failed(value)
  const result = fields.get('result')
  if (isObject(result)) {
    const type = read(result).get('type')
    if (type === 'errored' || type === 'expired' || type === 'canceled') return failed(result)
  }
  return status === 'completed' || status === 'succeeded' ? FINE : SILENT
}

function plainFlags(value: object, fields: Fields, read: ReadFields): ValueMeaning {
  const error = fields.get('error')
  if (
    (isObject(error) && !(isList(error) && elements(error, 1).length === 0)) ||
    (typeof error === 'string' && error !== '') ||
    error === true
  )
    return failed(value)
  if (fields.get('success') === false || fields.get('ok') === false || fields.get('isError') === true)
    return failed(value)
  const exception = [...fields].find(
    ([name, content]) => /^[a-z]\w{2,60}Exception$/.test(name) && isObject(content),
  )
  if (exception) return failed({ name: exception[0], cause: exception[1] })
  const errors = fields.get('errors')
  if (errors === true || (isList(errors) && elements(errors, 1).length > 0)) return failed(value)
  if (isRefusal(fields) || isCoded(fields) || isDetail(fields) || hasFailedItems(fields)) return failed(value)
  if ([...fields].some(([name, content]) => /[._]error$/i.test(name) && isObject(content)))
    return failed(value)
  return insideFailed(fields, read)
}

/** Chinese platforms answer 200 with a number and a sentence; 0 is good, and 200 where they mirror HTTP. */
function isCoded(fields: Fields): boolean {
  const code = fields.get('errcode') ?? fields.get('code') ?? fields.get('ret')
  const said = fields.get('errmsg') ?? fields.get('msg')
  const data = fields.get('data')
  const hasData = isObject(data) && !isList(data)
  return (
    typeof code === 'number' &&
    code !== 0 &&
    code !== 200 &&
    typeof said === 'string' &&
    !/^(?:ok|success)/i.test(said) &&
    !hasData
  )
}

/** FastAPI's form of a refusal: a detail and nothing else. */
function isDetail(fields: Fields): boolean {
  return fields.size === 1 && fields.has('detail')
}

/** A batch that was taken, with items that were not: AWS and its kin. */
function hasFailedItems(fields: Fields): boolean {
  return ['Failed', 'FailedEntries', 'failedItems', 'UnprocessedItems'].some(
    key => elements(fields.get(key), 1).length > 0,
  )
}

/** A tool's wrapper around the outcome of what it called. */
function insideFailed(fields: Fields, read: ReadFields): ValueMeaning {
  for (const key of ['result', 'data', 'response', 'output']) {
    const inner = fields.get(key)
    if (!isObject(inner) || isList(inner)) continue
    const outcome = read(inner)
    if (outcome.get('success') === false || outcome.get('ok') === false || outcome.get('isError') === true)
      return failed(inner)
  }
  return SILENT
}

/** DashScope's native form: a code, a message and a request id, and no output. */
function isRefusal(fields: Fields): boolean {
  const code = fields.get('code')
  const named = typeof code === 'string' && code !== '' && code !== '0' && !/^(ok|success|200)$/i.test(code)
  return named && fields.has('message') && fields.has('request_id') && !fields.has('output')
}

function isZero(value: unknown): boolean {
  return value === 0 || value === '0'
}
