import { family } from '../rule.ts'
import { lines, printed } from './shapes.ts'

const failedTurn = (message: string) =>
  lines({ type: 'thread.started', thread_id: 't-1' }, { type: 'turn.failed', error: { message } })

/** Codex CLI, which gives neither codes nor statuses: its sentences are all there is. */
export default family('codex', {
  plan_without: {
    kind: 'billing',
    rank: 'cause',
    why: 'the plan does not include it; only a paid one does',
    when: { says: ['use codex with your chat gpt plan'] },
    example: failedTurn(
      'To use Codex with your ChatGPT plan, upgrade to Plus: https://openai.com/chatgpt/pricing.',
    ),
  },
  key_variable: {
    kind: 'auth',
    why: 'the variable that should hold the key of a provider is not set',
    when: { says: ['missing environment variable … (key|token)'] },
    example: printed('ERROR: Missing environment variable: `OPENROUTER_API_KEY`.'),
  },
  overrides: {
    kind: 'config',
    rank: 'cause',
    why: 'a setting given on the command line cannot be read',
    when: { says: ['error parsing … overrides', 'error parsing … override'] },
    example: printed('Error parsing -c overrides: invalid TOML'),
  },
  shared_budget: {
    kind: 'max_tokens',
    rank: 'cause',
    why: 'the ceiling of tokens or helpers that the run was given is reached',
    when: { says: ['agent thread limit reached', 'rollout token budget exhausted'] },
    example: failedTurn('agent thread limit reached'),
  },
  server_side: {
    kind: 'server_error',
    rank: 'named',
    why: 'the stream was ended by an error of the service, which the sentence about the cut stream only wraps',
    when: {
      says: [
        'stream disconnected before completion …… (error occurred|had an error) while processing your request',
        'may cause temporary errors',
      ],
    },
    example: failedTurn(
      'stream disconnected before completion: An error occurred while processing your request. You can retry your request.',
    ),
  },
  lost_thread: {
    kind: 'not_found',
    rank: 'named',
    why: 'the thread to be resumed is not stored here',
    when: { says: ['no thread with id', 'no rollout found'] },
    example: printed('Error: no thread with id: 019a0000-0000-7000-8000-000000000000'),
  },
})
