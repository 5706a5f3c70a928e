import { type AgentEvent, NO_TYPE } from './event.ts'
import { BEGAN, type EventMeaning, failed, IGNORED, PAUSED, retrying, SUCCEEDED, WORKED } from './meaning.ts'
import type { AgentProfile } from './profile.ts'
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
