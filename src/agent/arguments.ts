import { notAnOption } from '../process/not-an-option.ts'
import type { Argument, Cli, Given, Take } from './cli.ts'
import { type AgentOptions, OPTION_NAMES, OptionError, type OptionName } from './options.ts'
import type { AgentSettings } from './settings.ts'

/** Options that we see to ourselves, whatever the CLI, and how. */
export const OWN_OPTIONS: Readonly<Partial<Record<OptionName, string>>> = {
  workingDir: 'folder of the process',
  binary: 'the program',
  maxTurns: 'our count',
  timeoutMs: 'our timer',
  worktree: 'our worktree',
  meta: 'not given',
}

/** A command line, and what the CLI sees of the environment beside what it inherits. */
export interface CommandLine {
  argv: readonly Argument[]
  env: Readonly<Record<string, string | undefined>>
  /** Rails that the CLI does not keep, so that we must. */
  rails: { maxTurns?: number; maxBudgetUsd?: number }
}

/** Turns options into what one CLI understands; throws an {@link OptionError} for what it lacks. */
export function commandLine(
  cli: Cli,
  settings: AgentSettings,
  options: AgentOptions,
  run: { prompt: string; resume: string | undefined },
): CommandLine {
  if (takesPromptAsArgument(cli, settings) && hasNull(run.prompt))
    throw new OptionError('prompt', 'must not hold a null byte')
  const given: Argument[] = []
  const env: Record<string, string | undefined> = { ...cli.env(settings) }
  for (const name of OPTION_NAMES) {
    const value = options[name]
    if (value === undefined || value === false || isKept(name, cli, options, run.resume)) continue
    const taken = take(cli, settings, name, value)
    if (taken.argv?.some(hasNull)) throw new OptionError(name, 'must not hold a null byte')
    given.push(...(taken.argv ?? []))
    Object.assign(env, taken.env)
  }
  const argv = [
    ...argumentsOf(cli, settings, run.prompt),
    ...cli.argv({
      given: [...(cli.selfRetryArgv?.(settings) ?? []), ...given],
      resume: run.resume,
      prompt: notAnOption(run.prompt),
    }),
  ]
  return { argv, env, rails: railsOf(cli, options) }
}

/** Where the prompt goes among the arguments of a command. */
const PROMPT = '{prompt}'

/** A command of which nothing is known may take its prompt as an argument: its provider says where. */
export function takesPromptAsArgument(cli: Cli, { args = [] }: Pick<AgentSettings, 'args'>): boolean {
  return cli.promptBy === 'argument' || (cli.name === 'command' && args.some(text => text.includes(PROMPT)))
}

function argumentsOf(cli: Cli, { args = [] }: AgentSettings, prompt: string): readonly string[] {
  if (cli.name !== 'command') return args
  return args.map(text => (text === PROMPT ? notAnOption(prompt) : text.replaceAll(PROMPT, () => prompt)))
}

/** No program can be given one; the system's complaint would quote the text. */
function hasNull(argument: Argument): boolean {
  return typeof argument === 'string' && argument.includes('\0')
}

/** A session that is continued has its id, and what else it keeps; a copy of it gets an id of its own. */
function isKept(name: OptionName, cli: Cli, options: AgentOptions, resume: string | undefined): boolean {
  if (resume === undefined) return false
  return (name === 'sessionId' && options.forkSession !== true) || (cli.keptBySession ?? []).includes(name)
}

function take(
  cli: Cli,
  settings: AgentSettings,
  name: OptionName,
  value: unknown,
): Exclude<Given, { refused: string }> {
  // The table of a CLI has for each option what takes its type of value.
  const entry = cli.takes[name] as Take<unknown> | undefined
  if (!entry) {
    if (Object.hasOwn(OWN_OPTIONS, name)) return {}
    if (name === 'maxBudgetUsd' && settings.price) return {}
    if (name === 'maxBudgetUsd' && cli.tellsCost) return {}
    const advice =
      name === 'maxBudgetUsd'
        ? '; it tells no cost: give the provider a price, so that it can be counted'
        : ''
    throw new OptionError(name, `${cli.name} has nothing like it${advice}`)
  }
  const given = entry.give(value)
  if ('refused' in given) throw new OptionError(name, `${cli.name} ${given.refused}`)
  return given
}

function railsOf(cli: Cli, { maxTurns, maxBudgetUsd }: AgentOptions): CommandLine['rails'] {
  return {
    ...(maxTurns === undefined || cli.takes.maxTurns ? {} : { maxTurns }),
    ...(maxBudgetUsd === undefined || cli.takes.maxBudgetUsd ? {} : { maxBudgetUsd }),
  }
}
