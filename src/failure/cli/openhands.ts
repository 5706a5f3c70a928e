import { type AgentEvent, NO_TYPE } from './event.ts'
import { type EventMeaning, failed, WORKED } from './meaning.ts'
import type { AgentProfile } from './profile.ts'

/** OpenHands. The outcome is a word in an event, never the exit code. */
export const openhands: AgentProfile = {
  name: 'openhands',
  names: ['openhands', 'openhands-cli'],
  isOwnEvent: event => event.type === NO_TYPE && isKind(event),
  text: {
    words: ['conversation run failed'],
    signs: /^\W{0,8}Conversation run failed for id=/m,
    finalError: /^Conversation run failed for id=/,
  },
  eventMark: '--JSON Event--',
  mixesEventsWithText: true,
  outcome: { [NO_TYPE]: conversationEvent },
  usageExitCode: 2,
  notices: { lastWords: /^(?:Conversation run failed for id=|\W*Conversation Error\b)/ },
}

const isKind = (event: AgentEvent) => /Event$/.test(event.text('kind') ?? '')

function conversationEvent(event: AgentEvent): EventMeaning | undefined {
  if (event.get('kind') === 'ConversationErrorEvent') return failed(event.value)
  return isKind(event) ? WORKED : undefined
}
