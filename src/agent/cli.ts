import type { AgentCli } from '../config/agent-clis.ts'
import type { AgentProfile } from '../failure/cli/profile.ts'
import type { Asks, Trust } from './connection-look.ts'
import type { AgentOptions, OptionName } from './options.ts'
import type { RunProgress } from './run-progress.ts'
import type { SessionSearch } from './session-search.ts'
import type { AgentSettings } from './settings.ts'
import type { SideRecord } from './side-record.ts'
import type { Environment } from './variables.ts'

/** Part of a command line: a text, or a private file with this content, replaced by its path. */
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

/** The login state, as far as it can be known without a paid call. */
export type Login =
  | {
      state: 'present'
      by: string
      /** True if the CLI itself said so. Otherwise the login exists but was not tried. */
      isTold?: true
    }
  | {
      state: 'missing'
      /** What exactly is missing. Default: not logged in, and no key is set. */
      why?: string
    }
  /** The CLI may still work: it has login methods that leave no trace here. */
  | { state: 'unsure'; why: string }

/** Where a CLI keeps its login, and which variables replace one. */
export interface LoginPlace {
  /** Its folder. */
  home(env: Environment, user: string): string
  /** Files in that folder that change on login. */
  files: readonly string[]
  variables: readonly string[]
}

/** What a CLI's own settings are read from. */
export interface OwnFiles {
  env: Readonly<Record<string, string | undefined>>
  home: string
  /** The working folder. */
  cwd?: string
  /** A file's text; undefined if it cannot be read. */
  readFile(path: string): string | undefined
}

/** What a CLI may read to find its login. */
export interface LoginSources extends OwnFiles {
  settings: AgentSettings
  /** Epoch milliseconds. */
  now: number
  /** Runs the CLI with arguments that cost nothing. */
  ask(args: readonly string[]): Promise<{ exitCode: number | null; stdout: string }>
}

/** How Mulligan starts, resumes and watches one agent CLI. Its profile (src/failure/cli/) says what its output means. */
export interface Cli {
  name: AgentCli
  /** What it prints. Absent for an unknown program: then its output is the answer. */
  profile?: AgentProfile
  /** The program's usual name. */
  binary: string
  /** The variable it reads its key from. */
  credentialEnv?: string
  /** stdin keeps a prompt out of the process list; an argument is visible to every user of the machine. */
  promptBy: 'stdin' | 'argument'
  /** The options it supports, and how. */
  takes: Takes
  /** True if it reports what a run costs while it runs. */
  tellsCost: boolean
  /** The oldest version whose flags and output are known to match this driver. */
  minVersion: string
  /** Options that a session keeps from its start, and that are refused when it is resumed. */
  keptBySession?: readonly OptionName[]
  /** What it says about a session that it no longer has. Default: it has no sessions. */
  lostSession?: RegExp
  /** The command that installs it, and the one that logs in. */
  install: string
  loginCommand: string
  /** Its arguments: those that make it run once and print JSON, then the given ones. */
  argv(run: { given: readonly Argument[]; resume: string | undefined; prompt: string }): Argument[]
  /** Environment variables that leave retries to us; undefined removes a variable. */
  env(settings: AgentSettings): Readonly<Record<string, string | undefined>>
  /** Arguments and variables that do the same, and depend on the CLI's own settings; without these if it is told to ignore them. */
  selfRetries?(settings: AgentSettings, own: OwnFiles | undefined): Exclude<Given, { refused: string }>
  /** Default settings that leave retries to us, in a private file that a variable names; the user's own settings go first. */
  defaults?(own: OwnFiles): { variable: string; content: string } | undefined
  /** Watches one line of stderr, or a non-JSON line of stdout, for retries and refusals that no event reports. */
  watchText?(line: string, progress: RunProgress): void
  /** True for stderr lines that say nothing about how a run ended, although they may sound like it. */
  isNoise?(line: string): boolean
  /** A log that says more than the output, if the CLI can write one. It is read while the CLI runs, then removed. */
  log?: {
    /** The variable that enables it. If the user sets it, the log is kept. */
    variable: string
    path(sessionId: string, env: Environment): string
    watch(line: string, progress: RunProgress): void
  }
  /** Says how the model's last answer ended, if the output shows only its text. */
  sideRecord?: SideRecord
  /** Finds the session of a run that was ended before it reported one, where the CLI keeps its sessions. */
  findSession?(run: SessionSearch): string | undefined
  /**
   * What its totals of a run that resumes this session will include, in US dollars, as it recorded it itself. Undefined if it
   * does not know the session. Default: only we know.
   */
  recordedCost?(sessionId: string, env: Environment): number | undefined
  /** For a CLI that hides why it gets no answer: whom it trusts, and what it asks; `endpoint` is what its log says, if it does. */
  connection?: {
    trusts: Trust
    asks(own: OwnFiles, settings: AgentSettings, endpoint: string | undefined): Asks | undefined
  }
  login(sources: LoginSources): Promise<Login>
  /** Where that login is, to notice a new one. Default: unknown. */
  loginPlace?: LoginPlace
}

/** An option that becomes a flag with a value. */
export function value(flag: string): Take<string | number> {
  return { flag, give: given => flagged(flag, [String(given)]) }
}

/** An option that becomes a flag repeated for each entry. */
export function repeated(flag: string): Take<string | readonly string[]> {
  return { flag, give: given => flagged(flag, [given].flat()) }
}

/** Some programs read any value that begins with a dash as an option. */
function flagged(flag: string, values: readonly string[]): Given {
  return values.some(entry => entry.startsWith('-'))
    ? { refused: `would read a value that begins with "-" as an option` }
    : { argv: values.flatMap(entry => [flag, entry]) }
}

/** An option that becomes a flag without a value. */
export function bare(flag: string): Take<boolean> {
  return { flag, give: () => ({ argv: [flag] }) }
}

/** The session to resume, whose position only the CLI's `argv` knows. */
export function session(flag: string): Take<string> {
  return { flag, give: () => ({}) }
}

/** A text passed in a file, so it neither hits the argument length limit nor shows in the process list. */
export function byFile(flag: string): Take<string> {
  return { flag, give: given => ({ argv: [flag, { fileWith: given }] }) }
}

/** One of several words, each with its own arguments; missing words are refused. */
export function words<W extends string>(flag: string, table: Partial<Record<W, readonly string[]>>): Take<W> {
  return {
    flag,
    give: word => {
      const argv = table[word]
      return argv
        ? { argv }
        : { refused: `does not support ${JSON.stringify(word)}; one of: ${Object.keys(table).join(', ')}` }
    },
  }
}
