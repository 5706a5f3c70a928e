import { WrongArgument } from '../failure/own-error.ts'
import { checkNames, namesOf } from '../option/check-names.ts'
import type { AgentOptions } from './options.ts'
import type { AgentOutcome } from './outcome.ts'
import { ownFailure } from './own-failure.ts'
import { failureOf } from './read-outcome.ts'
import { RUN_AGENT_OPTIONS, type RunAgentOptions, runAgent } from './run-agent.ts'
import type { AgentSettings } from './settings.ts'

/** What an agent is told when its session is continued; it knows the task. */
export const CONTINUE_PROMPT =
  'You were interrupted before you were done. Look at what is already there, do not repeat it, and finish the task.'

/** How often a session is continued unless told otherwise. */
export const MAX_RESUMES_DEFAULT = 3

/** How a run that was stopped goes on. */
export interface ResumeOptions extends RunAgentOptions {
  /** Turns that it may take on top. Default what the provider's options say. */
  moreTurns?: number
  /** US dollars that it may cost on top. Default what the provider's options say. */
  moreBudgetUsd?: number
  /** Default a short request to go on. */
  prompt?: string
  /** Options of the run that was stopped, which are not kept with its outcome. */
  options?: AgentOptions
  /** Default 3. */
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
 * Continues the session of a run deliberately, in its folder: after a limit that was set on purpose stopped it, or
 * after a failure that nothing else retries. A session that is gone, or was continued too often, is a failure.
 */
export async function resume(
  outcome: AgentOutcome,
  settings: AgentSettings,
  resumeOptions: ResumeOptions = {},
): Promise<AgentOutcome> {
  checkNames('resume', resumeOptions, NAMES)
  const { moreTurns, moreBudgetUsd, prompt = CONTINUE_PROMPT, options, maxResumes, ...rest } = resumeOptions
  if (settings.id !== outcome.provider)
    throw new WrongArgument(`resume: the session is of provider ${outcome.provider}, not of ${settings.id}`)
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
  if (!session) return refuse('not_found', 'no_session', 'the run has no session that could be continued')
  if (session.depth >= (maxResumes ?? MAX_RESUMES_DEFAULT))
    return refuse('max_steps', 'max_resumes', `the session has been continued ${session.depth} times already`)
  const { worktree: _worktree, ...kept } = options ?? {}
  return runAgent(
    settings,
    {
      prompt,
      options: {
        ...kept,
        ...(moreTurns === undefined ? {} : { maxTurns: moreTurns }),
        ...(moreBudgetUsd === undefined ? {} : { maxBudgetUsd: moreBudgetUsd }),
      },
      session: { ...session, depth: session.depth + 1 },
    },
    rest,
  )
}
