import type { AgentCli } from '../config/agent-clis.ts'
import type { AgentProfile } from '../failure/cli/profile.ts'
import type { Environment } from './environment.ts'
import type { AgentOptions, OptionName } from './options.ts'
import type { RunProgress } from './run-progress.ts'
import type { SessionSearch } from './session-search.ts'
import type { AgentSettings } from './settings.ts'
import type { SideRecord } from './side-record.ts'

/** A part of a command line: a text, or a private file with this content whose path stands in its place. */
export type Argument = string | { fileWith: string }

/** What an option becomes, or why this CLI cannot do it. */
export type Given =
  | { argv?: readonly Argument[]; env?: Readonly<Record<string, string>> }
  | { refused: string }

/** How a CLI takes one option. */
export interface Take<T> {
  /** The flag or setting, for the documentation. */
  flag: string
  give(value: T): Given
}

export type Takes = { readonly [N in OptionName]?: Take<NonNullable<AgentOptions[N]>> }

/** The login state, as far as it can be told without a paid call. */
export type Login =
  | {
      state: 'present'
      by: string
      /** The CLI itself said so. Default: it exists, and was not tried. */
      isTold?: true
    }
  | {
      state: 'missing'
      /** What exactly is missing. Default: not logged in, and no key is set. */
      why?: string
    }
  /** The CLI may work all the same: it has ways to log in that leave no trace here. */
  | { state: 'unsure'; why: string }

/** Where a CLI keeps its login, and which variables stand in for one. */
export interface LoginPlace {
  /** Its folder. */
  home(env: Environment, user: string): string
  /** Files of that folder which change when somebody logs in. */
  files: readonly string[]
  variables: readonly string[]
}

/** What a CLI may look at to find its login. */
export interface LoginSources {
  env: Readonly<Record<string, string | undefined>>
  home: string
  settings: AgentSettings
  /** Epoch milliseconds. */
  now: number
  /** Runs the CLI with arguments that cost nothing. */
  ask(args: readonly string[]): Promise<{ exitCode: number | null; stdout: string }>
  /** A file's text; undefined if it cannot be read. */
  readFile(path: string): string | undefined
}

/**
 * How Mulligan starts, continues and watches one agent CLI. What it prints, and what that means, stands in its profile
 * (src/failure/cli/).
 */
export interface Cli {
  name: AgentCli
  /** What it prints. Absent for a program of which nothing is known: then its output is the answer. */
  profile?: AgentProfile
  /** The program's usual name. */
  binary: string
  /** The variable that it reads its key from. */
  credentialEnv?: string
  /** Stdin keeps a prompt out of the list of processes; an argument shows it to everybody on the machine. */
  promptBy: 'stdin' | 'argument'
  /** The options that it can do, and how. */
  takes: Takes
  /** It tells what a run costs, as it goes. */
  tellsCost: boolean
  /** The oldest version whose flags and output are known to be as here. */
  minVersion: string
  /** Options that a session keeps from its beginning, and that are refused when it is continued. */
  keptBySession?: readonly OptionName[]
  /** What it says of a session that it no longer has. Default: it has no sessions. */
  lostSession?: RegExp
  /** The command that installs it, and the one that logs in. */
  install: string
  loginCommand: string
  /** Its arguments: those that make it run once and speak JSON, then the given ones. */
  argv(run: { given: readonly Argument[]; resume: string | undefined; prompt: string }): Argument[]
  /** Environment that leaves retries to us; undefined takes a variable away. */
  env(settings: AgentSettings): Readonly<Record<string, string | undefined>>
  /** Arguments that do the same. */
  selfRetryArgv?(settings: AgentSettings): readonly string[]
  /** Watches one line of stderr, or one of stdout that is no JSON, for retries and refusals that no event tells. */
  watchText?(line: string, progress: RunProgress): void
  /** Lines of stderr that tell nothing about how a run ended, although they may sound so. */
  isNoise?(line: string): boolean
  /** A log that tells more than the output, where it can be asked for one. It is read while the CLI runs, then removed. */
  log?: {
    /** The variable that asks for it. Who sets it himself keeps the log. */
    variable: string
    path(sessionId: string, env: Environment): string
    watch(line: string, progress: RunProgress): void
  }
  /** What tells how the last answer of its model ended, where its output shows only the text. */
  sideRecord?: SideRecord
  /** The session of a run that was ended before it told one, found where the CLI keeps them. */
  findSession?(run: SessionSearch): string | undefined
  login(sources: LoginSources): Promise<Login>
  /** Where that login is, so that a new one is noticed. Default: nobody knows. */
  loginPlace?: LoginPlace
}

/** An option that becomes one flag with its value. */
export function value(flag: string): Take<string | number> {
  return { flag, give: given => flagged(flag, [String(given)]) }
}

/** An option that becomes one flag, repeated for each entry. */
export function repeated(flag: string): Take<string | readonly string[]> {
  return { flag, give: given => flagged(flag, [given].flat()) }
}

/** Some programs read a value that begins with a dash as an option of its own, whatever stands before it. */
function flagged(flag: string, values: readonly string[]): Given {
  return values.some(entry => entry.startsWith('-'))
    ? { refused: `would read a value that begins with "-" as an option` }
    : { argv: values.flatMap(entry => [flag, entry]) }
}

/** An option that is a flag alone. */
export function bare(flag: string): Take<boolean> {
  return { flag, give: () => ({ argv: [flag] }) }
}

/** The session to continue, whose place among the arguments only the CLI's `argv` knows. */
export function session(flag: string): Take<string> {
  return { flag, give: () => ({}) }
}

/** A text that goes in by a file, so that it neither meets the limit of arguments nor stands in the list of processes. */
export function byFile(flag: string): Take<string> {
  return { flag, give: given => ({ argv: [flag, { fileWith: given }] }) }
}

/** One of several words, each with its own arguments; words that are missing are refused. */
export function words<W extends string>(flag: string, table: Partial<Record<W, readonly string[]>>): Take<W> {
  return {
    flag,
    give: word => {
      const argv = table[word]
      return argv
        ? { argv }
        : { refused: `knows no ${JSON.stringify(word)}; one of: ${Object.keys(table).join(', ')}` }
    },
  }
}
