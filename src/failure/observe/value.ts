import { namedRefusal, vendorEnvelope } from './envelope.ts'
import { isRecord, meaningOf } from './events.ts'
import { modelAnswer } from './model-answer.ts'
import { jobOutcome, plainFlags } from './outcome.ts'
import { isOutcomeAlone } from './outcome-fields.ts'
import { elements, type Fields, isList, isObject, lastElements } from './read.ts'
import { FINE, failed, type ReadFields, SILENT, type ValueMeaning, type ValueTest } from './value-meaning.ts'

/** What a returned value says about itself. The first test that speaks decides. */
export function meaningOfValue(value: object, read: ReadFields): ValueMeaning {
  if (isList(value)) return meaningOfList(value, read)
  const fields = read(value)
  for (const test of TESTS) {
    const meaning = test(value, fields, read)
    if (meaning.says !== 'silent') return meaning
  }
  return SILENT
}

/** A list of pieces of an answer is Google's streaming form, the last piece says how it ended; any other list is data. */
function meaningOfList(value: object, read: ReadFields): ValueMeaning {
  const [first, second] = elements(value, 2)
  if (!isPlain(first)) return SILENT
  if (second === undefined) return meaningOfValue(first, read)
  if (!['candidates', 'promptFeedback'].some(field => read(first).has(field))) return SILENT
  const meanings = lastElements(value, MOST_PIECES)
    .filter(isPlain)
    .map(piece => meaningOfValue(piece, read))
  return meanings.findLast(({ says }) => says === 'failed') ?? FINE
}

/** Behind the one that tells how it ended only pieces without content come. */
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
  jobOutcome,
  plainFlags,
]

/** MCP: `isError`, at the top or in the result of a JSON-RPC answer. */
function toolResult(_value: object, fields: Fields, read: ReadFields): ValueMeaning {
  const [result, response] = [fields.get('result'), fields.get('response')]
  const inner = isObject(result) ? read(result) : isObject(response) ? read(response) : fields
  const flag = inner.get('isError') ?? inner.get('is_error')
  if (flag === true && fields.get('type') !== 'result') {
    const { content, structuredContent, ...rest } = Object.fromEntries(inner)
    return failed([content ?? null, structuredContent ?? null, rest])
  }
  return SILENT
}

/** Rows of a log and of a league table have a type as well: "error", "result", and fields that tell what about. */
function isRow(type: string, fields: Fields): boolean {
  if (isRecord(fields) || isObject(fields.get('error'))) return false
  if (type === 'error') return !isOutcomeAlone(fields)
  return type === 'result' && !RESULT_FIELDS.some(name => fields.has(name))
}

/** What results of agents have: how it ended as a word or flag of theirs, or what it took. */
const RESULT_FIELDS = ['subtype', 'is_error', 'success', 'exitCode', 'stats', 'usage', 'num_turns']

function agentEvent(value: object, fields: Fields, read: ReadFields): ValueMeaning {
  const type = fields.get('type')
  if (typeof type !== 'string') return SILENT
  if (isRow(type, fields)) return SILENT
  const meaning = meaningOf(value, read)
  if (meaning.role === 'failed' || meaning.role === 'retrying') return failed(meaning.content)
  return meaning.role === 'succeeded' || type === 'rate_limit_event' ? FINE : SILENT
}
