import { namedRefusal, vendorEnvelope } from './envelope.ts'
import { meaningOf } from './events.ts'
import { modelAnswer } from './model-answer.ts'
import { jobOutcome, plainFlags } from './outcome.ts'
import { elements, type Fields, isList, isObject } from './read.ts'
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

/** A body in a one-element list is Google's streaming form; any other list is data. */
function meaningOfList(value: object, read: ReadFields): ValueMeaning {
  const list = elements(value, 2)
  return list.length === 1 && isObject(list[0]) && !isList(list[0]) ? meaningOfValue(list[0], read) : SILENT
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

function agentEvent(value: object, fields: Fields, read: ReadFields): ValueMeaning {
  if (typeof fields.get('type') !== 'string') return SILENT
  const meaning = meaningOf(value, read)
  if (meaning.role === 'failed' || meaning.role === 'retrying') return failed(meaning.content)
  return meaning.role === 'succeeded' || fields.get('type') === 'rate_limit_event' ? FINE : SILENT
}
