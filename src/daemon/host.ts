/** What the long-lived parts know of the process they are in. */
export interface Host {
  env: Record<string, string | undefined>
  /** Folder that relative paths start from. */
  cwd: string
}

/** A host whose log a person may read. */
export interface LoggingHost extends Host {
  /** Whether stderr is a terminal. Default false. */
  stderrIsTerminal?: boolean
}

/** Where log lines are written. */
export interface LogTarget extends Pick<LoggingHost, 'stderrIsTerminal'> {
  stderr: (text: string) => void
}
