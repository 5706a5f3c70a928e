import type { AgentEvent } from './event.ts'
import { answered, type EventMeaning, failed, retrying, WORKED } from './meaning.ts'
import type { AgentProfile } from './profile.ts'

/** Cline. */
export const cline: AgentProfile = {
  name: 'cline',
  names: ['cline', 'cline-cli'],
  isOwnEvent: event => event.has('ts') && /^(?:run_|agent_event|team_event)/.test(event.type),
  endsWithEvent: true,
  failsOnStderr: true,
  outcome: {
    run_result: runResult,
    run_aborted: () => failed({ finishReason: 'aborted' }),
    agent_event: innerEvent,
  },
  spending: {
    run_result: event => ({
      total: { turns: event.amount('iterations'), usd: event.inner('usage')?.amount('totalCost') },
    }),
  },
  resultEvents: ['run_result', 'run_aborted'],
  sessionField: 'sessionId',
}

function runResult(event: AgentEvent): EventMeaning {
  const finishReason = event.get('finishReason')
  if (finishReason === 'completed') return answered(event.get('text'))
  return failed(finishReason === 'error' ? { message: event.get('text') } : { finishReason })
}

function innerEvent(event: AgentEvent): EventMeaning {
  const inner = event.inner('event')
  if (inner?.get('type') !== 'error') return WORKED
  return inner.get('recoverable') === true ? retrying(inner.value) : failed(inner.value)
}
