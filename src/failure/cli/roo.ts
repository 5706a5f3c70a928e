import type { AgentEvent } from './event.ts'
import { answered, type EventMeaning, failed } from './meaning.ts'
import type { AgentProfile, ProfileRules, ProfileSample } from './profile.ts'
import { lines } from './shapes.ts'

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

/** No rules of its own: the general rules recognise its failures. */
export const rules: ProfileRules = () => []

export const sample = (): ProfileSample => ({
  success: {
    exitCode: 0,
    stdout: lines({ type: 'result', success: true, content: 'The 429 is handled now.', done: true }).stdout,
  },
  failure: {
    ...lines(
      { type: 'error', content: '429 Too Many Requests', done: true },
      { type: 'result', success: false, cost: { totalCost: 0.1 }, done: true },
    ),
    class: 'throttle',
    kind: 'rate_limit',
    costUsd: 0.1,
  },
})
