import { family } from '../rule.ts'
import { lines } from './shapes.ts'

const conversation = (code: string) => ({
  ...lines({ kind: 'ConversationErrorEvent', code, detail: 'stopped', source: 'environment' }),
  exitCode: 0,
})
const trajectory = (exit_status: string) => ({
  ...lines({ trajectory: [], info: { exit_status } }),
  exitCode: 0,
})

/** OpenHands, SWE-agent and Plandex: the outcome is a word in an event or a file, never the exit code. */
export default family('agents', {
  iterations: {
    kind: 'max_steps',
    rank: 'cause',
    why: 'the ceiling of iterations is reached',
    when: { code: ['MaxIterationsReached'] },
    example: conversation('MaxIterationsReached'),
  },
  budget: {
    kind: 'max_budget',
    rank: 'cause',
    why: 'the ceiling of cost is reached',
    when: { code: ['MaxBudgetReached', 'exit_cost'] },
    example: conversation('MaxBudgetReached'),
  },
  too_long: {
    kind: 'context_overflow',
    rank: 'cause',
    why: 'the conversation does not fit the model',
    when: { code: ['exit_context', 'ErrContextTooLong', 'LLMContextWindowTooSmallError'] },
    example: trajectory('exit_context'),
  },
  login: {
    kind: 'auth',
    rank: 'cause',
    why: 'its class for a refused key',
    when: { code: ['LLMAuthenticationError'] },
    example: conversation('LLMAuthenticationError'),
  },
  plan: {
    kind: 'usage_limit',
    rank: 'cause',
    why: 'the quota of a subscription is used up',
    when: { code: ['ErrSubscriptionQuotaExhausted'] },
    example: { kind: 'ErrSubscriptionQuotaExhausted', message: 'stopped' },
  },
  overloaded: {
    kind: 'overloaded',
    effect: 'none',
    why: 'their classes for a provider that is down or full',
    when: { code: ['LLMServiceUnavailableError', 'ErrOverloaded'] },
    example: conversation('LLMServiceUnavailableError'),
  },
  timeout: {
    kind: 'timeout',
    why: 'a deadline of the model, a command or the whole run',
    when: { code: ['LLMTimeoutError', 'exit_command_timeout', 'exit_total_execution_time'] },
    example: trajectory('exit_command_timeout'),
  },
  tries_used_up: {
    kind: 'server_error',
    rank: 'hint',
    why: 'its tries at the model are used up; only the log says what they met',
    when: { code: ['exit_api'] },
    example: trajectory('exit_api'),
  },
  environment: {
    kind: 'server_error',
    rank: 'hint',
    why: 'the container in which it works failed',
    when: { code: ['exit_environment_error'] },
    example: trajectory('exit_environment_error'),
  },
})
