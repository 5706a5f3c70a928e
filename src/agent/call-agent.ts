import { randomUUID } from 'node:crypto'
import { call } from '../call/call.ts'
import { isCallFailed } from '../call/call-failed.ts'
import type { CallResult } from '../call/call-result.ts'
import type { CallContext } from '../call/context.ts'
import type { CallOptions } from '../call/options.ts'
import { repeatableOf } from '../call/second-try.ts'
import type { Failure } from '../failure/failure.ts'
import { isKnownFailure, KnownFailure, WrongArgument } from '../failure/own-error.ts'
import { present } from '../failure/present.ts'
import { checkNames, namesOf } from '../option/check-names.ts'
import { KILL_GRACE_DEFAULT_MS } from '../process/guard.ts'
import { cleaningUp } from '../time/clean-up.ts'
import { realTime } from '../time/time.ts'
import { Charge } from './charge.ts'
import type { AgentOptions } from './options.ts'
import type { AgentAnswer, AgentFailure, AgentOutcome, Spent } from './outcome.ts'
import type { AgentRequest, AgentSession } from './request.ts'
import { CONTINUE_PROMPT, MAX_RESUMES_DEFAULT } from './resume.ts'
import { type RunAgentOptions, runAgent } from './run-agent.ts'
import { isLostSession, sessionLost } from './session.ts'
import type { AgentSettings } from './settings.ts'
import { checkWatch } from './watch.ts'
import { discardWorktree, isWorktreeChanged, type Worktree } from './worktree.ts'

type OfCall =
  | 'name'
  | 'budgetMs'
  | 'longestWaitMs'
  | 'maxCostUsd'
  | 'maxRetries'
  | 'minRetryBudgetMs'
  | 'attemptTimeoutMs'
  | 'backoff'
  | 'policy'
  | 'classifier'
  | 'onEvent'
  | 'onPolicyProblem'
  | 'health'
  | 'random'
type OfRun = 'signal' | 'time' | 'env' | 'cwd' | 'killGraceMs' | 'watch' | 'classify' | 'newId' | 'onSession'

/** Settings of a call served by agents: one budget over all runs of all agents. */
export interface AgentCallOptions extends Pick<CallOptions, OfCall>, Pick<RunAgentOptions, OfRun> {
  /** Agents that can serve it, the preferred one first. */
  agents: readonly AgentSettings[]
  /** Options of the request; see {@link AgentOptions}. */
  options?: AgentOptions
  /** Whether it may run a second time; see `CallOptions`. Default: `replay` if each try has its own worktree, else `none`. */
  retry?: 'none' | 'replay'
  /** @deprecated Write `retry: 'replay'` for true and `retry: 'none'` for false. */
  repeatable?: boolean
  /** How many times a session is resumed automatically. Default 3. */
  maxResumes?: number
  /**
   * Which worktrees stay. `changed`: those with work in them, and one with a session to resume. `always`: also the last try's,
   * even if nothing was done. `never`: none. Default `changed`.
   */
  keepWorktree?: 'changed' | 'always' | 'never'
  /** Called at the end with the worktrees that are left, including those of failed tries. */
  onWorktreesLeft?: (left: readonly WorktreeLeft[]) => void
  /** Called with what the running try has spent so far. */
  onSpent?: (spent: Spent) => void
}

/** A worktree that is left when a call is over. */
export interface WorktreeLeft {
  worktree: Worktree
  /** True if it contains something that was not there before. */
  isChanged: boolean
}

/** The result of a call that an agent answered. */
export type AgentCallResult = CallResult<AgentAnswer>

/** Extra time for a run to report how it ended, beyond the grace of its processes, in milliseconds. */
const TELL_MS = 1_000

/**
 * Runs an agent until the answer is final: retries, resumes its session, or asks the next agent of the list, as the policy says.
 * Rejects with `CallFailed`; {@link agentFailureOf} returns the outcome of its last run.
 */
export async function callAgent(prompt: string, options: AgentCallOptions): Promise<AgentCallResult> {
  return new AgentCall(prompt, options).run()
}

/** The outcome of the last run of a failed call; undefined if there was none. */
export function agentFailureOf(error: unknown): AgentFailure | undefined {
  const known = isCallFailed(error) ? error.cause : error
  return isKnownFailure(known) ? (known.cause as AgentFailure | undefined) : undefined
}

class AgentCall {
  readonly #prompt: string
  readonly #options: AgentCallOptions
  readonly #agents: ReadonlyMap<string, AgentSettings>
  readonly #sessions = new Map<string, AgentSession>()
  readonly #worktrees = new Map<string, Worktree>()
  #spentUsd = 0
  #last: AgentOutcome | undefined

  constructor(prompt: string, options: AgentCallOptions) {
    checkNames('callAgent', options, NAMES)
    checkWatch('callAgent', options)
    if (options.agents.length === 0) throw new WrongArgument('callAgent: agents must name at least one')
    this.#prompt = prompt
    this.#options = options
    this.#agents = new Map(options.agents.map(agent => [agent.id, agent]))
  }

  async run(): Promise<AgentCallResult> {
    const { agents, options, killGraceMs, time, signal, classify } = this.#options
    const given = Object.fromEntries(
      Object.entries(this.#options).filter(([name]) => (OF_CALL as readonly string[]).includes(name)),
    ) as Pick<CallOptions, OfCall>
    const called = () =>
      call(context => this.#try(context), {
        name: 'agent',
        ...given,
        pool: agents.map(({ id }) => id),
        retry: (repeatableOf(this.#options) ?? options?.worktree === true) ? 'replay' : 'none',
        // A try is one run, and its driver saw what the run did.
        atomic: true,
        resumable: options?.noSessionPersistence !== true,
        softFailures: false,
        graceMs: (killGraceMs ?? KILL_GRACE_DEFAULT_MS) + TELL_MS,
        ...present({ time, signal, classify }),
        ...(options?.model === undefined ? {} : { model: options.model }),
      })
    return cleaningUp(called, () => this.#tidy())
  }

  async #try(context: CallContext): Promise<AgentAnswer> {
    const settings = this.#agents.get(context.provider as string) as AgentSettings
    const charge = new Charge(context)
    const options: RunAgentOptions = {
      ...this.#runOptions(context),
      onSpent: spent => {
        this.#options.onSpent?.(spent)
        charge.upTo(spent)
      },
    }
    const request = this.#request(settings, context)
    let outcome = await runAgent(settings, request, options)
    // Some CLIs keep no session of a run that failed early. If it did not act, starting over is safe.
    const before = context.resume?.failure
    if (
      !outcome.ok &&
      isLostSession(outcome.failure) &&
      (request.session?.hasWorked === false || before?.effect === 'none')
    )
      outcome = await runAgent(settings, this.#request(settings, { resume: undefined }), options)
    this.#last = outcome
    if (outcome.worktree) this.#worktrees.set(outcome.worktree.path, outcome.worktree)
    if (outcome.session) this.#sessions.set(outcome.session.id, outcome.session)
    charge.upTo(outcome)
    this.#spentUsd += outcome.costUsd ?? 0
    if (outcome.ok) {
      if (outcome.throttle) context.observed(outcome.throttle)
      return outcome
    }
    const { failure } = outcome
    throw new KnownFailure(
      isLostSession(failure) ? startOver(failure, context.resume?.failure) : failure,
      outcome,
    )
  }

  #request(settings: AgentSettings, { resume }: Pick<CallContext, 'resume'>): AgentRequest {
    const options = this.#withRest(this.#options.options ?? {})
    if (!resume) return { prompt: this.#prompt, options }
    const session = this.#sessions.get(resume.sessionId)
    const maxResumes = this.#options.maxResumes ?? MAX_RESUMES_DEFAULT
    if (!session || session.depth >= maxResumes) {
      const message = session
        ? `session ${session.id} has already been continued ${session.depth} times`
        : `session ${resume.sessionId} does not belong to this call`
      throw new KnownFailure(startOver(sessionLost(settings.id, message), resume.failure), this.#last)
    }
    return { prompt: CONTINUE_PROMPT, options, session: { ...session, depth: session.depth + 1 } }
  }

  /** A run may cost what is left of the call's cost limit. */
  #withRest(options: AgentOptions): AgentOptions {
    const { maxCostUsd = Infinity } = this.#options
    if (maxCostUsd === Infinity) return options
    const left = Math.max(maxCostUsd - this.#spentUsd, 0.01)
    return { ...options, maxBudgetUsd: Math.min(options.maxBudgetUsd ?? Infinity, left) }
  }

  #runOptions({ signal }: CallContext): RunAgentOptions {
    const { time, env, cwd, killGraceMs, watch, classify, newId, onSession } = this.#options
    return {
      signal,
      ...present({ time, env, cwd, killGraceMs, watch, classify, onSession }),
      newId: newId ?? randomUUID,
    }
  }

  /** Removes worktrees without work in them, or all of them if asked to. Removed ones are not reported. */
  async #tidy(): Promise<void> {
    const { env = process.env, time = realTime, keepWorktree = 'changed' } = this.#options
    const context = { env, time }
    const left: WorktreeLeft[] = []
    for (const worktree of this.#worktrees.values()) {
      const isLast = worktree.path === this.#last?.worktree?.path
      const mayBeResumed = this.#last?.ok === false && this.#last.session !== undefined
      const isChanged = await isWorktreeChanged(worktree, context)
      const stays =
        worktree.isNamed ||
        (isLast && keepWorktree === 'always') ||
        (keepWorktree !== 'never' && ((isLast && mayBeResumed) || isChanged))
      if (stays) {
        left.push({ worktree, isChanged })
        continue
      }
      await discardWorktree(worktree, context)
      if (isLast) delete this.#last?.worktree
    }
    this.#options.onWorktreesLeft?.(left)
  }
}

const OF_CALL: readonly OfCall[] = [
  'name',
  'budgetMs',
  'longestWaitMs',
  'maxCostUsd',
  'maxRetries',
  'minRetryBudgetMs',
  'attemptTimeoutMs',
  'backoff',
  'policy',
  'classifier',
  'onEvent',
  'onPolicyProblem',
  'health',
  'random',
]

const NAMES = namesOf<AgentCallOptions>({
  ...(Object.fromEntries(OF_CALL.map(name => [name, true])) as Record<OfCall, true>),
  signal: true,
  time: true,
  env: true,
  cwd: true,
  killGraceMs: true,
  watch: true,
  classify: true,
  newId: true,
  onSession: true,
  agents: true,
  options: true,
  retry: true,
  repeatable: true,
  maxResumes: true,
  keepWorktree: true,
  onWorktreesLeft: true,
  onSpent: true,
})

/** The session is gone, but its effects may remain: the policy decides whether to start over. */
function startOver(lost: Failure, before: Failure | undefined): Failure {
  const after = before ? `; before that: ${before.message}` : ''
  return {
    ...lost,
    class: 'transient',
    kind: 'conflict',
    effect: before?.effect ?? 'maybe',
    message: `${lost.message}${after}`,
  }
}
