import { dataOf, ownKeys } from '../observe/read.ts'
import {
  CONTENT,
  ENVELOPE,
  type EventReading,
  type Grammar,
  objectOf,
  saysSomething,
  textOf,
} from './grammar.ts'

const OWN = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping)$/

/** Fields of a content block that announce it. */
const FRAME = new Set(['type', 'id', 'name', 'caller', 'tool_use_id', 'index', 'cache_control'])

/** A piece of text, of thought or of a tool's input, as the vendor writes it. */
const ANOTHER =
  /^\{"type": ?"content_block_delta", ?"index": ?\d{1,9}, ?"delta": ?\{"type": ?"(?:text|thinking|input_json)_delta", ?"(?:text|thinking|partial_json)": ?"(?!")[^"\\\0-\x1f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\0-\x1f]*)*" ?\} *\}$/

/** Anthropic's Messages API. The end is a `stop_reason` or `message_stop`. */
export const MESSAGES: Grammar = {
  another: ANOTHER,
  recognises: event => OWN.test(textOf(event, 'type')),
  begin: () => read,
}

function read(event: object): EventReading {
  const delta = objectOf(event, 'delta') ?? {}
  switch (textOf(event, 'type')) {
    case 'content_block_start':
      return isFilled(objectOf(event, 'content_block') ?? {}) ? CONTENT : ENVELOPE
    case 'content_block_delta':
      return isFilled(delta) ? CONTENT : ENVELOPE
    case 'message_delta': {
      const reason = textOf(delta, 'stop_reason')
      return reason === '' ? ENVELOPE : { finish: reason }
    }
    case 'message_stop':
      return { finish: '' }
    case 'error':
      return { failed: event }
    default:
      return ENVELOPE
  }
}

/** Some blocks come whole with their start: results of the server's own tools, hidden thoughts. */
function isFilled(block: object): boolean {
  return ownKeys(block, 16).some(key => !FRAME.has(key) && saysSomething(dataOf(block, key)))
}
