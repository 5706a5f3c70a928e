import { family } from '../catalogue/rule.ts'
import type { AgentEvent } from './event.ts'
import type { AgentProfile, ProfileRules, ProfileSample } from './profile.ts'
import { RESULT_STREAM_OUTCOME, RESULT_STREAM_SPENDING, RESULT_STREAM_WORK } from './result-line.ts'
import { answered, lines, result } from './shapes.ts'

/** Claude Code and its SDK. */
export const claude: AgentProfile = {
  name: 'claude',
  names: [
    'claude',
    'claude-code',
    'claude-cli',
    'claude-agent-sdk',
    'claude-code-action',
    'claudecode',
    'claudecli',
  ],
  isOwnEvent,
  endsWithEvent: true,
  outcome: RESULT_STREAM_OUTCOME,
  spending: RESULT_STREAM_SPENDING,
  work: RESULT_STREAM_WORK,
  otherEvents: ['rate_limit_event', 'keep_alive', 'auth_status', 'control_request', 'control_response'],
  tellsOfTools: 'before',
  readingTools: ['Read', 'Glob', 'Grep', 'LS', 'NotebookRead'],
  resultEvents: ['result'],
  sessionField: 'session_id',
  totalsOfSession: ['cost'],
}

function isOwnEvent(event: AgentEvent): boolean {
  if (event.type !== 'result' && event.type !== 'system') return false
  if (['claude_code_version', 'total_cost_usd', 'modelUsage'].some(field => event.has(field))) return true
  // Cursor's first line also has a key source, but with other values and without tools.
  const keySource = event.text('apiKeySource')
  if (keySource === undefined || event.has('request_id')) return false
  return event.has('tools') || !/^(?:env|flag|login)$/.test(keySource)
}

/** Fields of the result line, and sentences that no other vendor uses. */
export const rules: ProfileRules = () =>
  family('claude_code', {
    max_turns: {
      kind: 'max_turns',
      rank: 'cause',
      why: 'the result names the turn limit; its text may be missing',
      when: { code: ['subtype=error_max_turns', 'terminal_reason=max_turns'] },
      example: result({ subtype: 'error_max_turns', errors: [] }),
    },
    max_budget: {
      kind: 'max_budget',
      rank: 'cause',
      why: 'the result names the cost limit given on the command line',
      when: { code: ['subtype=error_max_budget_usd', 'terminal_reason=budget_exhausted'] },
      example: result({ subtype: 'error_max_budget_usd', errors: [] }),
    },
    structured_output: {
      kind: 'max_steps',
      rank: 'cause',
      why: 'the answer never matched the schema, and the allowed corrections are used up',
      when: {
        code: [
          'subtype=error_max_structured_output_retries',
          'terminal_reason=structured_output_retry_exhausted',
        ],
      },
      example: result({ subtype: 'error_max_structured_output_retries', errors: [] }),
    },
    no_room: {
      kind: 'context_overflow',
      rank: 'cause',
      why: 'the conversation no longer fits, and compacting it does not help',
      when: {
        code: [
          'terminal_reason=prompt_too_long',
          'terminal_reason=blocking_limit',
          'terminal_reason=rapid_refill_breaker',
        ],
      },
      example: result({ subtype: 'error_during_execution', errors: [], terminal_reason: 'blocking_limit' }),
    },
    image: {
      kind: 'invalid_request',
      why: 'an image in the conversation was refused; every turn sends it again',
      when: { code: ['terminal_reason=image_error'] },
      example: result({ subtype: 'error_during_execution', errors: [], terminal_reason: 'image_error' }),
    },
    interrupted: {
      kind: 'aborted',
      rank: 'cause',
      why: 'the turn was stopped while it streamed or ran a tool',
      when: { code: ['terminal_reason=aborted_streaming', 'terminal_reason=aborted_tools'] },
      example: result({ subtype: 'error_during_execution', errors: [], terminal_reason: 'aborted_tools' }),
    },
    tool_call: {
      kind: 'bad_json',
      rank: 'cause',
      why: 'the model wrote an unreadable tool call twice; a fresh turn may work',
      when: [
        { code: ['terminal_reason=malformed_tool_use_exhausted'] },
        { says: ['tool call could not be parsed'] },
      ],
      example: result({ subtype: 'error_during_execution', terminal_reason: 'malformed_tool_use_exhausted' }),
    },
    startup_settings: {
      kind: 'config',
      why: 'it stopped before the first turn because of a setting, a flag or the folder',
      when: {
        code: [
          'proxy_invalid',
          'cwd_unavailable',
          'config_file_invalid',
          'bypass_root',
          'provider_not_allowed',
          'shell_tool_missing',
          'sandbox_required_unavailable',
          'startup_managed',
        ],
      },
      example: result({
        subtype: 'error_during_execution',
        errors: [],
        startup_failure_reason: 'proxy_invalid',
        num_turns: 0,
      }),
    },
    startup_login: {
      kind: 'auth',
      why: 'it stopped before the first turn because the organisation or its gateway does not accept the login',
      when: { code: ['startup_org', 'startup_gateway'] },
      example: result({
        subtype: 'error_during_execution',
        errors: [],
        startup_failure_reason: 'org_mismatch',
        num_turns: 0,
      }),
    },
    startup_unsure: {
      kind: 'server_error',
      rank: 'cause',
      effect: 'none',
      why: 'a question at the start could not be asked; no work has begun',
      when: { code: ['org_verify_failed', 'org_config_required_unavailable', 'worktree_unverified'] },
      example: result({
        subtype: 'error_during_execution',
        errors: [],
        startup_failure_reason: 'org_verify_failed',
        num_turns: 0,
      }),
    },
    session_held: {
      class: 'permanent',
      kind: 'lock',
      rank: 'cause',
      effect: 'none',
      why: 'a background run holds the session until it ends',
      when: { code: ['session_held_by_background'] },
      example: result({
        subtype: 'error_during_execution',
        errors: [],
        startup_failure_reason: 'session_held_by_background',
        num_turns: 0,
      }),
    },
    refused: {
      kind: 'content_policy',
      rank: 'cause',
      why: 'the safeguards ended the conversation; the error code only says invalid request',
      when: [
        { code: ['stop_reason=refusal'], also: ['agent=claude'] },
        { says: ['cant help with this …… new session'] },
      ],
      example: result({
        subtype: 'success',
        result: "API Error: Claude can't help with this. Start a new session to continue.",
      }),
    },
    unpaid: {
      kind: 'billing',
      rank: 'cause',
      why: 'usage beyond the plan is not paid for: credits, seats, shared team budgets',
      when: {
        says: [
          'hit your … (shared|team) budget',
          '(org|organization|workspace) is out of usage',
          'usage is paused for your',
          '(seat type|seat|plan) doesnt include',
          'requires usage credits',
        ],
      },
      example: answered("You've hit your team's shared budget · ask an admin"),
    },
    limiting: {
      kind: 'rate_limit',
      rank: 'cause',
      why: 'its words for a 429 unrelated to the plan; they mention capacity, but another provider works at once',
      when: [{ says: ['temporarily limiting requests'] }, { says: ['request rejected #'], status: [429] }],
      example: answered('API Error: Request rejected (429) · this may be a temporary capacity issue'),
    },
    stalled: {
      kind: 'stream_cut',
      rank: 'named',
      why: 'its stream watchdog ended a response that stopped arriving; the part received is kept',
      when: {
        says: [
          'api error terminated',
          'stalled mid stream',
          'response stopped arriving',
          '(response|stream) stalled before a response',
          'went to sleep mid',
        ],
      },
      example: answered('API Error: Response stalled mid-stream. The response above may be incomplete.'),
    },
    key_helper: {
      kind: 'auth',
      rank: 'cause',
      why: 'the script that supplies the key fails',
      when: { says: ['api key helper … (failing|failed|returned)'] },
      example: answered('Your apiKeyHelper script is failing. See /status'),
    },
    attachment: {
      kind: 'context_overflow',
      rank: 'cause',
      why: 'an image or document in the conversation is too large; a smaller one fits',
      when: {
        says: ['(image|pdf|document) was too large', '(image|pdf|document|request) too large …… press esc'],
      },
      example: answered(
        'Image was too large. Double press esc to go back and try again with a smaller image.',
      ),
    },
    broken_session_file: {
      class: 'permanent',
      kind: 'bad_json',
      rank: 'cause',
      why: 'the stored session is damaged; reading it again fails the same way',
      when: { says: ['error parsing line in …… jsonl'] },
      example:
        'Error: Error parsing line in /home/u/.claude/projects/p/1.jsonl: SyntaxError: Unterminated string in JSON at position 26',
    },
  })

export const sample = (): ProfileSample => ({
  success: {
    exitCode: 0,
    stdout: lines(
      { type: 'system', subtype: 'init', session_id: 's-1', model: 'opus', claude_code_version: '2.1.0' },
      {
        type: 'assistant',
        session_id: 's-1',
        message: { id: 'm-1', content: [{ type: 'text', text: 'The 429 is handled now.' }] },
      },
      {
        type: 'result',
        subtype: 'success',
        is_error: false,
        result: 'The 429 is handled now.',
        session_id: 's-1',
        num_turns: 1,
        total_cost_usd: 0.02,
      },
    ).stdout,
  },
  answer: { text: 'The 429 is handled now.', sessionId: 's-1', turns: 1, costUsd: 0.02 },
  failure: {
    ...result({ subtype: 'error_max_turns', errors: [], num_turns: 3, total_cost_usd: 0.5 }),
    class: 'rail',
    kind: 'max_turns',
    sessionId: 's-1',
    turns: 3,
    costUsd: 0.5,
  },
})
