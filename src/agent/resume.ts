import { WrongArgument } from '../failure/own-error.ts'
import { present } from '../failure/present.ts'
import { checkNames, namesOf } from '../option/check-names.ts'
import type { AgentOptions } from './options.ts'
import type { AgentOutcome } from './outcome.ts'
import { ownFailure } from './own-failure.ts'
import { failureOf } from './read-outcome.ts'
import type { AgentSession } from './request.ts'
import { RUN_AGENT_OPTIONS, type RunAgentOptions, runAgent } from './run-agent.ts'
import type { AgentSettings } from './settings.ts'

/** The prompt for a resumed session; the agent already knows the task. */
export const CONTINUE_PROMPT =
  'You were interrupted before you were done. Look at what is already there, do not repeat it, and finish the task.'

/** Default limit of how many times a session is resumed. */
export const MAX_RESUMES_DEFAULT = 3

/** How a stopped run continues. */
export interface ResumeOptions extends RunAgentOptions {
  /** Additional turns. Default: the provider's options. */
  moreTurns?: number
  /** Additional US dollars. Default: the provider's options. */
  moreBudgetUsd?: number
  /** Default: a short request to continue. */
  prompt?: string
  /** Options of the stopped run, which are not kept with its outcome. */
  options?: AgentOptions
  /** How many times a session may be resumed. Default 3. */
  maxResumes?: number
}

const NAMES = namesOf<ResumeOptions>({
  ...RUN_AGENT_OPTIONS,
  moreTurns: true,
  moreBudgetUsd: true,
  prompt: true,
  options: true,
  maxResumes: true,
})

/**
 * The session that a job continues, for `session` of a request: `context.resume` says which, and what it has cost so far. A CLI's
 * totals include that, so without it the cost would be counted twice.
 */
export function sessionFrom(
  settings: Pick<AgentSettings, 'id'>,
  { sessionId, cwd = process.cwd(), costUsd }: { sessionId: string; cwd?: string; costUsd?: number },
): AgentSession {
  return { provider: settings.id, id: sessionId, cwd, totalUsd: costUsd ?? null, totalUsage: null, depth: 1 }
}

/**
 * Resumes the session of a run on purpose, in its folder: after a limit set on purpose stopped it, or after a failure that nothing
 * else retries. A session that is gone, or was resumed too often, is a failure.
 */
export async function resume(
  outcome: AgentOutcome,
  settings: AgentSettings,
  resumeOptions: ResumeOptions = {},
): Promise<AgentOutcome> {
  checkNames('resume', resumeOptions, NAMES)
  const { moreTurns, moreBudgetUsd, prompt = CONTINUE_PROMPT, options, maxResumes, ...rest } = resumeOptions
  if (settings.id !== outcome.provider)
    throw new WrongArgument(`resume: the session belongs to provider ${outcome.provider}, not ${settings.id}`)
  const { session } = outcome
  const refuse = (kind: 'not_found' | 'max_steps', rule: string, message: string) =>
    failureOf(
      {
        settings,
        request: { prompt },
        spent: { costUsd: null, turns: null, usage: null, durationMs: 0 },
        worktree: outcome.worktree,
      },
      ownFailure({ kind, rule, provider: settings.id, message }),
    )
  if (!session) return refuse('not_found', 'no_session', 'the run has no session to continue')
  if (session.depth >= (maxResumes ?? MAX_RESUMES_DEFAULT))
    return refuse('max_steps', 'max_resumes', `the session has already been continued ${session.depth} times`)
  const { worktree: _worktree, ...kept } = options ?? {}
  return runAgent(
    settings,
    {
      prompt,
      options: {
        ...kept,
        ...present({ maxTurns: moreTurns, maxBudgetUsd: moreBudgetUsd }),
      },
      session: { ...session, depth: session.depth + 1 },
    },
    rest,
  )
}
