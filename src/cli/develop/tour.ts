import { classify } from '../../failure/classify.ts'
import type { ClassifyContext } from '../../failure/context.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import type { Terminal } from '../terminal.ts'
import { explanationOf } from './explain.ts'

export const usage =
  'Usage: mulligan tour\n\nRuns the classifier on sample failures and explains each answer.'

interface Stop {
  title: string
  shown: string
  input: unknown
  context?: ClassifyContext
}

const NOW = Date.UTC(2026, 9, 5, 14)

/** Samples that a check of the status code gets wrong. */
const STOPS: Stop[] = [
  {
    title: 'An agent CLI hits its plan limit, in JSON that says "success"',
    shown: `{"type":"result","subtype":"success","is_error":true,"result":"You've hit your session limit · resets 4:50pm (Europe/London)"}`,
    input: {
      exitCode: 1,
      signal: null,
      stderr: '',
      stdout: JSON.stringify({
        type: 'result',
        subtype: 'success',
        is_error: true,
        api_error_status: 429,
        num_turns: 14,
        total_cost_usd: 0.83,
        session_id: '4f1c8a2e-1111-4222-8333-944455556666',
        result: "You've hit your session limit · resets 4:50pm (Europe/London)",
      }),
    },
    context: { provider: 'claude-code' },
  },
  {
    title: 'A 429 that waiting does not fix',
    shown: '429 insufficient_quota',
    input: {
      status: 429,
      headers: {},
      body: {
        error: {
          message: 'You exceeded your current quota, please check your plan and billing details.',
          code: 'insufficient_quota',
        },
      },
    },
    context: { provider: 'openai' },
  },
  {
    title: 'A 429 that is not about you',
    shown: '429 engine overloaded',
    input: {
      status: 429,
      headers: {},
      body: {
        error: {
          message: 'The engine is currently overloaded, please try again later',
          type: 'engine_overloaded_error',
        },
      },
    },
  },
  {
    title: 'A connection reset three causes deep',
    shown: 'Error: LLM call failed ← TypeError: fetch failed ← Error: read ECONNRESET',
    input: new Error('LLM call failed', {
      cause: new TypeError('fetch failed', {
        cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }),
      }),
    }),
  },
  {
    title: 'A good answer that talks about errors',
    shown: 'exit 0: "The log shows HTTP 429 Too Many Requests; I fixed the rate limit handling."',
    input: {
      exitCode: 0,
      signal: null,
      stderr: '',
      stdout: 'The log shows HTTP 429 Too Many Requests; I fixed the rate limit handling.',
    },
    context: { provider: 'claude-code' },
  },
  {
    title: 'A failure never seen before',
    shown: 'Error: flux capacitor misaligned (ref 8841)',
    input: new Error('flux capacitor misaligned (ref 8841)'),
  },
]

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { positionals } = parseArguments(argv, { usage, options: {} })
  if (positionals.length > 0) throw new UsageError(`tour takes no ${JSON.stringify(positionals[0])}`)
  terminal.stdout('Mulligan: what failed, may it have taken effect, when can it work again?\n')
  for (const [index, { title, shown, input, context }] of STOPS.entries()) {
    const failure = classify(input, { now: NOW, ...context })
    terminal.stdout(
      `\n${index + 1}. ${title}\n   ${shown}\n\n${failure === null ? 'This is not a failure.\n' : explanationOf(failure)}`,
    )
  }
  terminal.stdout('\nTry your own: npx mulligan explain FILE, or pipe it in. For more: npx mulligan --help\n')
  return 0
}
