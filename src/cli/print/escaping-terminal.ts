import type { Terminal } from '../terminal.ts'
import { VisibleBytes, visibleText } from './visible-text.ts'

/** Clears the current line. */
const CLEAR = '\r\u001b[K'

/**
 * The terminal for every command. Escapes control sequences in all text, also in a pipe, because a log file may be viewed on a
 * terminal later. Bytes (the output of a program, an answer) stay as they are where they do not go to a terminal.
 */
export function escapingTerminal(terminal: Terminal): Terminal {
  const { ask, stdoutIsTerminal = false, stderrIsTerminal = false } = terminal
  const bytes = { stdout: new VisibleBytes(), stderr: new VisibleBytes() }
  // Inherits instead of copying: reading `signal` would install signal handlers.
  return Object.assign(Object.create(terminal) as Terminal, {
    stdout: (text: string | Buffer) => {
      if (typeof text === 'string') terminal.stdout(visibleText(text))
      else terminal.stdout(stdoutIsTerminal ? bytes.stdout.push(text) : text)
    },
    stderr: (text: string | Buffer) => {
      if (typeof text === 'string') terminal.stderr(visibleText(text))
      else terminal.stderr(stderrIsTerminal ? bytes.stderr.push(text) : text)
    },
    clearLine: () => terminal.stderr(CLEAR),
    ...(ask ? { ask: (question: string) => ask(visibleText(question)) } : {}),
  })
}
