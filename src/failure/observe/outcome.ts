import { isCoded, isCodedError, isDetail, isNamedError, isRefusal } from './envelope.ts'
import { isOutcomeAlone } from './outcome-fields.ts'
import { elements, type Fields, isList, isObject } from './read.ts'
import { FINE, failed, type ReadFields, SILENT, type ValueMeaning } from './value-meaning.ts'

/** States that mean something went wrong, for any kind of object. */
const FAILED_STATES = new Set(['failed', 'error', 'errored', 'failure'])
/** States that orders, plans and meetings can have too. */
const ENDED_STATES = new Set('incomplete cancelled canceled expired timeout timed_out aborted'.split(' '))

/** Fields of jobs, runs, predictions and batches: their status is that of the call, not a finding of it. */
const JOB_FIELDS =
  'error incomplete_details last_error output logs failure failure_reason failureReason statusReason'.split(
    ' ',
  )
const JOB_OBJECTS =
  /^(?:response|batch|run|thread\.run|prediction|job|task|fine_tuning\.job|realtime\.response|eval\.run)$/
/** Fields that hold the words of a failure. */
const SPOKEN_FIELDS = 'message msg reason detail details error_message errorMessage errorType errors'.split(
  ' ',
)

function isJob(fields: Fields): boolean {
  const object = fields.get('object')
  return (typeof object === 'string' && JOB_OBJECTS.test(object)) || JOB_FIELDS.some(name => fields.has(name))
}

/** True for a state that ends a job badly. For other objects it may mean something else. */
export function isEndState(status: string): boolean {
  const state = status.toLowerCase()
  return FAILED_STATES.has(state) || ENDED_STATES.has(state)
}

function isBadState(status: unknown, fields: Fields): boolean {
  if (typeof status !== 'string') return false
  const state = status.toLowerCase()
  if (FAILED_STATES.has(state)) {
    if (fields.size === 1 || isJob(fields) || isToolReport(fields)) return true
    return SPOKEN_FIELDS.some(name => fields.has(name)) && isOutcomeAlone(fields)
  }
  return ENDED_STATES.has(state) && isJob(fields)
}

/** What a tool says of its own failure in the place of its answer. */
function isToolReport(fields: Fields): boolean {
  if (!isSaid(fields.get('content'))) return false
  return isOutcomeAlone(new Map([...fields].filter(([name]) => !IN_PLACE_OF_ANSWER.has(name))))
}

const IN_PLACE_OF_ANSWER = new Set(['content', 'content_type', 'contentType', 'metadata'])

/** What answers call the one job that they are about. */
export const JOBS: readonly string[] =
  'job run task build deployment operation execution prediction batch workflow pipeline'.split(' ')

/** Responses, runs, predictions, batches: a lifecycle word, or an outcome by type. */
export function jobOutcome(value: object, fields: Fields, read: ReadFields): ValueMeaning {
  const type = fields.get('type')
  const response = fields.get('response')
  if (typeof type === 'string' && type.startsWith('response.') && isObject(response))
    return jobOutcome(response, read(response), read)
  const status = fields.get('status') ?? fields.get('state')
  if (isBadState(status, fields))
    return failed(isToolReport(fields) ? { message: fields.get('content') } : value)
  const wrapped = fields.size === 1 ? JOBS.find(name => fields.has(name)) : undefined
  const job = wrapped === undefined ? undefined : fields.get(wrapped)
  if (isObject(job) && !isList(job)) {
    const inner = read(job)
    if (isBadState(inner.get('status') ?? inner.get('state'), inner)) return failed(job)
  }
  const result = fields.get('result')
  if (isObject(result)) {
    const type = read(result).get('type')
    if (type === 'errored' || type === 'expired' || type === 'canceled') return failed(result)
  }
  if (status === 'completed' && isAllFailed(fields, read)) return failed(value)
  return status === 'completed' || status === 'succeeded' ? FINE : SILENT
}

/** A batch that is over, and none of whose requests succeeded. */
function isAllFailed(fields: Fields, read: ReadFields): boolean {
  const counts = fields.get('request_counts')
  if (!isObject(counts)) return false
  const [completed, failed] = [read(counts).get('completed'), read(counts).get('failed')]
  return completed === 0 && isCount(failed)
}

/** Names of fields that hold a thrown error: AWS event streams, and similar dotted or underscored names. */
export const EXCEPTION = /^[a-z]\w{2,60}Exception$/
export const NAMED_ERROR = /[._]error$/i

/** A boolean flag written as text. */
export function isNo(flag: unknown): boolean {
  return typeof flag === 'string' && /^(?:false|no)$/i.test(flag)
}

/** An answer that only says why there is none, under the field names of data services. */
function isNote(fields: Fields): boolean {
  if (isSaid(fields.get('Error')) || isSaid(fields.get('Error Message'))) return true
  return fields.size === 1 && (isSaid(fields.get('Note')) || isSaid(fields.get('Information')))
}

/** What answers call the flag that says whether all went well. */
export const FLAGS: readonly string[] = [
  'success',
  'ok',
  'isSuccess',
  'is_success',
  'succeeded',
  'successful',
]

/** Field names of a message in APIs that capitalise all names. */
const SPOKEN = ['Description', 'Message', 'ErrorMessage', 'ErrorDescription']

function isSaid(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

/** The flags by which tools and APIs of every kind report failure. */
export function plainFlags(value: object, fields: Fields, read: ReadFields): ValueMeaning {
  const error = fields.get('error')
  const capital = fields.get('Error')
  if (error === true || [error, capital].some(said => isObject(said) && !isList(said))) return failed(value)
  if (FLAGS.some(name => fields.get(name) === false) || fields.get('isError') === true) return failed(value)
  if (isNo(fields.get('Response')) || isNote(fields) || isPassedOn(fields)) return failed(value)
  if (fields.get('Success') === false && SPOKEN.some(name => isSaid(fields.get(name)))) return failed(value)
  const listed = isOutcomeAlone(fields) ? listedErrors(fields.get('errors')) : SILENT
  for (const meaning of [
    functionError(fields),
    countedItems(fields, read),
    refusedItem(fields, read),
    allRefused(fields, read),
    listed,
  ])
    if (meaning.says === 'failed') return meaning
  const exception = [...fields].find(([name, content]) => EXCEPTION.test(name) && isObject(content))
  if (exception) return failed({ name: exception[0], cause: exception[1] })
  const errors = fields.get('errors')
  if (errors === true || saysWhatFailed(error, fields) || saysWhatFailed(errors, fields)) return failed(value)
  if (
    isRefusal(fields) ||
    isCodedError(fields) ||
    isNamedError(fields, read) ||
    isCoded(fields) ||
    isDetail(fields, read) ||
    hasFailedItems(fields)
  )
    return failed(value)
  if ([...fields].some(([name, content]) => NAMED_ERROR.test(name) && isObject(content))) return failed(value)
  return insideFailed(fields, read)
}

/**
 * A sentence or a list under `error` is how an answer refuses. But listed jobs, checked pages and linter findings have one
 * too, next to fields that say what they are about.
 */
function saysWhatFailed(said: unknown, fields: Fields): boolean {
  const isSaid = isList(said) ? elements(said, 1).length > 0 : typeof said === 'string' && said !== ''
  return isSaid && isOutcomeAlone(fields)
}

/** Items of an accepted batch that were not taken: AWS and similar APIs. */
export const FAILED_ITEMS: readonly string[] = ['Failed', 'FailedEntries', 'failedItems', 'UnprocessedItems']

/** The number of such items, for APIs that list them together with the ones taken. */
export const FAILED_COUNTS: readonly string[] = ['FailedRecordCount', 'FailedPutCount', 'FailedEntryCount']

export function isCount(count: unknown): boolean {
  return typeof count === 'number' && count > 0
}

function hasFailedItems(fields: Fields): boolean {
  return FAILED_ITEMS.some(key => elements(fields.get(key), 1).length > 0)
}

/** How AWS reports a resource it did not touch: an ARN, and the reason as a code. A test's finding gives its reason in words. */
function refusedItem(fields: Fields, read: ReadFields): ValueMeaning {
  const [first] = elements(fields.get('failures'), 1)
  if (!isObject(first) || isList(first)) return SILENT
  const reason = read(first).get('reason')
  const isRefused =
    read(first).has('arn') && typeof reason === 'string' && /^[A-Z][A-Z0-9:_ -]+$/.test(reason)
  return isRefused ? failed(first) : SILENT
}

/** An answer in which nothing was done: each of its items was refused, or it lists only errors. */
function allRefused(fields: Fields, read: ReadFields): ValueMeaning {
  const [error] = elements(fields.get('Errors'), 1)
  const others = [...fields.keys()].filter(name => name !== 'Errors' && !ABOUT_REQUEST.test(name))
  if (others.length === 0 && isObject(error)) {
    const said = read(error)
    const message = said.get('Message') ?? said.get('Details')
    if (isSaid(message)) return failed({ code: said.get('Code'), message })
  }
  const items = fields.size === 1 ? elements(fields.get('data'), MOST_LISTED) : []
  const isAll = items.length > 0 && items.every(item => isRefusedItem(item, read))
  return isAll ? failed(items[0] as object) : SILENT
}

/** Fields that say which request it was. */
const ABOUT_REQUEST = /^(?:ResponseContext|ResponseMetadata|RequestId)$/

/** What is about something has an id, and more than the outcome. */
function isRefusedItem(item: unknown, read: ReadFields): boolean {
  if (!isObject(item) || isList(item)) return false
  const fields = read(item)
  return !fields.has('id') && fields.size > 1 && isBadState(fields.get('status'), fields)
}

/** Reddit's form: each error is a list of its code, its message and the field it concerns. */
function listedErrors(errors: unknown): ValueMeaning {
  const listed = elements(errors, MOST_LISTED).map(error => elements(error, 2))
  const isError = ([code, said]: unknown[]) =>
    typeof code === 'string' && /^[A-Z][A-Z_]+$/.test(code) && isSaid(said)
  if (listed.length === 0 || !listed.every(isError)) return SILENT
  return failed({ errors: listed.map(([code, message]) => ({ code, message })) })
}

const MOST_LISTED = 8

/** How many items of a batch are read for the reason they were not taken. */
const MOST_ITEMS = 500

function countedItems(fields: Fields, read: ReadFields): ValueMeaning {
  if (!FAILED_COUNTS.some(key => isCount(fields.get(key)))) return SILENT
  const items = [...fields.values()].flatMap(list => (isList(list) ? elements(list, MOST_ITEMS) : []))
  const refused = items.find(item => isObject(item) && isSaid(read(item).get('ErrorCode')))
  if (!isObject(refused)) return SILENT
  const item = read(refused)
  return failed({ code: item.get('ErrorCode'), message: item.get('ErrorMessage') })
}

/** AWS Lambda answers 200 for a function that threw; the payload is what it threw. */
function functionError(fields: Fields): ValueMeaning {
  const kind = fields.get('FunctionError')
  return isSaid(kind) ? failed([kind, fields.get('Payload') ?? null]) : SILENT
}

/** Names of a status, besides those of an HTTP answer. */
export const STATUS_NAMES: readonly string[] = ['httpCode', 'http_code', 'httpStatus', 'http_status']

/** One answer of a batch: a status, and the body that came with it. */
function isRefusedResponse(response: Fields): boolean {
  const status = response.get('status_code') ?? response.get('statusCode') ?? response.get('status')
  return isBadStatus(status) && response.has('body')
}

/** An answer that a tool passes on. A page in a list of pages has a status and a body too, and fields that say which it is. */
function isPassedOn(fields: Fields): boolean {
  if (!fields.has('body') || ![...STATUS_NAMES, 'statusCode'].some(name => isBadStatus(fields.get(name))))
    return false
  const others = [...fields].filter(([name]) => name !== 'body' && name !== 'headers')
  return isOutcomeAlone(new Map(others))
}

function isBadStatus(status: unknown): boolean {
  return typeof status === 'number' && status >= 400 && status <= 599
}

/** An error object with a message, next to nothing but request data: `{response: {error: {…}, uri}}`. */
function isRefusalInside(outcome: Fields, read: ReadFields): boolean {
  const error = outcome.get('error')
  if (!isObject(error) || isList(error) || !isSaid(read(error).get('message'))) return false
  return isOutcomeAlone(new Map([...outcome].filter(([name]) => name !== 'uri' && name !== 'url')))
}

/** A GraphQL mutation that did nothing: its answer holds only what the user did wrong. */
function refusedMutation(outcome: Fields, read: ReadFields): object | undefined {
  const [payload] = [...outcome.values()]
  if (outcome.size !== 1 || !isObject(payload) || isList(payload)) return undefined
  const fields = read(payload)
  const name = ['userErrors', 'mutationErrors', 'customerUserErrors'].find(name => fields.has(name))
  const [first] = name === undefined ? [] : elements(fields.get(name), 1)
  if (!isObject(first) || isList(first) || !isSaid(read(first).get('message'))) return undefined
  const didSomething = [...fields].some(
    ([field, value]) => field !== name && value !== null && !isList(value),
  )
  return didSomething ? undefined : first
}

/** A wrapper around the outcome of the call: a tool's, or opencode's message with its `info.error`. */
function insideFailed(fields: Fields, read: ReadFields): ValueMeaning {
  for (const key of ['result', 'data', 'response', 'output', 'info', 'json']) {
    const inner = fields.get(key)
    if (!isObject(inner) || isList(inner)) continue
    const outcome = read(inner)
    if (key === 'response' && isRefusedResponse(outcome)) return failed(inner)
    if (key === 'result' && isObject(outcome.get('errors')) && isBadState(outcome.get('status'), outcome))
      return failed(inner)
    const listed = key === 'json' ? listedErrors(outcome.get('errors')) : SILENT
    if (listed.says === 'failed') return listed
    const nested = key === 'data' ? outcome.get('info') : undefined
    if (isObject(nested) && isObject(read(nested).get('error'))) return failed(read(nested).get('error'))
    if (key === 'info' && isObject(outcome.get('error'))) return failed(outcome.get('error'))
    if (outcome.get('success') === false || outcome.get('ok') === false || outcome.get('isError') === true)
      return failed(inner)
    if (key === 'result' && outcome.get('status') === 'error' && isOutcomeAlone(outcome)) return failed(inner)
    if (isRefusalInside(outcome, read)) return failed(outcome.get('error'))
    const refused = key === 'data' ? refusedMutation(outcome, read) : undefined
    if (refused) return failed(refused)
  }
  return SILENT
}
