import { AgentEvent } from '../cli/event.ts'
import { isRecord, meaningOf } from '../cli/events.ts'
import { namedRefusal, vendorEnvelope } from './envelope.ts'
import { failureEnvelope, isNoWord } from './failure-envelope.ts'
import { modelAnswer } from './model-answer.ts'
import { jobOutcome, plainFlags } from './outcome.ts'
import { isOutcomeAlone } from './outcome-fields.ts'
import { elements, type Fields, isList, isObject, lastElements } from './read.ts'
import { FINE, failed, type ReadFields, SILENT, type ValueMeaning, type ValueTest } from './value-meaning.ts'

/** What a returned value says about itself. The first test that does not answer `silent` decides. */
export function meaningOfValue(value: object, read: ReadFields): ValueMeaning {
  if (isList(value)) return meaningOfList(value, read)
  const fields = read(value)
  for (const test of TESTS) {
    const meaning = test(value, fields, read)
    if (meaning.says !== 'silent') return meaning
  }
  return SILENT
}

/** A list of answer pieces is Google's streaming form, whose last piece says how it ended. Any other list is data. */
function meaningOfList(value: object, read: ReadFields): ValueMeaning {
  const [first, second] = elements(value, 2)
  if (!isPlain(first)) return SILENT
  if (second === undefined) return mayBeData(read(first)) ? SILENT : meaningOfValue(first, read)
  if (!['candidates', 'promptFeedback'].some(field => read(first).has(field))) return SILENT
  const meanings = lastElements(value, MOST_PIECES)
    .filter(isPlain)
    .map(piece => meaningOfValue(piece, read))
  return meanings.findLast(({ says }) => says === 'failed') ?? FINE
}

/**
 * True for what may be a data row, or a text that was asked for: it has an error in words, next to fields that are about
 * something. If a call returned it, it is the outcome; in a table or in a program's output it need not be.
 */
export function mayBeData(fields: Fields): boolean {
  if (fields.get('success') === false || fields.get('ok') === false) return isTestReport(fields)
  const error = fields.get('error')
  return error !== undefined && !isObject(error) && !isOutcomeAlone(fields)
}

/** A report that counts the tests that passed: its `success` is theirs, not that of the program that prints it. */
function isTestReport(fields: Fields): boolean {
  if (fields.has('error') || fields.has('message')) return false
  return [...fields].some(([name, count]) => typeof count === 'number' && PASSED.test(name))
}

const PASSED = /^(?:num|total|tests)?_?pass(?:ed|es|ing)(?:_?tests)?$/i

/** After the piece that tells how the answer ended, only pieces without content follow. */
const MOST_PIECES = 8

function isPlain(value: unknown): value is object {
  return isObject(value) && !isList(value)
}

const TESTS: readonly ValueTest[] = [
  toolResult,
  agentEvent,
  modelAnswer,
  vendorEnvelope,
  namedRefusal,
  failureEnvelope,
  jobOutcome,
  plainFlags,
]

/** MCP: `isError`, at the top level or in the result of a JSON-RPC answer. */
function toolResult(_value: object, fields: Fields, read: ReadFields): ValueMeaning {
  const [result, response] = [fields.get('result'), fields.get('response')]
  const inner = isObject(result) ? read(result) : isObject(response) ? read(response) : fields
  const told = toolError(fields, read)
  if (told) return told
  const flag = inner.get('isError') ?? inner.get('is_error')
  if (flag === true && fields.get('type') !== 'result') {
    const { content, structuredContent, ...rest } = Object.fromEntries(inner)
    return failed([content ?? null, structuredContent ?? null, rest], 'tool')
  }
  return refusedInText(inner, read)
}

/** No tool answer that reports failure in JSON is longer. */
const LONGEST_OUTCOME = 2_000

/** True for the content of a tool's answer that cannot be such JSON. */
export function isNoToolText(content: unknown): boolean {
  if (!Array.isArray(content) || content.length !== 1) return true
  const only: unknown = content[0]
  if (!isObject(only) || !('text' in only)) return true
  const text: unknown = Object.getOwnPropertyDescriptor(only, 'text')?.value
  return typeof text === 'string' && !OBJECT.test(text)
}

const OBJECT = /^\s{0,8}\{/

/** Many tools forget the flag: their whole answer is then one text, which is the JSON of a failed outcome. */
function refusedInText(result: Fields, read: ReadFields): ValueMeaning {
  const content = result.get('content')
  const [only, second] = isList(content) ? elements(content, 2) : []
  if (!isPlain(only) || second !== undefined || read(only).get('type') !== 'text') return SILENT
  const text = read(only).get('text')
  const outcome = typeof text === 'string' && text.length <= LONGEST_OUTCOME ? parseObject(text) : undefined
  if (outcome === undefined || isShown(text, result.get('structuredContent'), read)) return SILENT
  const fields = read(outcome)
  if (!isOutcomeAlone(fields)) return SILENT
  const saysNo =
    isNoWord(fields.get('status')) || fields.get('success') === false || fields.get('ok') === false
  // If the tool itself says it succeeded, an error alone may be what it was asked to show.
  const isFlagged = result.get('isError') === false || result.get('is_error') === false
  return saysNo || (!isFlagged && meaningOfValue(outcome, read).says === 'failed')
    ? failed(outcome, 'tool')
    : SILENT
}

/** A tool that also returns the text as a string in its data shows it, as a file's content; its own outcome would be data. */
function isShown(text: unknown, data: unknown, read: ReadFields): boolean {
  return isPlain(data) && [...read(data).values()].includes(text)
}

function parseObject(text: string): object | undefined {
  if (!OBJECT.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isPlain(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Types of messages that hold a tool's result. */
export function isToolType(type: string): boolean {
  return (
    type === 'error-text' ||
    type === 'error-json' ||
    type === 'tool' ||
    type === 'tool-error' ||
    type === 'tool-result' ||
    type === 'constructor'
  )
}

const TOOL_MESSAGE = new Set(
  'type role status name content id tool_call_id toolCallId artifact additional_kwargs response_metadata metadata'.split(
    ' ',
  ),
)

/** True if only message fields are present: a row about a tool has fields of its own. */
function isToolMessage(fields: Fields): boolean {
  return fields.has('content') && [...fields.keys()].every(name => TOOL_MESSAGE.has(name))
}

/** A failed tool as frameworks write it: LangChain's message with its status, the AI SDK's parts. */
function toolError(fields: Fields, read: ReadFields): ValueMeaning | undefined {
  const type = fields.get('type')
  const kwargs = type === 'constructor' ? fields.get('kwargs') : undefined
  const message = isObject(kwargs) ? read(kwargs) : fields
  const isTool = isObject(kwargs) || type === 'tool' || fields.get('role') === 'tool'
  if (isTool && message.get('status') === 'error' && isToolMessage(message))
    return failed([message.get('content')], 'tool')
  if (fields.get('state') === 'output-error' && fields.has('errorText'))
    return failed([fields.get('errorText')], 'tool')
  if (type === 'tool-error' && fields.has('error')) return failed({ error: fields.get('error') }, 'tool')
  const output = type === 'tool-result' ? fields.get('output') : undefined
  const result = isObject(output) ? read(output) : fields
  return /^error-(?:text|json)$/.test(String(result.get('type')))
    ? failed([result.get('value')], 'tool')
    : undefined
}

/** Rows of a log or a league table have a type "error" or "result" too, with fields that say what they are about. */
function isRow(type: string, fields: Fields): boolean {
  if (isRecord(fields) || isObject(fields.get('error'))) return false
  if (type === 'error') return !isOutcomeAlone(fields)
  return type === 'result' && !RESULT_FIELDS.some(name => fields.has(name))
}

/** Fields of agent results: how the run ended, as a word or a flag, or what it took. */
const RESULT_FIELDS = ['subtype', 'is_error', 'success', 'exitCode', 'stats', 'usage', 'num_turns']

function agentEvent(value: object, fields: Fields, read: ReadFields): ValueMeaning {
  const type = fields.get('type')
  if (typeof type !== 'string') return SILENT
  if (isRow(type, fields)) return SILENT
  const meaning = meaningOf(new AgentEvent(value, read))
  if (meaning.role === 'failed' || meaning.role === 'retrying' || meaning.role === 'warned')
    return failed(meaning.content, meaning.role === 'failed' ? meaning.by : undefined)
  return meaning.role === 'succeeded' || type === 'rate_limit_event' ? FINE : SILENT
}
