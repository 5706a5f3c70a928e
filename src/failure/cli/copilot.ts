import { family } from '../catalogue/rule.ts'
import type { AgentEvent } from './event.ts'
import { failed, IGNORED, retrying, SUCCEEDED } from './meaning.ts'
import type { AgentProfile, ProfileRules, ProfileSample } from './profile.ts'
import { lines } from './shapes.ts'

/** GitHub Copilot CLI. */
export const copilot: AgentProfile = {
  name: 'copilot',
  names: ['copilot', 'copilot-cli', 'github-copilot', 'github-copilot-cli'],
  isOwnEvent,
  endsWithEvent: true,
  failsOnStderr: true,
  outcome: {
    'session.error': event =>
      event.inner('data')?.get('errorType') === 'model_call' ? retrying(event.value) : failed(event.value),
    'session.info': event =>
      event.inner('data')?.get('infoType') === 'model_retry' ? retrying(event.value) : IGNORED,
    result: event => {
      if (!event.has('exitCode')) return undefined
      return event.get('exitCode') === 0 ? SUCCEEDED : failed({})
    },
  },
  resultEvents: ['result'],
  sessionField: 'sessionId',
  notices: { lastComplaint: /^(?:Error: |Execution failed: )/ },
}

function isOwnEvent(event: AgentEvent): boolean {
  if (event.type === 'result' || event.type === 'system') return event.has('exitCode')
  return /^(?:session|assistant|tool)\./.test(event.type) && event.has('data')
}

const failedRun = (data: object) =>
  lines(
    { type: 'session.error', data, id: 'e-1', timestamp: 't' },
    { type: 'result', sessionId: 's-1', exitCode: 1, usage: {} },
  )

/** GitHub Copilot CLI: the words of its session.error, and how it speaks of credits. */
export const rules: ProfileRules = () =>
  family('copilot_cli', {
    credits: {
      kind: 'billing',
      rank: 'cause',
      why: 'the credits of the month are spent, and extra use is not paid for',
      when: [
        { code: ['error_type=quota'], also: ['agent=copilot'] },
        { code: ['billing_not_configured'] },
        { says: ['(run|ran) out of your … credits', 'no remaining quota for premium requests'] },
      ],
      example: 'You have no remaining quota for premium requests',
    },
    not_allowed: {
      kind: 'forbidden',
      why: 'its word for a login without the right',
      when: { code: ['error_type=authorization'], also: ['agent=copilot'] },
      example: failedRun({ errorType: 'authorization', message: 'no' }),
    },
    refused: {
      kind: 'content_policy',
      rank: 'cause',
      effect: 'maybe',
      why: 'the model declined, or a filter held its answer back, and the run ended well',
      when: {
        says: [
          '(sorry but|sorry) i (cannot|cant|am unable to|m unable to) (assist|help|comply|continue)',
          'i (cannot|cant|am unable to) (assist|comply) with (this|that)',
          'filtered by the responsible ai',
          'content violates usage guidelines',
        ],
      },
      example: {
        exitCode: 0,
        signal: null,
        stdout:
          'Sorry, the response was filtered by the Responsible AI Service. Please rephrase your prompt and try again.\n',
        stderr: '',
      },
      exampleProvider: 'copilot',
    },
    too_long: {
      kind: 'context_overflow',
      rank: 'cause',
      why: 'its word for a conversation that does not fit',
      when: { code: ['error_type=context_limit'] },
      example: failedRun({ errorType: 'context_limit', message: 'no' }),
    },
  })

/** One good and one bad run. */
export const sample = (): ProfileSample => ({
  success: {
    exitCode: 0,
    stdout: lines(
      { type: 'assistant.message', data: { content: 'The 429 is handled now.' }, id: 'e-1', timestamp: 't' },
      { type: 'result', sessionId: 's-1', exitCode: 0, usage: {} },
    ).stdout,
  },
  failure: {
    ...failedRun({ errorType: 'authentication', message: 'no' }),
    class: 'permanent',
    kind: 'auth',
    sessionId: 's-1',
  },
})
