import type { Terminal } from './terminal.ts'

/** The module of a command. */
export interface Command {
  /** What `--help` prints. */
  usage: string
  /** What `--help` prints for these arguments. Default `usage`. */
  usageOf?: (argv: readonly string[]) => Promise<string>
  /** Runs the command with these arguments. Resolves with the exit code. */
  run: (argv: readonly string[], terminal: Terminal) => Promise<number>
}
