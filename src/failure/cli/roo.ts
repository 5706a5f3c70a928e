import type { AgentEvent } from './event.ts'
import { answered, type EventMeaning, failed } from './meaning.ts'
import type { AgentProfile } from './profile.ts'

/** Roo Code. */
export const roo: AgentProfile = {
  name: 'roo',
  names: ['roo', 'roo-code', 'roo-cli'],
  isOwnEvent: event => (event.type === 'result' || event.type === 'system') && event.has('success'),
  endsWithEvent: true,
  outcome: { result: resultOutcome },
  spending: {
    result: event =>
      event.has('success') ? { total: { usd: event.inner('cost')?.amount('totalCost') } } : undefined,
  },
  resultEvents: ['result'],
  sessionField: 'taskId',
  notices: { lastWords: /^\[(?:api request failed|CLI)\]/i },
}

function resultOutcome(event: AgentEvent): EventMeaning | undefined {
  if (!event.has('success')) return undefined
  const content = event.get('content')
  return event.get('success') === true ? answered(content) : failed({ message: content })
}
