import type { Readable, Writable } from 'node:stream'

/** A command's access to the outside world; tests pass their own. */
export interface Terminal {
  /** Writes results, and nothing else. */
  stdout: (text: string | Buffer) => void
  /** Writes everything else. */
  stderr: (text: string | Buffer) => void
  /** All of stdin, as text. */
  readStdin: () => Promise<string>
  /** The raw stdin and stdout, for commands that speak a protocol over them. Absent if the command is not the whole process. */
  pipes?: { input: Readable; output: Writable }
  /** The words of the command line, for the record of changes. Absent if they do not matter. */
  doing?: readonly string[]
  /** Environment of the command. */
  env: Record<string, string | undefined>
  /** Folder that relative paths start from. */
  cwd: string
  /** Epoch milliseconds. */
  now: () => number
  /** True if stdin is a terminal: reading it waits for a person. */
  isTerminal: boolean
  /**
   * Aborts when the user interrupts (Ctrl-C), the terminal closes or the process gets a signal to stop. Reading it installs
   * handlers for these signals; a second signal ends the process and everything it started at once. The reason is a
   * {@link Stopped}, which names the signal.
   */
  readonly signal: AbortSignal
  /** Calls back on SIGHUP instead of ending. Returns the function that removes the listener. */
  onHangup: (listener: () => void) => () => void
  /** Asks the user a question, and returns the line they type. Absent without a terminal. */
  ask?: (question: string) => Promise<string>
  /** Ends the process now. Absent if the command is not the whole process. */
  exit?: (code: number) => void
  /** Whether stdout is a terminal. Default false. */
  stdoutIsTerminal?: boolean
  /** Clears the current line on stderr. */
  clearLine?: () => void
  /** Whether stderr is a terminal. Default false. */
  stderrIsTerminal?: boolean
}

/** Why a terminal's signal is aborted. */
export class Stopped extends Error {
  override name = 'Stopped'
  /** The signal that stopped the process. */
  readonly by: NodeJS.Signals

  constructor(by: NodeJS.Signals) {
    super(`stopped by ${by}`)
    this.by = by
  }
}
