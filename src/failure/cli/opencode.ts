import { family } from '../catalogue/rule.ts'
import { type AgentEvent, NO_TYPE } from './event.ts'
import { BEGAN, type EventMeaning, failed, IGNORED, PAUSED, retrying, SUCCEEDED, WORKED } from './meaning.ts'
import type { AgentProfile, ProfileRules, ProfileSample } from './profile.ts'
import { lines, printed } from './shapes.ts'
import type { Spending } from './spending.ts'
import type { Work } from './work.ts'

/** opencode and its fork Kilo. */
export const opencode: AgentProfile = {
  name: 'opencode',
  names: ['opencode', 'opencode-go', 'opencode-cli', 'kilo', 'kilo-code', 'kilo-cli'],
  isOwnEvent: event => event.type !== NO_TYPE && event.has('sessionID'),
  text: {
    // The separator, with its spaces.
    words: [' · '],
    opening: /^> \w+ · \S+$/m,
    // Excludes the error that only says where to read what failed.
    finalError: /^Error: (?!Unexpected error, check log file)/,
    work: /^(?:\| {2}\w+|[→←✱⚙◇$] ?\S)/m,
  },
  endsWithEvent: true,
  failsOnStderr: true,
  outcome: {
    step_start: () => BEGAN,
    step_finish: stepOutcome,
    error: event => (event.has('sessionID') ? failed(event.value) : undefined),
    'session.status': event =>
      event.inner('status')?.get('type') === 'retry' ? retrying(event.value) : IGNORED,
  },
  spending: { step_start: () => ({ turn: 'begins' }), step_finish: stepSpending },
  work: {
    // The last step contains the answer.
    step_start: () => ({ did: 'start', text: '' }),
    text: event => ({ did: 'words', moreText: event.inner('part')?.text('text') }),
    reasoning: () => ({ did: 'words' }),
    tool_use: event => ({ did: 'tool', tools: [event.inner('part')?.text('tool')] }),
    step_finish: stepWork,
  },
  tellsOfTools: 'before',
  readingTools: ['read', 'glob', 'grep', 'list'],
  resultEvents: ['error'],
  sessionField: 'sessionID',
  notices: { lastComplaint: /^(?:Error: |! permission requested: .*auto-rejecting)/ },
}

/** Stands for the finish reason `unknown`, in words that the catalogue knows. */
const NO_FINISH_REASON = 'the stream ended without a finish reason'

const reasonOf = (event: AgentEvent) => event.inner('part')?.get('reason')

function stepOutcome(event: AgentEvent): EventMeaning {
  const reason = reasonOf(event)
  switch (reason) {
    case 'stop':
      return SUCCEEDED
    case 'length':
    case 'content-filter':
      return failed({ finishReason: reason })
    // After these two it asks again on its own, without end.
    case 'error':
      return { role: 'failed', content: { finishReason: reason }, asksAgain: true }
    case 'unknown':
      return { role: 'failed', content: { message: NO_FINISH_REASON }, asksAgain: true }
    case 'tool-calls':
      return WORKED
    // After tools another step must follow. Vendors whose finish reason opencode does not know end like this.
    default:
      return PAUSED
  }
}

function stepSpending(event: AgentEvent): Spending {
  const part = event.inner('part')
  const tokens = part?.inner('tokens')
  const cachedTokens = tokens?.inner('cache')?.amount('read') ?? 0
  return {
    // An empty answer has no beginning.
    turn: 'ends',
    usd: part?.amount('cost'),
    usage: {
      inputTokens: (tokens?.amount('input') ?? 0) + cachedTokens,
      outputTokens: tokens?.amount('output') ?? 0,
      cachedTokens,
    },
  }
}

function stepWork(event: AgentEvent): Work {
  const reason = reasonOf(event)
  return { did: reason === 'error' || reason === 'unknown' ? 'words' : 'progress' }
}

const event = (name: string, data: object = {}) =>
  lines({ type: 'error', timestamp: 1, sessionID: 'ses_1', error: { name, data } })

/** opencode and its fork Kilo: named errors, and what they say about permissions that cannot be granted. */
export const rules: ProfileRules = () =>
  family('opencode', {
    login: {
      kind: 'auth',
      rank: 'cause',
      why: 'the provider could not be set up with the available credentials',
      when: [
        { code: ['ProviderInitError', 'PAID_MODEL_AUTH_REQUIRED'] },
        { says: ['provider auth error'] },
        { says: ['failed to initialize provider'] },
      ],
      example: event('ProviderInitError', { providerID: 'anthropic' }),
    },
    too_long: {
      kind: 'context_overflow',
      rank: 'cause',
      why: 'the conversation or the answer does not fit the model',
      when: { code: ['ContextOverflowError', 'MessageOutputLengthError'] },
      example: event('MessageOutputLengthError'),
    },
    cancelled: {
      kind: 'aborted',
      rank: 'cause',
      why: 'the user or a client aborted the message or one of its tools',
      when: [{ code: ['MessageAbortedError'] }, { says: ['tool execution aborted'] }],
      example: '"title": "read config", "error": "Tool execution aborted"',
    },
    permission: {
      kind: 'config',
      rank: 'cause',
      effect: 'maybe',
      why: 'a permission was requested and no person was there to grant it',
      when: { says: ['auto rejected permission', '(permission|permissions) requested …… auto rejecting'] },
      example: printed('Error: run ended with an auto-rejected permission; pass --auto for autonomous use'),
    },
    connection: {
      kind: 'network',
      rank: 'said',
      why: 'the response arrived damaged, or its own network retries are used up',
      when: { says: ['decompression failed', 'network retry limit reached'] },
      example: event('UnknownError', { message: 'Response decompression failed' }),
    },
    unexplained: {
      kind: 'unknown',
      rank: 'named',
      why: 'the server reports every defect as the same 500, even a model that does not exist; only its log says more',
      when: {
        says: [
          'unexpected server error check server logs',
          'unexpected server error …… check server logs for details',
        ],
      },
      example: {
        status: 500,
        headers: {},
        body: {
          name: 'UnknownError',
          data: { message: 'Unexpected server error. Check server logs for details.', ref: 'err_1' },
        },
      },
    },
    no_text: {
      kind: 'unknown',
      rank: 'named',
      why: 'an answer without text and without an error says nothing about why',
      when: { code: ['message=empty response'] },
      example: new Error('empty response'),
    },
    provider_deadline: {
      kind: 'gateway_timeout',
      rank: 'named',
      why: "the provider did not begin to answer in time; the caller's budget may have plenty left",
      when: { code: ['ProviderHeaderTimeoutError'] },
      example: event('APIError', { message: 'no headers', metadata: { code: 'ProviderHeaderTimeoutError' } }),
    },
    wrong_shape: {
      kind: 'invalid_request',
      rank: 'cause',
      why: 'the model did not produce the requested structure, even after its own retries',
      when: { code: ['StructuredOutputError'] },
      example: event('StructuredOutputError', { message: 'no', retries: 0 }),
    },
    free_allowance: {
      kind: 'quota',
      rank: 'cause',
      why: "the free models' allowance is used up",
      when: { code: ['PROMOTION_MODEL_LIMIT_REACHED', 'free_tier_limit'] },
      example: event('APIError', {
        message: 'no',
        responseBody: '{"error":{"code":"PROMOTION_MODEL_LIMIT_REACHED"}}',
      }),
    },
  })

export const sample = (): ProfileSample => ({
  success: {
    exitCode: 0,
    stdout: lines(
      { type: 'step_start', timestamp: 1, sessionID: 'ses_1', part: {} },
      { type: 'text', timestamp: 2, sessionID: 'ses_1', part: { text: 'The 429 is handled now.' } },
      { type: 'step_finish', timestamp: 3, sessionID: 'ses_1', part: { reason: 'stop', cost: 0.25 } },
    ).stdout,
  },
  answer: { text: 'The 429 is handled now.', sessionId: 'ses_1', turns: 1, costUsd: 0.25 },
  failure: {
    ...lines(
      { type: 'step_start', timestamp: 1, sessionID: 'ses_1', part: {} },
      { type: 'step_finish', timestamp: 2, sessionID: 'ses_1', part: { reason: 'tool-calls', cost: 0.25 } },
      {
        type: 'error',
        timestamp: 3,
        sessionID: 'ses_1',
        error: { name: 'ContextOverflowError', data: { message: 'too long' } },
      },
    ),
    class: 'permanent',
    kind: 'context_overflow',
    sessionId: 'ses_1',
    turns: 1,
    costUsd: 0.25,
  },
})
