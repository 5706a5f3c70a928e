import { type AgentEvent, NO_TYPE } from './event.ts'
import { answered, type EventMeaning, failed, retrying, SUCCEEDED, WORKED } from './meaning.ts'
import type { AgentProfile } from './profile.ts'

// Agent CLIs that need few words each.

/** aider. Reports failures in the chat and exits 0. */
export const aider: AgentProfile = {
  name: 'aider',
  names: ['aider'],
  text: {
    words: ['aider v', 'the api provider', 'tokens: '],
    opening: /^Aider v\d/m,
    signs: /^The API provider(?:'s servers| has| is| timed)|^Tokens: .{1,80} Cost: \$/m,
    finalError: /^litellm\.\w+:(?:\s|$)/,
    work: /^(?:Applied edit to |Commit [0-9a-f]{7})/m,
    price: /^Tokens: .{0,80}Cost: .{0,40}\$(\d+(?:\.\d+)?) session\b/gm,
  },
  usageExitCode: 2,
  notices: {
    lastWords:
      /^(?:litellm\.\w+:(?:\s|$)|Model \S+ has hit a token limit!|Only \d+ reflections allowed|Insufficient credits with)/,
  },
}

/** Amp. Prints a stream like Claude Code's. */
export const amp: AgentProfile = {
  name: 'amp',
  names: ['amp', 'ampcode'],
  isOwnEvent: isOfAmp,
  endsWithEvent: true,
  failsOnStderr: true,
  sessionField: 'session_id',
  notices: { lastComplaint: /^Error: / },
}

function isOfAmp(event: AgentEvent): boolean {
  if (event.type !== 'result' && event.type !== 'system') return false
  if (event.text('session_id')?.startsWith('T-')) return true
  return event.get('is_error') === true && typeof event.get('error') === 'string'
}

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

/** Continue's command, `cn`. */
export const continueCli: AgentProfile = {
  name: 'continue',
  names: ['continue', 'continue-cli', 'cn'],
  failsOnStderr: true,
}

/** Crush. Prints its errors under a heading. */
export const crush: AgentProfile = {
  name: 'crush',
  names: ['crush'],
  text: {
    words: ['agent processing failed', 'agent run failed'],
    signs: /\bagent (?:processing|run) failed: /,
    finalError: /^ERROR\s*$/,
  },
  failsOnStderr: true,
  usageExitCode: 2,
  notices: { lastWords: /^ERROR\s*$/ },
}

/** Cursor CLI. Prints a stream like Claude Code's. */
export const cursor: AgentProfile = {
  name: 'cursor',
  names: ['cursor', 'cursor-agent', 'cursor-cli'],
  isOwnEvent: isOfCursor,
  endsWithEvent: true,
  failsOnStderr: true,
  sessionField: 'session_id',
}

function isOfCursor(event: AgentEvent): boolean {
  if (event.type !== 'result' && event.type !== 'system') return false
  if (event.has('request_id')) return true
  return /^(?:env|flag|login)$/.test(event.text('apiKeySource') ?? '') && !event.has('tools')
}

/** Factory's droid. Prints a stream like Claude Code's, except for the last line. */
export const droid: AgentProfile = {
  name: 'droid',
  names: ['droid', 'factory', 'factory-droid'],
  isOwnEvent: isOfDroid,
  endsWithEvent: true,
  outcome: { completion: event => answered(event.get('finalText')) },
  spending: { completion: event => ({ total: { turns: event.amount('numTurns') } }) },
  sessionField: 'session_id',
  usageExitCode: 2,
}

function isOfDroid(event: AgentEvent): boolean {
  if (event.type === 'completion') return event.has('finalText')
  return (event.type === 'result' || event.type === 'system') && event.get('subtype') === 'failure'
}

/** OpenHands. The outcome is a word in an event, never the exit code. */
export const openhands: AgentProfile = {
  name: 'openhands',
  names: ['openhands', 'openhands-cli'],
  isOwnEvent: event => event.type === NO_TYPE && isConversation(event),
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

const isConversation = (event: AgentEvent) => /Event$/.test(event.text('kind') ?? '')

function conversationEvent(event: AgentEvent): EventMeaning | undefined {
  if (event.get('kind') === 'ConversationErrorEvent') return failed(event.value)
  return isConversation(event) ? WORKED : undefined
}

/** Plandex. */
export const plandex: AgentProfile = {
  name: 'plandex',
  names: ['plandex'],
  failsOnStderr: true,
  notices: { lastWords: /^🚨 / },
}

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

/** SWE-agent. The outcome is a word in its trajectory, never the exit code. */
export const sweAgent: AgentProfile = {
  name: 'swe-agent',
  names: ['swe-agent', 'sweagent', 'mini-swe-agent', 'mini-sweagent'],
  isOwnEvent: event => event.type === NO_TYPE && event.has('trajectory') && event.has('info'),
  outcome: { [NO_TYPE]: exitStatus },
  usageExitCode: 2,
  notices: { lastWords: /\bexit_[a-z_]+\b|\bExit(?:ing)? due to / },
}

/** When stopped early, it submits what it has: "submitted (exit_cost)". */
function exitStatus(event: AgentEvent): EventMeaning | undefined {
  const status = event.inner('info')?.get('exit_status')
  if (typeof status !== 'string') return undefined
  const reason = /\bexit_\w+/.exec(status)?.[0] ?? status
  return reason === 'submitted' || reason === 'exit_forfeit' ? SUCCEEDED : failed({ exit_status: reason })
}
