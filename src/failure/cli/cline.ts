import { family } from '../catalogue/rule.ts'
import type { AgentEvent } from './event.ts'
import { answered, type EventMeaning, failed, retrying, WORKED } from './meaning.ts'
import type { AgentProfile, ProfileRules, ProfileSample } from './profile.ts'
import { lines, printed } from './shapes.ts'

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

const ended = (finishReason: string) =>
  lines({ ts: 't', type: 'run_result', finishReason, text: 'as far as I got', iterations: 6 })

/** Why a run finished, and the limits of Cline's own plans. */
export const rules: ProfileRules = () =>
  family('cline', {
    iterations: {
      kind: 'max_steps',
      rank: 'cause',
      why: 'the iteration limit is reached',
      when: { code: ['finish_reason=max_iterations'] },
      example: ended('max_iterations'),
    },
    mistakes: {
      kind: 'max_steps',
      rank: 'cause',
      why: 'the allowed number of consecutive mistakes is used up',
      when: { code: ['finish_reason=mistake_limit'] },
      example: ended('mistake_limit'),
    },
    pass: {
      kind: 'usage_limit',
      rank: 'cause',
      why: 'a window of its subscription is used up',
      when: { says: ['cline pass limit reached', 'clinepass limit reached'] },
      example: printed('error: ClinePass limit reached for this window'),
    },
    no_subscription: {
      kind: 'billing',
      rank: 'cause',
      why: 'the models belong to a subscription the account does not have',
      when: { says: ['no access to (cline pass|clinepass) subscription'] },
      example: printed('error: No access to ClinePass subscription models yet. Subscribe to continue.'),
    },
  })

export const sample = (): ProfileSample => ({
  success: {
    exitCode: 0,
    stdout: lines(
      { ts: 't', type: 'run_start', sessionId: 'l-1' },
      { ts: 't', type: 'run_result', finishReason: 'completed', text: 'The 429 is handled now.' },
    ).stdout,
  },
  failure: {
    ...lines(
      { ts: 't', type: 'run_start', sessionId: 'l-1' },
      {
        ts: 't',
        type: 'run_result',
        finishReason: 'max_iterations',
        text: 'as far as I got',
        iterations: 6,
        usage: { totalCost: 0.5 },
      },
    ),
    class: 'rail',
    kind: 'max_steps',
    sessionId: 'l-1',
    turns: 6,
    costUsd: 0.5,
  },
})
