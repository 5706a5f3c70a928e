import type { Agents } from '../agent/agents-from.ts'
import { Charge } from '../agent/charge.ts'
import { optionsFromJson } from '../agent/options.ts'
import type { AgentAnswer, AgentOutcome } from '../agent/outcome.ts'
import type { AgentSession } from '../agent/request.ts'
import { CONTINUE_PROMPT } from '../agent/resume.ts'
import { runAgent } from '../agent/run-agent.ts'
import type { AgentSettings } from '../agent/settings.ts'
import { discardWorktree, isWorktreeChanged, type Worktree } from '../agent/worktree.ts'
import type { ClassifyContext } from '../failure/context.ts'
import { KnownFailure } from '../failure/own-error.ts'
import { present } from '../failure/present.ts'
import { realTime } from '../time/time.ts'
import type { WorkContext } from './context.ts'
import { CapabilityError } from './error.ts'
import type { AgentJob, RunAgent } from './kind/agent-capability.ts'

/** What agents run with. */
export interface AgentRunnerOptions {
  /** The agents of a config, by id. */
  agents: Agents
  /** Working folder of agents unless their capability names one. */
  cwd: string
  /** More for the classifier: signatures, the time zone of clock times. */
  classify?: Pick<ClassifyContext, 'signatures' | 'timeZone'>
}

/** An agent's answer, as stored with an operation. */
export interface AgentResult {
  /** What the agent said. */
  text: string
  /** Its answer by the given schema; absent without a schema. */
  structured?: unknown
  /** Id of the agent. */
  provider: string
  /** The model that answered, if known. */
  model?: string
  /** Null if the CLI has none. */
  session_id: string | null
  /** Null if unknown. */
  cost_usd: number | null
  /** Null if unknown. */
  turns: number | null
  /** Tools it requested that were not allowed. */
  denied_tools: readonly string[]
  /** Where its work is, if it had a worktree and changed something. */
  worktree?: { path: string; branch: string }
}

/** Runs the agents of a config for capabilities: one run of one CLI. The queue decides about its failures. */
export function agentRunner({ agents, cwd, classify }: AgentRunnerOptions): RunAgent {
  return async (request, context) => {
    const settings = settingsFor(agents, request, context, cwd)
    const charge = new Charge(context)
    const session = request.resume && sessionOf(settings, request.resume, context, request.cwd ?? cwd)
    const worksIn = session?.cwd ?? request.cwd ?? cwd
    const outcome = await runAgent(
      settings,
      {
        prompt: session ? CONTINUE_PROMPT : request.prompt,
        options: { ...optionsFromJson(request.options), ...(request.worktree ? { worktree: true } : {}) },
        ...present({ session }),
      },
      {
        signal: context.signal,
        env: context.env,
        cwd: worksIn,
        ...present({ classify }),
        onSession: ({ id, cwd: folder }) => context.record({ sessionId: id, cwd: folder }),
        onSpent: spent => charge.upTo(spent),
      },
    )
    charge.upTo(outcome)
    keep(outcome, context)
    const worktree = await leftBehind(outcome, context)
    if (outcome.ok) {
      if (outcome.throttle) context.observed(outcome.throttle)
      return resultOf(outcome, worktree)
    }
    throw new KnownFailure(outcome.failure, outcome)
  }
}

function settingsFor(
  agents: Agents,
  { provider }: AgentJob,
  { env }: WorkContext,
  cwd: string,
): AgentSettings {
  if (provider !== undefined) return agents.get(provider)
  const [first] = agents.choose({}, { env, cwd }).agents
  if (first) return first
  throw new CapabilityError('no agent CLI is installed, and none is configured; "mulligan doctor" says more')
}

/** The session's earlier cost is recorded with the tries that paid it; some CLIs report the total. */
function sessionOf(
  { id: provider }: AgentSettings,
  { sessionId, cwd }: NonNullable<AgentJob['resume']>,
  { attempts }: WorkContext,
  folder: string,
): AgentSession {
  const earlier = attempts.filter(attempt => attempt.sessionId === sessionId)
  const costs = earlier.flatMap(({ costUsd }) => costUsd ?? [])
  const totalUsd = costs.length > 0 ? costs.reduce((sum, usd) => sum + usd, 0) : null
  const depth = Math.max(0, earlier.length - 1)
  const last = earlier.at(-1)?.failure
  const known =
    last?.effect === 'none' ? (last.did === undefined ? { hasWorked: false } : { did: last.did }) : {}
  return {
    provider,
    id: sessionId,
    cwd: cwd ?? folder,
    totalUsd,
    totalUsage: null,
    depth,
    ...known,
  }
}

/** Records the final session, folder, usage and cost: the folder may be a worktree created on the way. */
function keep({ session, costUsd, usage, model }: AgentOutcome, context: WorkContext): void {
  context.record({
    ...present({ model }),
    ...(usage ? { usage: { ...usage, cacheWriteTokens: 0 } } : {}),
    ...(session ? { sessionId: session.id, cwd: session.cwd } : {}),
    ...(costUsd === null ? {} : { costUsd }),
  })
}

/** A worktree stays while there is work in it, or a session that may continue there. */
async function leftBehind(outcome: AgentOutcome, { env }: WorkContext): Promise<Worktree | undefined> {
  const { worktree } = outcome
  if (!worktree || worktree.isNamed || (!outcome.ok && outcome.session)) return worktree
  const context = { env, time: realTime }
  if (await isWorktreeChanged(worktree, context)) return worktree
  await discardWorktree(worktree, context)
  return undefined
}

function resultOf(answer: AgentAnswer, worktree: Worktree | undefined): AgentResult {
  const { text, structured, provider, model, sessionId, costUsd, turns, deniedTools } = answer
  return {
    text,
    ...present({ structured }),
    provider,
    ...present({ model }),
    session_id: sessionId,
    cost_usd: costUsd,
    turns,
    denied_tools: deniedTools,
    ...(worktree ? { worktree: { path: worktree.path, branch: worktree.branch } } : {}),
  }
}
