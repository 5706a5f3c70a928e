import type { Chosen } from '../../agent/agents-from.ts'
import { findBinary } from '../../agent/binary.ts'
import { CLIS } from '../../agent/clis.ts'
import { planLaunch } from '../../agent/launch.ts'
import type { AgentOptions } from '../../agent/options.ts'
import { present } from '../../failure/present.ts'
import { shellWord } from '../../option/shell-word.ts'
import type { ProviderStatus } from '../../provider/provider-status.ts'
import { timeToJson } from '../../time/time-json.ts'
import { durationInWords } from '../../verdict/duration-words.ts'
import { EXIT } from '../exit-code.ts'
import { printJson } from '../print/print-json.ts'
import type { Terminal } from '../terminal.ts'

/** A run that is only printed. */
export interface Planned {
  prompt: string
  options: AgentOptions
  /** The agents, and why they were chosen. */
  chosen: Chosen
  cwd: string
  /** Default no limit. */
  budgetMs?: number
  /** Default no limit. */
  maxCostUsd?: number
  /** Default as for a call. */
  maxRetries?: number
}

/** The program that one agent would start, or why it cannot. */
interface Plan {
  provider: string
  program?: string
  arguments?: string[]
  /** Names of the variables that are set or cleared. */
  environment?: string[]
  prompt_by?: string
  problem?: string
  /** Why it would be skipped now. */
  passed_over?: string
  /** Until when it is skipped, if known. */
  until?: string
}

/** Prints the programs that a run would start, in order, and why. */
export function dryRun(
  planned: Planned,
  health: readonly ProviderStatus[],
  terminal: Terminal,
  json: boolean,
): number {
  const { chosen, cwd, options } = planned
  const plans = chosen.agents.map(agent => ({
    ...planFor(agent, planned, terminal),
    ...passedOver(
      health.find(({ id }) => id === agent.id),
      options.model ?? agent.model,
    ),
  }))
  if (json) {
    const limits = present({
      budget_ms: planned.budgetMs,
      max_cost_usd: planned.maxCostUsd,
      max_retries: planned.maxRetries,
    })
    printJson(terminal, { why: chosen.why, cwd, ...limits, agents: plans })
  } else terminal.stdout(planInWords(planned, plans))
  const startable = plans.filter(({ problem }) => problem === undefined)
  if (startable.length === 0) return EXIT.permanent
  return startable.some(({ passed_over }) => passed_over === undefined) ? EXIT.done : EXIT.noProvider
}

/** Why a provider would be skipped. A limit on one model affects only calls of that model. */
function passedOver(status: ProviderStatus | undefined, model: string | undefined): Partial<Plan> {
  if (!status) return {}
  const { admits, reason, until, blocks } = status
  if (!admits)
    return {
      passed_over: reason ?? 'takes no calls',
      ...(until === undefined ? {} : { until: timeToJson(until) }),
    }
  const block = blocks.find(
    ({ scope }) => 'model' in scope && scope.model !== undefined && scope.model === model,
  )
  if (!block) return {}
  return {
    passed_over: `model ${model} is blocked: ${block.failure.message}`,
    ...(block.until === undefined ? {} : { until: timeToJson(block.until) }),
  }
}

function planFor(
  agent: Chosen['agents'][number],
  { prompt, options, cwd, maxCostUsd }: Planned,
  { env }: Terminal,
): Plan {
  const limited = maxCostUsd === undefined ? options : { maxBudgetUsd: maxCostUsd, ...options }
  const launch = planLaunch(agent, { prompt, options: limited }, { env, cwd })
  if ('failure' in launch) return { provider: agent.id, problem: launch.failure.message }
  const { program, argv, stdin } = launch
  const found = findBinary(program, { path: env.PATH, cwd })
  const changed = Object.keys(CLIS[agent.cli].env(agent))
  return {
    provider: agent.id,
    program: found ?? program,
    arguments: argv.map(argument =>
      typeof argument === 'string' ? (argument === prompt ? PROMPT : argument) : PRIVATE_FILE,
    ),
    environment: changed,
    prompt_by: stdin === undefined ? 'argument' : 'stdin',
    ...(found === undefined ? { problem: `program ${program} not found` } : {}),
  }
}

function planInWords(
  { chosen, cwd, budgetMs, maxCostUsd, maxRetries }: Planned,
  plans: readonly Plan[],
): string {
  const lines = [
    `Agents: ${chosen.why}.`,
    `Folder: ${cwd}`,
    `Budget: ${budgetMs === undefined ? 'no time limit' : durationInWords(budgetMs)}, ${
      maxCostUsd === undefined ? 'no cost limit' : `$${maxCostUsd.toFixed(2)}`
    }, ${maxRetries ?? 'the default number of'} retries`,
  ]
  plans.forEach((plan, index) => {
    lines.push(
      '',
      `${index + 1}. ${plan.provider}${plan.problem === undefined ? '' : `: cannot start: ${plan.problem}`}`,
    )
    if (plan.passed_over !== undefined) lines.push(`   skipped now: ${plan.passed_over}`)
    if (plan.arguments) lines.push(`   ${[plan.program, ...plan.arguments.map(typed)].join(' ')}`)
    if (plan.prompt_by) lines.push(`   prompt by ${plan.prompt_by}`)
    if (plan.environment && plan.environment.length > 0)
      lines.push(`   sets or clears ${plan.environment.join(', ')}`)
  })
  return `${lines.join('\n')}\n`
}

/** Placeholders for the prompt, and for a file made when the run starts. */
const PROMPT = '(prompt)'
const PRIVATE_FILE = '(private file)'

/** An argument as it would be typed in a shell, because people copy the line. */
function typed(argument: string): string {
  return argument === PROMPT || argument === PRIVATE_FILE ? argument : shellWord(argument)
}
