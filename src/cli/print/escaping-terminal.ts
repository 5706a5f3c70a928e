import type { Terminal } from '../terminal.ts'
import { VisibleBytes, visibleText } from './visible-text.ts'

/** Clears the current line. */
const CLEAR = '\r\u001b[K'

/**
 * The terminal for every command. Escapes control sequences in all output. Results that do not go to a terminal stay
 * unchanged; messages are always escaped, because a log file may be viewed on a terminal later.
 */
export function escapingTerminal(terminal: Terminal): Terminal {
  const { ask, stdoutIsTerminal = false, stderrIsTerminal = false } = terminal
  const bytes = { stdout: new VisibleBytes(), stderr: new VisibleBytes() }
  // Inherits instead of copying: reading `signal` would install signal handlers.
  return Object.assign(Object.create(terminal) as Terminal, {
    stdout: (text: string | Buffer) => {
      if (!stdoutIsTerminal) terminal.stdout(text)
      else terminal.stdout(typeof text === 'string' ? visibleText(text) : bytes.stdout.push(text))
    },
    stderr: (text: string | Buffer) => {
      if (typeof text === 'string') terminal.stderr(visibleText(text))
      else terminal.stderr(stderrIsTerminal ? bytes.stderr.push(text) : text)
    },
    clearLine: () => terminal.stderr(CLEAR),
    ...(ask ? { ask: (question: string) => ask(visibleText(question)) } : {}),
  })
}
