import { isApology, isSignedNotice } from './notice.ts'
import { elements, type Fields, isList, isObject } from './read.ts'
import { FINE, failed, type ReadFields, SILENT, type ValueMeaning } from './value-meaning.ts'

const BAD_STOPS = new Set([
  'refusal',
  'max_tokens',
  'model_context_window_exceeded',
  'guardrail_intervened',
  'content_filtered',
  'malformed_model_output',
  'malformed_tool_use',
  'sensitive',
  // Agent Client Protocol, between editors and agents.
  'max_turn_requests',
  'cancelled',
])
const BAD_FINISHES = new Set(
  `length content_filter error error_toxic timeout max_tokens insufficient_system_resource sensitive network_error
  model_context_window_exceeded content-filter error_limit model_length refusal abort max_output_tokens
  content_filtered safety recitation blocklist prohibited_content spii malformed_function_call`.split(/\s+/),
)
const GOOD_GEMINI = new Set(['STOP', 'FINISH_REASON_UNSPECIFIED'])

/** How many alternative answers to one question are read. */
export const MOST_CHOICES = 8

/** Field names for why the model stopped, and the objects that SDKs put them in. */
export const FINISHES: readonly string[] = ['finish_reason', 'finishReason', 'done_reason']
const STOPS: readonly string[] = ['stop_reason', 'stopReason']
export const BOXES: readonly string[] = ['delta', 'response_metadata', 'generation_info', 'generationInfo']

export function isBadStop(reason: unknown): boolean {
  return typeof reason === 'string' && BAD_STOPS.has(reason)
}

export function isBadFinish(reason: unknown): boolean {
  return typeof reason === 'string' && BAD_FINISHES.has(reason.toLowerCase())
}

export function isGoodOfGemini(reason: string): boolean {
  return GOOD_GEMINI.has(reason)
}

/** Answers of model APIs that came with 200 but contain no answer. */
export function modelAnswer(value: object, fields: Fields, read: ReadFields): ValueMeaning {
  const said = fields.get('role') === 'assistant' ? fields.get('content') : undefined
  if (typeof said === 'string' && isApology(said)) return failed([said], 'model')
  // A stream has it in the last change of the message; frameworks keep it next to theirs.
  const boxes = boxesOf(fields, read)
  const stop = stopIn(boxes)
  if (stop !== undefined) return isBadStop(stop) || isBadFinish(stop) ? failed(value) : FINE
  for (const choice of elements(fields.get('choices'), MOST_CHOICES).filter(isObject)) {
    const answer = read(choice)
    const message = answer.get('message')
    const refusal = isObject(message) ? read(message).get('refusal') : undefined
    if (typeof refusal === 'string' && refusal !== '') return failed({ finish_reason: 'refusal', refusal })
    if (isObject(answer.get('error')) || isBadFinish(answer.get('finish_reason'))) return failed(value)
    const content = isObject(message) ? read(message).get('content') : undefined
    if (typeof content === 'string' && (isSignedNotice(content) || isApology(content)))
      return failed([content], 'model')
  }
  if (hasNoChoice(fields)) return failed({ message: 'the model returned an empty response' })
  const candidates = elements(fields.get('candidates'), MOST_CHOICES).filter(isObject)
  const finishes = candidates
    .map(candidate => read(candidate).get('finishReason'))
    .filter(finish => typeof finish === 'string')
  if (finishes.some(finish => !isGoodOfGemini(finish))) return failed(value)
  const live = fields.get('serverContent')
  if (isObject(live) && typeof read(live).get('turnCompleteReason') === 'string') return failed(live)
  const feedback = fields.get('promptFeedback')
  if (isObject(feedback) && read(feedback).has('blockReason')) return failed(value)
  if (boxes.some(box => FINISHES.some(name => isBadFinish(box.get(name))))) return failed(value)
  if (candidates.length > 0) return FINE
  // Gemini says how much it read, and neither answers nor says why not.
  const isEmpty =
    isObject(fields.get('usageMetadata')) &&
    !isObject(feedback) &&
    ['modelVersion', 'responseId', 'candidates'].some(name => fields.has(name))
  return isEmpty ? failed({ message: 'the model returned an empty response' }) : SILENT
}

/** A chat completion that counts its tokens, but has no answer. The first piece of a stream has none yet. */
function hasNoChoice(fields: Fields): boolean {
  const choices = fields.get('choices')
  if (!isList(choices) || elements(choices, 1).length > 0) return false
  return isObject(fields.get('usage')) && fields.get('object') !== 'chat.completion.chunk'
}

/** The answer itself, and the objects that frameworks keep next to it. */
function boxesOf(fields: Fields, read: ReadFields): Fields[] {
  const boxes = [fields]
  for (const name of BOXES) {
    const box = fields.get(name)
    if (isObject(box)) boxes.push(read(box))
  }
  return boxes
}

function stopIn(boxes: readonly Fields[]): string | undefined {
  for (const box of boxes) {
    for (const name of STOPS) {
      const stop = box.get(name)
      if (typeof stop === 'string') return stop
    }
  }
  return undefined
}
