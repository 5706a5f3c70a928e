import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { callAgent, type WorktreeLeft } from '../../agent/call-agent.ts'
import type { AgentSettings } from '../../agent/settings.ts'
import { LONGEST_WAIT_WITHOUT_BUDGET_MS } from '../../call/options.ts'
import type { ActingParts } from '../../daemon/config-parts.ts'
import { present } from '../../failure/present.ts'
import { quietly } from '../../time/clean-up.ts'
import { EXIT_USAGE } from '../exit-code.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { sessionOf } from '../flag/session-flag.ts'
import { Progress } from '../print/progress.ts'
import { groupConfig, runGroup } from '../queue/run-group.ts'
import { choose } from '../runtime/agents.ts'
import { withActingQueue } from '../runtime/queue-runtime.ts'
import {
  RUNTIME_OPTIONS,
  RUNTIME_USAGE,
  type RuntimeOptions,
  unknownsOf,
  withActingRuntime,
} from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'
import { dryRun } from './dry-run.ts'
import {
  checkGroupFlags,
  groupLimitsOf,
  limitsOf,
  optionsOf,
  promptOf,
  promptsOf,
  retryOf,
} from './run-flags.ts'
import { printOutcome } from './run-outcome.ts'
import { runQueued } from './run-queued.ts'

const OPTIONS = {
  pool: { type: 'string' },
  provider: { type: 'string' },
  model: { type: 'string' },
  budget: { type: 'string' },
  'max-cost': { type: 'string' },
  'max-turns': { type: 'string' },
  retries: { type: 'string' },
  cwd: { type: 'string' },
  worktree: { type: 'boolean' },
  retry: { type: 'string' },
  repeatable: { type: 'boolean' },
  resume: { type: 'string' },
  option: { type: 'string', multiple: true },
  ...RUNTIME_OPTIONS,
  json: { type: 'boolean' },
  queue: { type: 'boolean' },
  session: { type: 'string' },
  group: { type: 'string' },
  'max-running': { type: 'string' },
  'group-max-cost': { type: 'string' },
  key: { type: 'string' },
  wait: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
} as const

export const usage = `Usage: mulligan run [OPTIONS] -- PROMPT…

Runs the prompt on the first agent CLI that can serve it. After a failure it retries, resumes the session or switches to
the next agent, as the policy decides. The answer goes to stdout, everything else to stderr. With - as PROMPT, reads it
from stdin.

  --pool P          agents in order of preference: a pool of the config, or a list such as claude,codex
  --provider P      use only this agent; default without --pool: the configured agents, else all that are installed
  --model M         the model, as its CLI names it
  --budget D        time limit over all tries and waits, such as 10m; default 1h, with no single wait of 5 min or more;
                    with --queue: no limit
  --max-cost USD    cost limit over all tries
  --max-turns N     turn limit per run; default 200, unless the provider sets one
  --retries N       retry limit; default 2
  --cwd DIR         folder to work in
  --worktree        run each try in its own git worktree; keeps and prints those with changes or with a session that can
                    be resumed
  --retry MODE      replay: running it twice is safe, so another agent may start over; none: not once it may have done
                    something; default none, with --worktree replay
  --resume ID       resume this session of --provider; add --cwd if it worked in another folder
  --queue           queue the prompt if it cannot be answered now: prints the operation id and exits with 75. Without
                    --budget, also queues it rather than wait longer than [queue] budget (20s). SIGTERM returns it to the
                    queue, Ctrl-C cancels it
  --session S       with --queue: the session to notify (mulligan inbox); default: MULLIGAN_SESSION
  --group G         with --queue: run every PROMPT as a member of group G. They share its limits, and one usage limit
                    holds them all. With - as PROMPT, each line of stdin is one. Prints an id; see "mulligan group"
  --max-running N   with --group: most runs at once in the whole group; default: [[group]], else no limit
  --group-max-cost USD
                    with --group: cost limit over all its runs; default: [[group]], else no limit
  --key K           with --group: idempotency key; the same key and prompts are the same runs
  --wait            with --group: wait until all have ended, and print their answers in the order of the prompts
  --option K=V      another option of the CLI, such as permission_mode=plan; may be repeated
${RUNTIME_USAGE}
  --json            the outcome as JSON on stdout
  --dry-run         print the commands that would start, in order, and start nothing

Exit codes: ${EXIT_USAGE}.`

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const isGroup = values.group !== undefined
  checkGroupFlags(values)
  const prompts = isGroup ? await promptsOf(positionals, terminal) : [await promptOf(positionals, terminal)]
  const [prompt = ''] = prompts
  if (values.resume !== undefined && values.provider === undefined)
    throw new UsageError('--resume needs --provider: a session belongs to one agent')
  const { options, json: optionsJson } = optionsOf(values)
  const limits = limitsOf(values)
  const retry = retryOf(values, terminal)
  const cwd = resolve(terminal.cwd, values.cwd ?? '.')
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--cwd: no folder ${cwd}`)
  const isDry = values['dry-run'] === true
  const json = values.json === true
  if (values.queue === true && !isDry) {
    if (limits.maxRetries !== undefined)
      throw new UsageError('--queue retries as configured in [queue]; remove --retries')
    return withActingQueue(values, terminal, async runtime => {
      const group = values.group === undefined ? undefined : groupConfig(runtime, values.group)
      const named = values.provider === undefined && values.pool === undefined && group?.pool !== undefined
      const agents = servedBy(runtime, named ? { pool: group.pool } : values, terminal)
      const { maxCostUsd, budgetMs } = limits
      const rail = maxCostUsd === undefined ? {} : { max_budget_usd: maxCostUsd }
      const isInWorktree = values.worktree === true || group?.worktree === true
      const repeatable = retry === undefined ? isInWorktree : retry === 'replay'
      const session = sessionOf(values.session, terminal)
      if (values.group !== undefined) {
        const tree = isInWorktree ? { worktree: true } : {}
        const each = { cwd, options: { ...rail, ...optionsJson, ...tree } }
        const shared = groupLimitsOf(values)
        const { key, wait } = values
        const asked = {
          group: values.group,
          prompts,
          each,
          agents,
          repeatable,
          session,
          key,
          wait,
          ...shared,
        }
        return runGroup(asked, runtime, json, terminal)
      }
      const asked = { prompt, cwd, options: { ...rail, ...optionsJson }, agents, repeatable }
      const queued = session === undefined ? asked : { ...asked, session }
      return runQueued(budgetMs === undefined ? queued : { ...queued, budgetMs }, runtime, json, terminal)
    })
  }
  const open: RuntimeOptions = {
    absent: isDry ? 'keep_out' : 'make',
    onNoState: problem =>
      terminal.stderr(`mulligan run: running without shared state, so limits are not shared: ${problem}\n`),
  }
  return withActingRuntime(values, terminal, open, async runtime => {
    if (isDry) {
      const chosen = choose(runtime.agents, values, terminal)
      if (chosen.agents.length === 0) terminal.stderr(NONE_INSTALLED)
      const planned = {
        prompt,
        options,
        chosen: { ...chosen, agents: bounded(chosen.agents) },
        cwd,
        budgetMs: BUDGET_DEFAULT_MS,
        ...limits,
      }
      return dryRun(planned, await runtime.health.status(), terminal, json)
    }
    const served = servedBy(runtime, values, terminal)
    const progress = new Progress(terminal, {
      budgetMs: BUDGET_DEFAULT_MS,
      ...limits,
      isLive: terminal.stderrIsTerminal === true,
    })
    const { maxRetries, backoff, minRetryBudgetMs } = runtime.loaded.config.policy
    const unknowns = unknownsOf(runtime)
    const left: WorktreeLeft[] = []
    const called = callAgent(prompt, {
      agents: bounded(served),
      options,
      budgetMs: BUDGET_DEFAULT_MS,
      // Without --budget, a single wait must not take most of an hour.
      ...(limits.budgetMs === undefined ? { longestWaitMs: LONGEST_WAIT_WITHOUT_BUDGET_MS } : {}),
      onWorktreesLeft: worktrees => left.push(...worktrees),
      classify: runtime.classify,
      policy: runtime.policy,
      maxRetries,
      backoff,
      cwd,
      env: terminal.env,
      health: runtime.health,
      signal: terminal.signal,
      onEvent: event => {
        progress.onEvent(event)
        unknowns.onEvent(event)
      },
      onSpent: ({ costUsd }) => progress.spent(costUsd),
      ...present({ minRetryBudgetMs, retry }),
      ...limits,
    })
    try {
      return await printOutcome(called, left, terminal, json)
    } finally {
      progress.stop()
      await quietly(() => unknowns.written())
    }
  })
}

/** Time limit without --budget, in milliseconds. */
const BUDGET_DEFAULT_MS = 3_600_000
/** More turns than a sensible task needs: ends an unattended loop. */
const MAX_TURNS_DEFAULT = 200

const NONE_INSTALLED = 'no agent CLI is installed; "mulligan doctor" says how to get one\n'

/** The agents to use. If none is installed, returns the first one, whose run reports that as a failure. */
function servedBy(
  { agents }: ActingParts,
  flags: { provider?: string | undefined; pool?: string | undefined },
  terminal: Terminal,
): readonly AgentSettings[] {
  const chosen = choose(agents, flags, terminal)
  if (chosen.agents.length > 0) return chosen.agents
  terminal.stderr(NONE_INSTALLED)
  return agents.builtIn.slice(0, 1)
}

/** Adds the default turn limit. The provider's own setting and the command line override it. */
function bounded(agents: readonly AgentSettings[]): readonly AgentSettings[] {
  return agents.map(agent => ({ ...agent, defaults: { maxTurns: MAX_TURNS_DEFAULT, ...agent.defaults } }))
}
