import { classify } from '../../../failure/classify.ts'
import type { Failure } from '../../../failure/failure.ts'
import { durationInWords } from '../../../verdict/duration-words.ts'
import { printJson } from '../../print/print-json.ts'
import { type Hook, textOf } from './hook.ts'

/** Tools that ask somebody else; what a command or an edit says, the model reads itself. */
const REMOTE = /^(?:mcp__|Web(?:Fetch|Search)$|web_(?:fetch|search)$)/

/** Tells the model what a failed tool call means: a wait, a person, or another way. */
export const toolFailure: Hook = async (input, _flags, terminal) => {
  const tool = textOf(input, 'tool_name') ?? ''
  const error = textOf(input, 'error')
  if (error === undefined || input.is_interrupt === true || !REMOTE.test(tool)) return
  const failure = classify(error, { now: terminal.now() })
  const advice = failure && adviceFor(failure, error)
  if (advice === undefined || advice === null) return
  printJson(terminal, {
    hookSpecificOutput: {
      hookEventName: textOf(input, 'hook_event_name') ?? 'PostToolUseFailure',
      additionalContext: `Mulligan: ${advice}`,
    },
  })
}

/** What to do about it, for a model; undefined if nothing better than what it reads anyway. */
export function adviceFor(failure: Failure, error: string): string | undefined {
  const operation = /\bop_\d+\b/.exec(error)?.[0]
  if (operation !== undefined)
    return `the call is queued as ${operation} and runs when it can. Move on with other work; mulligan_result or the inbox has its result.`
  const { class: cls, kind, effect, retryAfterMs } = failure
  const maybe = effect === 'none' ? '' : ' It may have happened: check before you call it again.'
  if (kind === 'billing') return 'its account has no money left. Calling again will not help; tell the user.'
  if (cls === 'throttle') {
    const wait = retryAfterMs === undefined ? 'later' : `in ${durationInWords(retryAfterMs)}`
    return `a limit is reached. Do something else and call it again ${wait}.${maybe}`
  }
  if (kind === 'auth' || kind === 'forbidden')
    return 'a person must log in or grant access. Calling again will not help; tell the user.'
  if (cls === 'transient' || cls === 'timeout')
    return `this usually passes. Try once more after other work.${maybe}`
  return undefined
}
