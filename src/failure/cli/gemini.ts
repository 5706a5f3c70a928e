import { family } from '../catalogue/rule.ts'
import { type AgentEvent, NO_TYPE } from './event.ts'
import { answered, type EventMeaning, failed, SUCCEEDED, stopped } from './meaning.ts'
import type { AgentProfile, ProfileRules, ProfileSample } from './profile.ts'
import { lines, printed } from './shapes.ts'
import { usageWithCached } from './spending.ts'

/** Gemini CLI. */
export const gemini: AgentProfile = {
  name: 'gemini',
  names: ['gemini-cli', 'gemini-code', 'antigravity', 'antigravity-cli'],
  isOwnEvent,
  text: {
    words: ['gemini cli', 'gemini-cli', 'gemini-client'],
    signs: /\bGemini CLI\b|\bgemini-cli\b|gemini-client-error-/,
    errorReport: /^Error when talking to \w+ API\b/,
  },
  endsWithEvent: true,
  failsOnStderr: true,
  outcome: { result: resultOutcome, error: gaveUp, [NO_TYPE]: singleObject },
  spending: {
    message: event => (event.get('role') === 'assistant' ? { turn: 'goes on' } : undefined),
    tool_use: () => ({ turn: 'ends' }),
    result: event =>
      event.has('stats')
        ? {
            total: {
              usage: usageWithCached(event.inner('stats'), {
                input: 'input_tokens',
                output: 'output_tokens',
                cached: 'cached',
              }),
            },
          }
        : undefined,
  },
  work: {
    init: event => ({ model: event.text('model') }),
    message: event =>
      event.get('role') === 'assistant' ? { did: 'progress', moreText: event.text('content') } : {},
    tool_use: event => ({ did: 'tool', tools: [event.text('tool_name')], text: '' }),
    tool_result: () => ({ did: 'tool', text: '' }),
  },
  tellsOfTools: 'before',
  readingTools: [
    'read_file',
    'read_many_files',
    'list_directory',
    'glob',
    'grep_search',
    'search_file_content',
  ],
  resultEvents: ['result'],
  sessionField: 'session_id',
  exitsWithStatus: true,
  exitCodeOverrulesSuccess: true,
  notices: {
    lastWords:
      /^(?:\[API Error: |The model (?:response was blocked|returned an empty)|Model response was truncated|Loop detected)/,
  },
}

function isOwnEvent(event: AgentEvent): boolean {
  if (event.type === 'result' || event.type === 'system') return event.has('stats')
  if (event.type === 'init') return event.has('session_id')
  return event.type === NO_TYPE && event.has('session_id') && (event.has('response') || event.has('error'))
}

const BAD_STATUS = /^(?:error|fail|abort|cancel|time)/i

function resultOutcome(event: AgentEvent): EventMeaning | undefined {
  if (!event.has('status')) return undefined
  return BAD_STATUS.test(String(event.get('status'))) ? failed(event.value) : SUCCEEDED
}

/** It calls this a warning, and reports success at the end. */
const GAVE_UP = /^(?:A potential )?loop (?:was )?detected\b/i

function gaveUp(event: AgentEvent): EventMeaning | undefined {
  const message = event.get('message') ?? event.get('content')
  return typeof message === 'string' && GAVE_UP.test(message) ? stopped({ message }) : undefined
}

/** Without streaming, the whole output is one object. */
function singleObject(event: AgentEvent): EventMeaning | undefined {
  if (!event.has('session_id')) return undefined
  const error = event.get('error')
  if (error !== undefined && error !== null && error !== '') return failed(event.value)
  const response = event.get('response')
  return typeof response === 'string' ? answered(response) : undefined
}

const failedRun = (type: string, message = 'stopped') =>
  lines(
    { type: 'init', session_id: 's-1', model: 'm' },
    { type: 'result', status: 'error', error: { type, message }, stats: {} },
  )
const exited = (exitCode: number) =>
  printed('{"session_id":"s-1","error":{"type":"Error","message":"stopped"}}', exitCode)

/** Exit codes with the same meaning in Gemini CLI and in Qwen Code, its fork. */
const code = (exit: number) => [
  { code: [`exit=${exit}`], also: ['agent=gemini'] },
  { code: [`exit=${exit}`], also: ['agent=qwen'] },
]

/** Gemini CLI and Qwen Code: class names in `error.type`, and their own exit codes. */
export const rules: ProfileRules = () =>
  family('gemini_cli', {
    login: {
      kind: 'auth',
      rank: 'cause',
      why: 'exit 41: no login method is set up, or the login is refused',
      when: [...code(41), { code: ['FatalAuthenticationError'] }, { says: ['enforced authentication type'] }],
      example: exited(41),
    },
    input: {
      kind: 'config',
      rank: 'cause',
      why: 'exit 42: no prompt, or a session that cannot be resumed',
      when: [...code(42), { code: ['FatalInputError'] }],
      example: exited(42),
    },
    sandbox: {
      kind: 'config',
      rank: 'cause',
      why: 'exit 44: the sandbox cannot be started',
      when: [...code(44), { code: ['FatalSandboxError'] }],
      example: exited(44),
    },
    settings: {
      kind: 'config',
      rank: 'cause',
      why: 'exit 52: the settings are wrong',
      when: [...code(52), { code: ['FatalConfigError'] }],
      example: exited(52),
    },
    turns: {
      kind: 'max_turns',
      rank: 'cause',
      why: 'exit 53: the turn limit of the settings',
      when: [...code(53), { code: ['FatalTurnLimitedError'] }],
      example: exited(53),
    },
    tool: {
      kind: 'disk_full',
      rank: 'cause',
      effect: 'maybe',
      why: 'exit 54: a tool found the disk full, the only tool error that ends a run',
      when: [...code(54), { code: ['FatalToolExecutionError'] }],
      example: exited(54),
    },
    untrusted: {
      kind: 'config',
      rank: 'cause',
      why: 'exit 55: the folder is not trusted',
      when: [{ code: ['exit=55'], also: ['agent=gemini'] }, { code: ['FatalUntrustedWorkspaceError'] }],
      example: exited(55),
    },
    cancelled: {
      kind: 'aborted',
      rank: 'cause',
      why: 'a person pressed Ctrl-C',
      when: { code: ['FatalCancellationError'] },
      example: failedRun('FatalCancellationError'),
    },
    quota: {
      kind: 'quota',
      why: 'its class for a quota that does not return soon; it does not retry',
      when: { code: ['TerminalQuotaError'] },
      example: failedRun('TerminalQuotaError'),
    },
    account: {
      kind: 'forbidden',
      scope: 'account',
      rank: 'cause',
      why: 'the account has to be verified in a browser, or is suspended',
      when: [
        { code: ['ValidationRequiredError', 'AccountSuspendedError', 'TOS_VIOLATION'] },
        { says: ['verify your account to continue', 'tos violation'] },
      ],
      example: failedRun('ValidationRequiredError', 'Verify your account to continue'),
    },
    tries_used_up: {
      kind: 'network',
      rank: 'said',
      why: 'its own retries are used up, and it does not say what failed',
      when: { says: ['retry attempts exhausted'] },
      example: failedRun('Error', 'Retry attempts exhausted'),
    },
    cut: {
      kind: 'max_tokens',
      rank: 'cause',
      effect: 'maybe',
      why: 'the model stopped at its maximum answer length; the advice to compress concerns something else',
      when: { says: ['model response was truncated because it exceeded the token limit'] },
      example: failedRun(
        'Error',
        'Model response was truncated because it exceeded the token limit. Try using /compress to free up context space.',
      ),
    },
    looped: {
      kind: 'max_steps',
      rank: 'cause',
      effect: 'maybe',
      why: 'it noticed that it repeats a tool or a sentence and gave up, but reports success',
      when: { says: ['loop detected stopping execution', 'potential loop was detected'] },
      example: 'A potential loop was detected',
    },
    empty: {
      kind: 'server_error',
      rank: 'named',
      why: 'the answer was empty',
      when: [
        { says: ['empty response with no text', 'empty response with no content'] },
        { code: ['INVALID_STREAM'], unless: ['blocked due to', 'truncated because'] },
      ],
      example: failedRun(
        'Error',
        'The model returned an empty response with no text or thoughts. Please try again.',
      ),
    },
  })

export const sample = (): ProfileSample => ({
  success: {
    exitCode: 0,
    stdout: lines(
      { type: 'init', session_id: 's-1', model: 'gemini-3-pro' },
      { type: 'message', role: 'user', content: 'fix it' },
      { type: 'message', role: 'assistant', content: 'The 429 ', delta: true },
      { type: 'message', role: 'assistant', content: 'is handled now.', delta: true },
      { type: 'result', status: 'success', stats: { input_tokens: 9, output_tokens: 2, cached: 0 } },
    ).stdout,
  },
  answer: { text: 'The 429 is handled now.', sessionId: 's-1', turns: 1 },
  failure: {
    ...failedRun('FatalTurnLimitedError'),
    class: 'rail',
    kind: 'max_turns',
    sessionId: 's-1',
  },
})
