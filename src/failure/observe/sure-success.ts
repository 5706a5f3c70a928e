import { isEventType } from '../cli/events.ts'
import { CODES, isErrorName, isFaultCode } from './envelope.ts'
import { isNoWord, isOff } from './failure-envelope.ts'
import { EXIT } from './finished-process.ts'
import { BOXES, FINISHES, isBadFinish, isBadStop, isGoodOfGemini, MOST_CHOICES } from './model-answer.ts'
import { isApology } from './notice.ts'
import {
  EXCEPTION,
  FAILED_COUNTS,
  FAILED_ITEMS,
  FLAGS,
  isCount,
  isEndState,
  isNo,
  JOBS,
  NAMED_ERROR,
  STATUS_NAMES,
} from './outcome.ts'
import { isList, isObject, isPlain, MOST_KEYS } from './read.ts'
import { isNoToolText, isToolType } from './value.ts'

/**
 * A quick test of a returned value, because every successful call pays for it: field by field, without allocating. True only
 * if the full test (value.ts) finds no failure. False means that the full test must decide.
 */
export function isSureSuccess(value: unknown): boolean {
  try {
    if (!isObject(value)) return true
    return Array.isArray(value) ? isFineList(value) : isFineObject(value)
  } catch {
    // A proxy that throws: the full test can read those.
    return false
  }
}

/** A list can report a failure only as a streamed answer, or if it wraps a single object. */
function isFineList(list: readonly unknown[]): boolean {
  const first = list[0]
  if (!isObject(first) || Array.isArray(first)) return true
  if (list[1] === undefined) return isFineObject(first)
  return !('candidates' in first || 'promptFeedback' in first)
}

function isFineObject(value: object): boolean {
  // Other objects may keep fields on their prototype, where this loop does not see them, and reading those can run code.
  if (!isPlain(value)) return false
  let keys = 0
  for (const key in value) {
    if (++keys > MOST_KEYS) return false
    const isHarmless = HARMLESS.get(key)
    if (isHarmless === undefined ? namesFailure(key) : !isHarmless(dataOf(value, key))) return false
  }
  // Gemini's answer without an answer.
  return !('usageMetadata' in value) || 'candidates' in value
}

/** Fields that report a failure by the end of their name. */
function namesFailure(key: string): boolean {
  // A regex costs more than everything else here, and most names end in another letter.
  const last = key.at(-1)
  if (last === 'n') return EXCEPTION.test(key)
  return (last === 'r' || last === 'R') && NAMED_ERROR.test(key)
}

/** A field as data: a getter does not run and counts as absent. A throw is left to the full test. */
function dataOf(value: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(value, key)?.value
}

type Content = (content: unknown) => boolean

const isAbsent: Content = content => content === undefined
const isNull: Content = content => content === undefined || content === null
const isNothing: Content = content => isNull(content) || content === false || content === ''
const isNoObject: Content = content => !isObject(content)
const isValueOrList: Content = content => !isObject(content) || isList(content)
const isNoneOrEmpty: Content = content =>
  isNothing(content) || typeof content === 'number' || (Array.isArray(content) && content.length === 0)

/**
 * Every field that the full test reads, with the contents that cannot be part of a failure in any combination. The full test
 * reads no field that is missing here.
 */
const HARMLESS: ReadonlyMap<string, Content> = new Map(
  Object.entries<Content>({
    // What already carries a failure; a failure itself has a message.
    failure: isNoObject,
    // A finished process, an error, an HTTP answer.
    ...Object.fromEntries([...EXIT, 'stdout', 'stderr', 'signal', 'cmd', 'shortMessage'].map(absent)),
    message: isAbsent,
    name: name => !isErrorName(name),
    status_txt: isAbsent,
    status_text: isAbsent,
    status: status =>
      isNothing(status) ||
      (typeof status === 'string' && !isEndState(status) && !isNoWord(status) && status !== '0'),
    statusCode: content => typeof content !== 'number',
    // Agent events. A `message` event says more in its field of that name.
    type: type => typeof type !== 'string' || type === 'message' || !(isEventType(type) || isToolType(type)),
    role: role => role !== 'meta' && role !== 'tool',
    state: state => typeof state !== 'string' || (state !== 'output-error' && !isEndState(state)),
    ...Object.fromEntries(JOBS.map(name => [name, isNoObject])),
    ...Object.fromEntries(STATUS_NAMES.map(name => [name, (status: unknown) => typeof status !== 'number'])),
    stat: stat => !isNoWord(stat),
    meta: isNoObject,
    head: isNoObject,
    header: isNoObject,
    fault: isNoObject,
    __type: isAbsent,
    Code: isAbsent,
    // Model answers.
    stop_reason: stop => !isBadStop(stop) && !isBadFinish(stop),
    stopReason: stop => !isBadStop(stop) && !isBadFinish(stop),
    ...Object.fromEntries(FINISHES.map(name => [name, finish => !isBadFinish(finish)])),
    ...Object.fromEntries(BOXES.map(name => [name, isNoObject])),
    choices: areFineChoices,
    candidates: areFineCandidates,
    serverContent: isNoObject,
    promptFeedback: isNoObject,
    // Vendor envelopes and refusals.
    base_resp: isNoObject,
    Response: response => isNoObject(response) && !isNo(response),
    Error: isNothing,
    'Error Message': isNothing,
    Note: isNothing,
    Information: isNothing,
    error_code: isNull,
    error_message: isNothing,
    errorMessage: isNothing,
    errorType: isNothing,
    detail: isNothing,
    ...Object.fromEntries(CODES.map(name => [name, (code: unknown) => !isFaultCode(code)])),
    // Flags of tools and APIs, and of what they wrap.
    error: isNothing,
    errors: isNoneOrEmpty,
    Errors: isNoneOrEmpty,
    ...Object.fromEntries(FLAGS.map(name => [name, (flag: unknown) => !isOff(flag)])),
    Success: success => success !== false,
    isError: flag => flag !== true,
    is_error: flag => flag !== true && isNoObject(flag),
    ...Object.fromEntries(FAILED_ITEMS.map(name => [name, isNoneOrEmpty])),
    ...Object.fromEntries(FAILED_COUNTS.map(name => [name, (count: unknown) => !isCount(count)])),
    FunctionError: isNothing,
    failures: isNoneOrEmpty,
    content: content => isNoToolText(content) && !(typeof content === 'string' && isApology(content)),
    result: result => wrapsNoOutcome(result) && !isNoWord(result),
    data: data => wrapsNoOutcome(data) && listsNoOutcome(data),
    request_counts: isNoObject,
    output: wrapsNoOutcome,
    info: wrapsNoOutcome,
    json: wrapsNoOutcome,
    response: isValueOrList,
  }),
)

function absent(name: string): [string, Content] {
  return [name, isAbsent]
}

function wrapsNoOutcome(content: unknown): boolean {
  if (isValueOrList(content)) return true
  if (!isPlain(content as object)) return false
  // Written out: a loop over the names would cost more than everything else here.
  return !(
    'type' in (content as object) ||
    'success' in (content as object) ||
    'ok' in (content as object) ||
    'isError' in (content as object) ||
    'is_error' in (content as object) ||
    'error' in (content as object) ||
    'errors' in (content as object) ||
    'status' in (content as object) ||
    'info' in (content as object)
  )
}

function listsNoOutcome(content: unknown): boolean {
  const first: unknown = Array.isArray(content) ? content[0] : undefined
  return !isObject(first) || (isPlain(first) && !('status' in first))
}

function areFineChoices(choices: unknown): boolean {
  if (!Array.isArray(choices)) return true
  return choices.length > 0 && choices.length <= MOST_CHOICES && choices.every(isFineChoice)
}

function isFineChoice(choice: unknown): boolean {
  if (!isObject(choice)) return true
  if (!isPlain(choice)) return false
  if (isObject(dataOf(choice, 'error')) || isBadFinish(dataOf(choice, 'finish_reason'))) return false
  const message = dataOf(choice, 'message')
  if (!isObject(message)) return true
  if (!isPlain(message) || !isNothing(dataOf(message, 'refusal'))) return false
  const content = dataOf(message, 'content')
  // A gateway signs its notices with its name in brackets.
  return typeof content !== 'string' || !(content.startsWith('[') || isApology(content))
}

function areFineCandidates(candidates: unknown): boolean {
  return (
    !Array.isArray(candidates) || (candidates.length <= MOST_CHOICES && candidates.every(isFineCandidate))
  )
}

function isFineCandidate(candidate: unknown): boolean {
  if (!isObject(candidate)) return true
  if (!isPlain(candidate)) return false
  const finishReason = dataOf(candidate, 'finishReason')
  return typeof finishReason !== 'string' || isGoodOfGemini(finishReason)
}
