import { type EventMeaning, failed, type ReadFields, textsOf, WORKED } from './meaning.ts'
import { isStopNotice } from './notice.ts'
import { elements, type Fields, isObject } from './read.ts'

/** Words of `terminal_reason` that only say that the reason stands elsewhere. */
const SILENT_REASONS = new Set([
  'api_error',
  'model_error',
  'completed',
  'stop_hook_prevented',
  'hook_stopped',
  'tool_deferred',
  'background_requested',
])

/** `result` is the answer of a good run and the error text of a bad one; only here is it known which. */
export function withResultAsText(fields: Fields): unknown {
  const content: Record<string, unknown> = Object.fromEntries(fields)
  const errors = elements(fields.get('errors'), 8)
  if (typeof content.result === 'string' && errors.length === 0) content.message = content.result
  // The synthetic message of an API failure ends in a stop sequence that no model wrote.
  if (content.stop_reason !== 'refusal') delete content.stop_reason
  if (SILENT_REASONS.has(content.terminal_reason as string)) delete content.terminal_reason
  // The type of the vendor's own error, which stood inside of what Claude Code says about it.
  if (typeof content.api_error_type === 'string' && content.error === undefined)
    content.error = { type: content.api_error_type }
  delete content.result
  const startup = content.startup_failure_reason
  // New reasons appear under old prefixes, which say who has to act: org, gateway, managed settings.
  if (typeof startup === 'string') content.category = `startup_${startup.split('_', 1)[0]}`
  return content
}

/** Claude Code puts the text of an API failure into the mouth of the assistant; the run may still go on. */
export function syntheticMessage(fields: Fields, read: ReadFields): EventMeaning | undefined {
  const message = fields.get('message')
  const made =
    fields.has('error') ||
    fields.get('isApiErrorMessage') === true ||
    (isObject(message) && read(message).get('model') === '<synthetic>')
  if (!made) return undefined
  const text = textsOf(message, read).join('\n')
  // The word in `error` is the vaguer of the two: "high load" carries rate_limit, a lost connection server_error.
  return failed(text === '' ? { error: fields.get('error') } : { message: text })
}

/** goose reports provider failures as messages of the assistant and ends with success. */
export function chatMessage(message: unknown, read: ReadFields): EventMeaning {
  const notice = textsOf(message, read).find(text => isStopNotice(text, 'goose'))
  return notice === undefined ? WORKED : failed({ message: notice })
}
