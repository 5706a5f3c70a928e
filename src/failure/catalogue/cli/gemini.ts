import { family } from '../rule.ts'
import { lines, printed } from './shapes.ts'

const failed = (type: string, message = 'stopped') =>
  lines(
    { type: 'init', session_id: 's-1', model: 'm' },
    { type: 'result', status: 'error', error: { type, message }, stats: {} },
  )
const exited = (exitCode: number) =>
  printed('{"session_id":"s-1","error":{"type":"Error","message":"stopped"}}', exitCode)

/** Exit codes that mean the same in Gemini CLI and in Qwen Code, its fork. */
const code = (exit: number) => [
  { code: [`exit=${exit}`], also: ['agent=gemini'] },
  { code: [`exit=${exit}`], also: ['agent=qwen'] },
]

/** Gemini CLI and Qwen Code: class names in `error.type`, exit codes of their own. */
export default family('gemini_cli', {
  login: {
    kind: 'auth',
    rank: 'cause',
    why: 'exit 41: no way of logging in is set up, or it is refused',
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
    why: 'exit 53: the ceiling of turns in the settings',
    when: [...code(53), { code: ['FatalTurnLimitedError'] }],
    example: exited(53),
  },
  tool: {
    kind: 'disk_full',
    rank: 'cause',
    effect: 'maybe',
    why: 'exit 54: a tool found no room on the disk, the one tool error that ends a run',
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
    why: 'somebody pressed Ctrl-C',
    when: { code: ['FatalCancellationError'] },
    example: failed('FatalCancellationError'),
  },
  quota: {
    kind: 'quota',
    why: 'its class for an allowance that does not come back soon; it does not try again',
    when: { code: ['TerminalQuotaError'] },
    example: failed('TerminalQuotaError'),
  },
  rate: {
    kind: 'rate_limit',
    why: 'its class for a limit that it waited out in vain',
    when: { code: ['RetryableQuotaError'] },
    example: failed('RetryableQuotaError'),
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
    example: failed('ValidationRequiredError', 'Verify your account to continue'),
  },
  tries_used_up: {
    kind: 'network',
    rank: 'said',
    why: 'its own tries are used up and it does not say what they met',
    when: { says: ['retry attempts exhausted'] },
    example: failed('Error', 'Retry attempts exhausted'),
  },
  cut: {
    kind: 'max_tokens',
    rank: 'cause',
    effect: 'maybe',
    why: 'the model stopped at the longest answer that it may give; the advice to compress is about something else',
    when: { says: ['model response was truncated because it exceeded the token limit'] },
    example: failed(
      'Error',
      'Model response was truncated because it exceeded the token limit. Try using /compress to free up context space.',
    ),
  },
  looped: {
    kind: 'max_steps',
    rank: 'cause',
    effect: 'maybe',
    why: 'it saw itself repeat a tool or a sentence and gave up, and calls that a success',
    when: { says: ['loop detected stopping execution', 'potential loop was detected'] },
    example: lines(
      { type: 'init', session_id: 's-1', model: 'm' },
      { type: 'error', severity: 'warning', message: 'Loop detected, stopping execution' },
      { type: 'result', status: 'success', stats: {} },
    ),
  },
  empty: {
    kind: 'server_error',
    rank: 'named',
    why: 'the answer came and held nothing',
    when: [
      { says: ['empty response with no text', 'empty response with no content'] },
      { code: ['INVALID_STREAM'], unless: ['blocked due to', 'truncated because'] },
    ],
    example: failed(
      'Error',
      'The model returned an empty response with no text or thoughts. Please try again.',
    ),
  },
})
