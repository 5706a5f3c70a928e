import type { Rule } from '../catalogue/rule.ts'
import type { FailureClass, FailureKind } from '../failure.ts'
import type { AgentEvent } from './event.ts'
import type { EventMeaning } from './meaning.ts'
import type { Spending } from './spending.ts'
import type { Work } from './work.ts'

/**
 * All that is known of what one agent CLI prints. `classify` reads finished runs by it, and the CLI's driver in
 * src/agent/ reads running ones by it, so that both always mean the same.
 *
 * Each profile is a file in this folder that exports the profile, its `rules` (how this CLI words its failures) and a
 * `sample` (one good and one bad run, which the conformance suite reads). Everything but `name` and `names` is
 * optional: leave out what the CLI does not do.
 */
export interface AgentProfile {
  /** One word, lower case. Rules ask for it as `agent=NAME`. */
  readonly name: string
  /**
   * Names of its providers and programs in lower case, with `-` where people also write `_` or a blank. Drivers
   * classify by the first one. A name that means a vendor as well, such as "gemini", does not belong here.
   */
  readonly names: readonly string[]

  // How to recognise it without its name.

  /** True for an event that no other CLI prints. */
  isOwnEvent?(event: AgentEvent): boolean
  /** What it prints for people. */
  readonly text?: TextProfile

  // How its output is framed. By default each line is JSON, or all of the output is one JSON value.

  /** A mark that it prints above each event, where events take several lines. */
  readonly eventMark?: string
  /** It prints events among lines for people, so that lines without JSON do not mean that the output is prose. */
  readonly mixesEventsWithText?: true
  /** Its last event always tells how the run ended; a run that exits 0 without it was cut off. */
  readonly endsWithEvent?: true
  /** It keeps stdout for the answer and says on stderr why it failed. */
  readonly failsOnStderr?: true

  // What its events say. An interpreter that answers undefined leaves the event to the other profiles.

  /** Events that tell how the run goes: begun, retried, failed, succeeded. */
  readonly outcome?: EventTable<EventMeaning>
  /** Events that tell of turns, cost and tokens. */
  readonly spending?: EventTable<Spending>
  /** Events that tell what the model and its tools did. Only drivers ask; needed if there is one. */
  readonly work?: EventTable<Work>
  /** Types of events that matter to nothing here. A driver takes an event of any other type for possible work. */
  readonly otherEvents?: readonly string[]
  /** Types of the events that report the end of a run: a failure told there is a result, not a crash. */
  readonly resultEvents?: readonly string[]
  /** The field of events that holds the id of the session. */
  readonly sessionField?: string
  /** Totals that count from the start of the session, not of the run. */
  readonly totalsOfSession?: readonly ('cost' | 'usage')[]

  // What its exit code says.

  /** The exit code of its argument parser, where nothing else exits with it. */
  readonly usageExitCode?: number
  /** It exits with the HTTP status, of which the system keeps the low eight bits. */
  readonly exitsWithStatus?: true
  /** Its last event may say success although the run failed: an exit code other than 0 is right. */
  readonly exitCodeOverrulesSuccess?: true

  /** Failures that look like success: it exits 0 and prints a notice in place of an answer. */
  readonly notices?: NoticeProfile
}

/** Interpreters by the `type` of the event, {@link NO_TYPE} for events without one. */
export type EventTable<T> = Readonly<Record<string, EventInterpreter<T>>>

/** Undefined for an event that is not of this CLI. */
export type EventInterpreter<T> = (event: AgentEvent) => T | undefined

/** What a CLI prints for people. */
export interface TextProfile {
  /** Lower-case words, one of which stands in every text that the patterns below match. Makes looking cheap. */
  readonly words: readonly string[]
  /** How a transcript begins: it holds task, tools and answer, so that only its end tells why the run failed. */
  readonly opening?: RegExp
  /** Other lines that only this CLI prints. */
  readonly signs?: RegExp
  /** How the final error begins, from which on the text is the failure. */
  readonly finalError?: RegExp
  /** How the print of an error object begins, which tells more than the event about it. */
  readonly errorReport?: RegExp
  /** Lines that show that it had begun to work: a tool ran, a file changed. */
  readonly work?: RegExp
  /** The session as it is told in words, for resuming; its id is the first group. */
  readonly session?: RegExp
  /** The price of the session as it is told in words, in US dollars; the amount is the first group. Needs the flag `g`. */
  readonly price?: RegExp
}

/** How a CLI that exits 0 after a failure says so. Patterns are tried on lines without ornaments before the first word. */
export interface NoticeProfile {
  /** How an answer begins that is none, in words that others would use for something else. */
  readonly openings?: readonly RegExp[]
  /** How its last words begin, on either stream. */
  readonly lastWords?: RegExp
  /** How its last words begin on stderr. */
  readonly lastComplaint?: RegExp
}

/** How a CLI words its failures. A function, because only the catalogue needs them, and examples take room. */
export type ProfileRules = () => readonly Rule[]

/** A finished process, as `classify` takes it. */
export interface SampleRun {
  exitCode: number
  stdout: string
  stderr?: string
}

/** One good and one bad run of a CLI, as short as they can be; the conformance suite reads them. */
export interface ProfileSample {
  readonly success: SampleRun
  readonly failure: SampleRun & {
    readonly class: FailureClass
    readonly kind: FailureKind
    /** What the failed run tells of itself; absent where the CLI does not tell. */
    readonly sessionId?: string
    readonly costUsd?: number
    readonly turns?: number
  }
  /** What a driver reads from the good run. Absent where there is no driver. */
  readonly answer?: {
    readonly text: string
    readonly sessionId?: string
    readonly turns?: number
    readonly costUsd?: number
  }
}
