import type { FailureClass, FailureKind } from '../failure.ts'
import type { NoticeProfile } from '../observe/notice.ts'
import type { AgentEvent } from './event.ts'
import type { EventMeaning } from './meaning.ts'
import type { Spending } from './spending.ts'
import type { Work } from './work.ts'

/**
 * Everything known about what one agent CLI prints. `classify` reads finished runs with it, and the CLI's driver in
 * src/agent/ reads running ones, so both always agree.
 *
 * Each profile is a file in this folder. How the CLI words its failures stands in catalogue/pages/cli.ts; one successful
 * and one failed run, for the conformance suite, in test/failure/cli/samples.ts. Everything but `name` and `names` is optional: leave
 * out what the CLI does not do.
 */
export interface AgentProfile {
  /** One lower-case word. Rules test it as `agent=NAME`. */
  readonly name: string
  /**
   * Names of its providers and programs in lower case, with `-` for what people also write as `_` or a space. Drivers
   * classify under the first one. Leave out names that also mean a vendor, such as "gemini".
   */
  readonly names: readonly string[]

  // How to recognise the CLI without its name.

  /** True for an event that no other CLI prints. */
  isOwnEvent?(event: AgentEvent): boolean
  /** What it prints for people. */
  readonly text?: TextProfile

  // How its output is framed. By default each line is JSON, or the whole output is one JSON value.

  /** A mark that it prints above each event, if events span several lines. */
  readonly eventMark?: string
  /** True if it prints events among lines for people; then lines without JSON do not make the output prose. */
  readonly mixesEventsWithText?: true
  /** True if its last event always says how the run ended; then a run that exits 0 without it was cut off. */
  readonly endsWithEvent?: true
  /** True if it keeps stdout for the answer and says on stderr why it failed. */
  readonly failsOnStderr?: true

  // What its events say. An interpreter that returns undefined leaves the event to the other profiles.

  /** Events that report how the run goes: begun, retried, failed, succeeded. */
  readonly outcome?: EventTable<EventMeaning>
  /** Events that report turns, cost and tokens. */
  readonly spending?: EventTable<Spending>
  /** Events that report what the model and its tools did. Only drivers use it; required if there is one. */
  readonly work?: EventTable<Work>
  /**
   * When it tells of a tool, as shown by `scripts/lab-matrix/announced.ts`: `before` it starts, so even a killed run has told
   * of all; or `after` it, so only a run that ended by itself has. Default: not known, so words may hide a tool.
   */
  readonly tellsOfTools?: 'before' | 'after'
  /** Exact names of built-in tools that only read. All others may act: shells, MCP, subagents, tools not known here. */
  readonly readingTools?: readonly string[]
  /** Event types to ignore. A driver treats an event of any other type as possible work. */
  readonly otherEvents?: readonly string[]
  /** Types of the events that report the end of a run. A failure reported there is a result, not a crash. */
  readonly resultEvents?: readonly string[]
  /** The event field that holds the session id. */
  readonly sessionField?: string
  /** Totals that count from the start of the session, not of the run. */
  readonly totalsOfSession?: readonly ('cost' | 'usage')[]

  // What its exit code says.

  /** The exit code of its argument parser, if it exits with this code for nothing else. */
  readonly usageExitCode?: number
  /** True if it exits with the HTTP status, of which the system keeps the low eight bits. */
  readonly exitsWithStatus?: true
  /** True if its last event may say success although the run failed; then a non-zero exit code is right. */
  readonly exitCodeOverrulesSuccess?: true

  /** Failures that look like success: it exits 0 and prints a notice in place of an answer. */
  readonly notices?: NoticeProfile
}

/** Interpreters by event `type`; {@link NO_TYPE} for events without one. */
export type EventTable<T> = Readonly<Record<string, EventInterpreter<T>>>

/** Returns undefined for an event that is not this CLI's. */
export type EventInterpreter<T> = (event: AgentEvent) => T | undefined

/** What a CLI prints for people. */
export interface TextProfile {
  /** Lower-case words; every text that the patterns below match contains at least one. A cheap prefilter. */
  readonly words: readonly string[]
  /** How a transcript begins. It contains task, tools and answer, so only its end tells why the run failed. */
  readonly opening?: RegExp
  /** Other lines that only this CLI prints. */
  readonly signs?: RegExp
  /** How the final error begins; from there on, the text is the failure. */
  readonly finalError?: RegExp
  /** How a printed error object begins, which says more than the event about it. */
  readonly errorReport?: RegExp
  /** Lines that show it had begun to work: a tool ran, a file changed. */
  readonly work?: RegExp
  /** How it prints the session id for resuming; the id is the first group. */
  readonly session?: RegExp
  /** How it prints the price of the session in US dollars; the amount is the first group. Needs the flag `g`. */
  readonly price?: RegExp
}

/** A finished process, as `classify` takes it. */
export interface SampleRun {
  exitCode: number
  stdout: string
  stderr?: string
}

/** One successful and one failed run of a CLI, as short as possible, for the conformance suite. */
export interface ProfileSample {
  readonly success: SampleRun
  readonly failure: SampleRun & {
    readonly class: FailureClass
    readonly kind: FailureKind
    /** What the failed run reports about itself; absent if the CLI does not report it. */
    readonly sessionId?: string
    readonly costUsd?: number
    readonly turns?: number
  }
  /** What a driver reads from the successful run. Absent if there is no driver. */
  readonly answer?: {
    readonly text: string
    readonly sessionId?: string
    readonly turns?: number
    readonly costUsd?: number
  }
}
