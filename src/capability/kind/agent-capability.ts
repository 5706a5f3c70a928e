import { OptionError, optionsFromJson } from '../../agent/options.ts'
import { quote } from '../../failure/quote.ts'
import type { Capability } from '../capability.ts'
import type { ResumeFrom, WorkContext } from '../context.ts'
import { fail } from '../settings.ts'
import { fill, problemOfPlaceholders, templateOf, variablesIn } from '../template.ts'
import { type DeclaredSettings, declare, type Params } from './declared.ts'
import { jobOptions } from './job-options.ts'
import { WorkingFolder } from './working-folder.ts'

/** The value of an agent CLI option. */
export type AgentOption = string | number | boolean | readonly string[]

/** A run of an agent CLI, with all parameters filled in. */
export interface AgentJob {
  /** The provider to run it; undefined without a provider or pool. */
  provider: string | undefined
  prompt: string
  cwd: string | undefined
  /** The session that it resumes. */
  resume: ResumeFrom | undefined
  /** True if each try gets its own worktree. */
  worktree: boolean
  /** CLI options by name. */
  options: Readonly<Record<string, AgentOption>>
}

/**
 * Runs an agent CLI. Resolves with the agent's result, or rejects with anything that `classify` takes. Reports session, folder and
 * cost by `record` as soon as they are known, and ends everything on abort.
 */
export type RunAgent = (request: AgentJob, context: WorkContext) => Promise<unknown>

/** The declaration of an agent CLI run. */
export interface AgentDefinition extends DeclaredSettings {
  /** What the agent must do; `{name}` is replaced by a parameter. */
  prompt: string
  /** Working folder. Default: the runner's. */
  cwd?: string
  /** Gives each try its own worktree, which makes it repeatable unless `retry` says otherwise. Default false. */
  worktree?: boolean
  /** CLI options. Default: none. */
  options?: Readonly<Record<string, AgentOption>>
  /**
   * JSON names of the options that a job may set in its parameter `options`, overriding those above. Default: the options for
   * quality, time and cost that `options` does not set.
   */
  jobOptions?: readonly string[]
  /** Whether an interrupted session is resumed. Default true. */
  resumable?: boolean
  /** Starts the CLI. */
  runAgent: RunAgent
}

/** An agent CLI run that can be run again, or resumed where it was interrupted. */
export function agentCapability(definition: AgentDefinition): Capability<Params> {
  const { prompt, cwd, worktree = false, options = {}, resumable = true, runAgent, ...rest } = definition
  const { jobOptions: allowed, params, ...settings } = rest
  const { name } = settings
  if (typeof prompt !== 'string' || prompt === '') fail(name, `prompt must be a string, not ${quote(prompt)}`)
  if (typeof runAgent !== 'function') fail(name, 'runAgent must be a function that runs an agent CLI')
  const wrong = wrongOption(options)
  if (wrong) fail(name, wrong.message)
  const { retry = worktree ? 'replay' : 'none' } = settings
  const ofJobs = jobOptions(name, params, options, allowed)
  const modelOf = (given: Params) => {
    const { model } = { ...options, ...ofJobs.of(given) }
    return typeof model === 'string' ? model : undefined
  }
  return declare(
    'agent',
    {
      ...settings,
      ...(ofJobs.params ? { params: ofJobs.params } : {}),
      retry,
      model: settings.model ?? modelOf,
    },
    ({ known, base }) => {
      const templates = [templateOf(prompt), ...(cwd === undefined ? [] : [templateOf(cwd)])]
      const folder = cwd === undefined ? undefined : new WorkingFolder(templateOf(cwd), base)
      for (const template of templates) {
        const problem = problemOfPlaceholders(template, ofJobs.placesIn(known))
        if (problem) fail(name, problem)
      }
      return {
        resumable,
        variables: templates.flatMap(variablesIn),
        problems: given => [
          ...ofJobs.problems(given),
          ...[folder?.problem(given)].filter(problem => problem !== undefined),
        ],
        run: (params, context) => {
          const values = { params, env: context.env }
          const request: AgentJob = {
            provider: context.provider,
            prompt: fillAll(prompt, values),
            cwd: folder?.folder(values),
            resume: context.resume,
            worktree,
            options: { ...options, ...(ofJobs.of(params) as typeof options) },
          }
          return runAgent(request, context)
        },
      }
    },
  )
}

/** The first unknown or invalid option. */
function wrongOption(options: Readonly<Record<string, AgentOption>>): OptionError | undefined {
  try {
    optionsFromJson(options)
    return undefined
  } catch (error) {
    if (error instanceof OptionError) return error
    throw error
  }
}

/** A prompt is for a reader: a missing parameter leaves a gap, but does not drop the prompt. */
function fillAll(source: string, values: Parameters<typeof fill>[1]): string {
  return templateOf(source)
    .parts.map(part => fill({ source, parts: [part] }, values) ?? '')
    .join('')
}
