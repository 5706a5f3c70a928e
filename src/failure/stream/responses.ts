import { dataOf } from '../observe/read.ts'
import { CONTENT, ENVELOPE, type Grammar, objectOf, textOf } from './grammar.ts'

/** What happens around the answer: `response.created`, `response.output_item.added`, `….in_progress`. */
const FRAME = /\.(?:created|queued|in_progress|added|searching|generating|interpreting)$|^keepalive$/

/** OpenAI's Responses API. */
export const RESPONSES: Grammar = {
  recognises: event => textOf(event, 'type').startsWith('response.'),
  begin() {
    let hasRefused = false
    return event => {
      const type = textOf(event, 'type')
      const response = objectOf(event, 'response') ?? {}
      switch (type) {
        case 'response.completed':
        case 'response.done':
          return textOf(response, 'status') === 'failed'
            ? { failed: event }
            : { finish: hasRefused ? 'refusal' : 'completed' }
        case 'response.incomplete': {
          const details = objectOf(response, 'incomplete_details') ?? {}
          return { finish: textOf(details, 'reason') || 'incomplete' }
        }
        case 'response.failed':
        case 'response.cancelled':
        case 'error':
          return { failed: event }
      }
      if (type.startsWith('response.refusal.')) hasRefused = true
      const isEmpty = type.endsWith('.delta') && dataOf(event, 'delta') === ''
      return isEmpty || FRAME.test(type) ? ENVELOPE : CONTENT
    }
  },
}
