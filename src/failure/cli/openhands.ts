import { family } from '../catalogue/rule.ts'
import { type AgentEvent, NO_TYPE } from './event.ts'
import { type EventMeaning, failed, WORKED } from './meaning.ts'
import type { AgentProfile, ProfileRules, ProfileSample } from './profile.ts'
import { answered, lines } from './shapes.ts'

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

const conversation = (code: string) => ({
  ...lines({ kind: 'ConversationErrorEvent', code, detail: 'stopped', source: 'environment' }),
  exitCode: 0,
})

/** Names of its errors. */
export const rules: ProfileRules = () =>
  family('openhands', {
    too_long: {
      kind: 'context_overflow',
      rank: 'cause',
      why: 'the conversation does not fit the model',
      when: { code: ['LLMContextWindowTooSmallError'] },
      example: conversation('LLMContextWindowTooSmallError'),
    },
    overloaded: {
      kind: 'overloaded',
      effect: 'none',
      why: 'its class for a provider that is down or overloaded',
      when: { code: ['LLMServiceUnavailableError'] },
      example: conversation('LLMServiceUnavailableError'),
    },
  })

export const sample = (): ProfileSample => ({
  success: answered('The 429 is handled now.', 0),
  failure: { ...conversation('MaxIterationsReached'), class: 'rail', kind: 'max_steps' },
})
