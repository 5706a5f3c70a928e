import type { Argument, Cli, Given, OwnFiles, Take } from './cli.ts'
import { type AgentOptions, OPTION_NAMES, OptionError, type OptionName } from './options.ts'
import type { AgentSettings } from './settings.ts'

/** Options that Mulligan implements itself for every CLI, and how. */
export const OWN_OPTIONS: Readonly<Partial<Record<OptionName, string>>> = {
  workingDir: 'working folder of the process',
  binary: 'the program',
  maxTurns: 'our count',
  timeoutMs: 'our timer',
  worktree: 'our worktree',
  meta: 'not passed on',
}

/** A command line, and the CLI's environment besides what it inherits. */
export interface CommandLine {
  argv: readonly Argument[]
  env: Readonly<Record<string, string | undefined>>
  /** Rails that the CLI does not enforce, so we must. */
  rails: { maxTurns?: number; maxBudgetUsd?: number }
}

/** Turns options into arguments of one CLI. Throws an {@link OptionError} for an option the CLI lacks. */
export function commandLine(
  cli: Cli,
  settings: AgentSettings,
  options: AgentOptions,
  run: { prompt: string; resume: string | undefined; own?: OwnFiles },
): CommandLine {
  if (takesPromptAsArgument(cli, settings) && hasNull(run.prompt))
    throw new OptionError('prompt', 'must not contain a null byte')
  const own = cli.selfRetries?.(settings, options.hermetic === 'full' ? undefined : run.own) ?? {}
  const given: Argument[] = [...(own.argv ?? [])]
  const env: Record<string, string | undefined> = { ...cli.env(settings), ...own.env }
  for (const name of OPTION_NAMES) {
    const value = options[name]
    if (value === undefined || value === false || isKept(name, cli, options, run.resume)) continue
    const taken = take(cli, settings, name, value)
    if (taken.argv?.some(hasNull)) throw new OptionError(name, 'must not contain a null byte')
    given.push(...(taken.argv ?? []))
    Object.assign(env, taken.env)
  }
  const argv = [
    ...argumentsOf(cli, settings, run.prompt),
    ...cli.argv({
      given,
      resume: run.resume,
      prompt: notAnOption(run.prompt),
    }),
  ]
  return { argv, env, rails: railsOf(cli, options) }
}

/** Marks where the prompt goes among the arguments of a command. */
const PROMPT = '{prompt}'

/** A generic command may take its prompt as an argument: its provider says where. */
export function takesPromptAsArgument(cli: Cli, { args = [] }: Pick<AgentSettings, 'args'>): boolean {
  return cli.promptBy === 'argument' || (cli.name === 'command' && args.some(text => text.includes(PROMPT)))
}

function argumentsOf(cli: Cli, { args = [] }: AgentSettings, prompt: string): readonly string[] {
  if (cli.name !== 'command') return args
  return args.map(text => (text === PROMPT ? notAnOption(prompt) : text.replaceAll(PROMPT, () => prompt)))
}

/** No argument can contain a null byte, and the system's error would quote the text. */
function hasNull(argument: Argument): boolean {
  return typeof argument === 'string' && argument.includes('\0')
}

/** A resumed session already has its id and the options it keeps; a forked one gets a new id. */
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
  // The CLI's table has an entry of the right value type for each option.
  const entry = cli.takes[name] as Take<unknown> | undefined
  if (!entry) {
    if (Object.hasOwn(OWN_OPTIONS, name)) return {}
    if (name === 'maxBudgetUsd' && settings.price) return {}
    if (name === 'maxBudgetUsd' && cli.tellsCost) return {}
    const advice =
      name === 'maxBudgetUsd'
        ? '; it reports no cost: set a price for the provider, so the cost can be computed'
        : ''
    throw new OptionError(name, `${cli.name} has no such option${advice}`)
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

/**
 * Text for people or models, as a command-line argument. Prefixes a space if a program would take it for an option; readers
 * do not mind the space.
 */
export function notAnOption(text: string): string {
  return text.startsWith('-') ? ` ${text}` : text
}
