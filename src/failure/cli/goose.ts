import { isStopNotice } from '../observe/notice.ts'
import { type AgentEvent, NO_TYPE, textParts } from './event.ts'
import { answered, CLOSED, type EventMeaning, failed, IGNORED, WORKED } from './meaning.ts'
import type { AgentProfile } from './profile.ts'

const OPENINGS = [
  /^(?:Network error|Request failed|Credits exhausted|Rate limit exceeded|Authentication error|Context length exceeded|Server error|Execution error): /,
  /^Please add credits to your account(?=[.,!\s]|$)/,
]

/** goose. Reports failures in the chat and exits 0. */
export const goose: AgentProfile = {
  name: 'goose',
  names: ['goose', 'goose-cli'],
  isOwnEvent,
  text: {
    words: ['starting session', 'please retry if you'],
    opening: /^starting session \| provider: /m,
    signs: /^Please retry if you think this is a transient or recoverable error\.$/m,
    finalError: /^Ran into this error/,
    work: /^─── \S+ \| \S+/m,
  },
  outcome: {
    complete: () => CLOSED,
    message: event => (event.get('role') === 'user' ? IGNORED : (noticeIn(event.inner('message')) ?? WORKED)),
    [NO_TYPE]: event =>
      isWholeChat(event) ? answered(textParts(event.parts('messages').at(-1), 8).at(-1)) : undefined,
  },
  usageExitCode: 2,
  notices: {
    openings: OPENINGS,
    lastWords:
      /^(?:Ran into this error(?: trying to compact)?: |Network error: |Request failed: |Credits exhausted: |Please add credits to your account(?:[.,!]|$)|I(?:'|’)ve reached the maximum number of actions I can do|The error above was an exception)/,
  },
}

function isOwnEvent(event: AgentEvent): boolean {
  if (event.type === NO_TYPE) return isWholeChat(event)
  return (event.type === 'complete' && event.has('total_tokens')) || event.type === 'notification'
}

const isWholeChat = (event: AgentEvent) => event.has('messages') && event.has('metadata')

/** It reports its provider's failures as assistant messages, and ends successfully. */
function noticeIn(message: AgentEvent | undefined): EventMeaning | undefined {
  const notice = textParts(message, 8).find(text => isStopNotice(text, OPENINGS))
  return notice === undefined ? undefined : failed({ message: notice })
}
