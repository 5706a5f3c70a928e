import { isApology } from '../observe/notice.ts'
import { type AgentEvent, NO_TYPE, textOfMessage } from './event.ts'
import { answered, type EventMeaning, IGNORED, retrying, stopped, WORKED } from './meaning.ts'
import type { AgentProfile } from './profile.ts'
import type { Work } from './work.ts'

/** Kimi CLI and Kimi Code: messages by role; a failed run says so on stderr. */
export const kimi: AgentProfile = {
  name: 'kimi',
  names: ['kimi', 'kimi-cli', 'kimi-code', 'kimi-for-coding'],
  isOwnEvent: event => event.type === NO_TYPE && (isMeta(event) || isMessage(event)),
  text: {
    words: ['kimi -r ', 'error: failed to run prompt'],
    signs: /\bkimi -r \w|^error: failed to run prompt: /m,
    finalError: /^error: failed to run prompt: /,
    session: /\bkimi -r ([\w-]{8,64})\s*$/m,
  },
  outcome: {
    [NO_TYPE]: event =>
      isMeta(event) ? metaOutcome(event) : isMessage(event) ? messageOutcome(event) : undefined,
  },
  spending: {
    [NO_TYPE]: event =>
      event.get('role') === 'assistant' && isMessage(event) ? { turn: 'begins' } : undefined,
  },
  work: { [NO_TYPE]: event => (isMeta(event) ? {} : messageWork(event)) },
  tellsOfTools: 'after',
  readingTools: ['ReadFile', 'Read', 'Glob', 'Grep'],
  sessionField: 'session_id',
  usageExitCode: 2,
}

const isMeta = (event: AgentEvent) => event.get('role') === 'meta'

function isMessage(event: AgentEvent): boolean {
  const role = event.get('role')
  // A message that only calls tools has no content.
  return role === 'tool'
    ? event.has('content')
    : role === 'assistant' && (event.has('content') || event.has('tool_calls'))
}

/** It ends the turn of a model that calls the same tool forever, and reports success. */
const GAVE_UP = /^This turn was ended by the repeat breaker\b/

function messageOutcome(event: AgentEvent): EventMeaning {
  const content = event.text('content')
  if (content === undefined) return WORKED
  if (event.get('role') === 'tool') return GAVE_UP.test(content) ? stopped({ message: content }) : WORKED
  return isApology(content) ? answered(content) : WORKED
}

function metaOutcome(event: AgentEvent): EventMeaning {
  if (event.get('type') !== 'turn.step.retrying') return IGNORED
  return retrying(event.value, { delayMs: event.amount('delay_ms') })
}

function messageWork(event: AgentEvent): Work | undefined {
  const role = event.get('role')
  if (role === 'tool') return { did: 'tool', text: '' }
  if (role !== 'assistant') return undefined
  const text = textOfMessage(event)
  const calls = event.parts('tool_calls')
  const tools = calls.map(call => call.inner('function')?.text('name'))
  return {
    ...(calls.length > 0 ? { did: 'tool', tools } : { did: 'progress' }),
    ...(text === '' ? {} : { text }),
  }
}
