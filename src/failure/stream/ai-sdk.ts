import { dataOf, isObject } from '../observe/read.ts'
import { CONTENT, ENVELOPE, type EventReading, type Grammar, objectOf, textOf } from './grammar.ts'

/** Parts that come before the model has said anything, and between what it says. */
const FRAME = new Set([
  ...[
    'start',
    'start-step',
    'step-start',
    'stream-start',
    'response-metadata',
    'message-metadata',
    'raw',
    'ping',
  ],
  ...['text-start', 'reasoning-start', 'tool-input-start', 'text-end', 'reasoning-end', 'tool-input-end'],
  ...['model-call-start', 'model-call-response-metadata', 'model-call-end', 'finish-step', 'custom'],
])

/** Types that programs give to events of their own do not show that it is the AI SDK. */
const TOO_COMMON = /^(?:start|raw|ping|error|finish|abort|file|source|object|custom)$/
const OWN = /^(?:text|reasoning|tool-input)-(?:start|delta|end)$|^tool-(?:call|result|error)$/

/** Parts of the AI SDK: of `fullStream`, of a language model, and of the stream to the browser. */
export const AI_SDK: Grammar = {
  recognises(event) {
    const type = textOf(partOf(event), 'type')
    return OWN.test(type) || (FRAME.has(type) && !TOO_COMMON.test(type))
  },
  begin: () => chunk => read(partOf(chunk)),
}

/** The part in a chunk: a chunk of `streamText` contains one; a chunk of `streamObject` is one. */
export function partOf(chunk: object): object {
  return objectOf(chunk, 'part') ?? chunk
}

function read(part: object): EventReading {
  const type = textOf(part, 'type')
  switch (type) {
    case 'error':
      return { failed: dataOf(part, 'error') ?? dataOf(part, 'errorText') ?? part }
    case 'finish':
      return readFinish(part)
    case 'text-delta':
    case 'reasoning-delta':
      return isEmpty(part) ? ENVELOPE : CONTENT
    default:
      return FRAME.has(type) ? ENVELOPE : CONTENT
  }
}

function isEmpty(part: object): boolean {
  return ['text', 'delta', 'textDelta'].every(key => textOf(part, key) === '')
}

/**
 * The SDK finishes every stream, also one that its source cut: newer versions say `interrupted`, older ones make up a
 * reason without the vendor's word. A usage shows that the vendor finished.
 */
function readFinish(part: object): EventReading {
  const given = dataOf(part, 'finishReason')
  const unified = isObject(given) ? textOf(given, 'unified') : typeof given === 'string' ? given : ''
  const raw = isObject(given) ? textOf(given, 'raw') : textOf(part, 'rawFinishReason')
  if (unified === 'interrupted') return { isCut: true }
  if ((unified === 'other' || unified === 'unknown') && raw === '' && !hasUsage(part)) return { isCut: true }
  return { finish: raw !== '' && unified === 'other' ? raw : unified }
}

function hasUsage(part: object): boolean {
  return ['usage', 'totalUsage'].some(key => {
    const usage = objectOf(part, key)
    const tokens = usage && (dataOf(usage, 'outputTokens') ?? dataOf(usage, 'completionTokens'))
    const total = isObject(tokens) ? dataOf(tokens, 'total') : tokens
    return typeof total === 'number' && total > 0
  })
}
