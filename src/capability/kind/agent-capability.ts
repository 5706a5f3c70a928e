import { OptionError, optionsFromJson } from '../../agent/options.ts'
import type { Capability } from '../capability.ts'
import type { ResumeFrom, WorkContext } from '../context.ts'
import { fail, quote } from '../settings.ts'
import { fill, problemOfPlaces, templateOf, variablesIn } from '../template.ts'
import { type DeclaredSettings, declare, type Params } from './declared.ts'
import { jobOptions } from './job-options.ts'
import { WorkingFolder } from './working-folder.ts'

/** The value of an option of an agent CLI. */
export type AgentOption = string | number | boolean | readonly string[]

/** A run of an agent CLI, with all parameters filled in. */
export interface AgentJob {
  /** Who is to run it; undefined without a provider or pool. */
  provider: string | undefined
  prompt: string
  cwd: string | undefined
  /** The session that it continues. */
  resume: ResumeFrom | undefined
  /** Each try gets a worktree of its own. */
  worktree: boolean
  /** Options of the CLI by name. */
  options: Readonly<Record<string, AgentOption>>
}

/**
 * Runs an agent CLI. It resolves with the agent's result, and rejects with anything that `classify` takes; it tells
 * session, folder and cost by `record` as soon as they are known, and ends everything on abort.
 */
export type RunAgent = (request: AgentJob, context: WorkContext) => Promise<unknown>

/** A run of an agent CLI, as it is declared. */
export interface AgentDefinition extends DeclaredSettings {
  /** What the agent is asked to do; `{name}` stands for a parameter. */
  prompt: string
  /** Folder it works in. Default that of the runner. */
  cwd?: string
  /** Each try gets a worktree of its own, and running it twice does no harm unless `retry` says otherwise. Default false. */
  worktree?: boolean
  /** Options of the CLI. Default none. */
  options?: Readonly<Record<string, AgentOption>>
  /**
   * Options, by their names in JSON, that a job may carry in its parameter `options`, over those above. Default those
   * that say how well, how long and how dear it runs, as far as `options` does not set them.
   */
  jobOptions?: readonly string[]
  /** A session that was cut is continued. Default true. */
  resumable?: boolean
  /** Starts the CLI. */
  runAgent: RunAgent
}

/** A run of an agent CLI that can be run again, or continued where it was cut. */
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
        const problem = problemOfPlaces(template, ofJobs.placesIn(known))
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

/** The first option that no agent has, or that holds what it should not. */
function wrongOption(options: Readonly<Record<string, AgentOption>>): OptionError | undefined {
  try {
    optionsFromJson(options)
    return undefined
  } catch (error) {
    if (error instanceof OptionError) return error
    throw error
  }
}

/** A prompt is a text for a reader: a parameter that was not given leaves nothing, not even the prompt out. */
function fillAll(source: string, values: Parameters<typeof fill>[1]): string {
  return templateOf(source)
    .parts.map(part => fill({ source, parts: [part] }, values) ?? '')
    .join('')
}
