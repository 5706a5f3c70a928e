import type { Terminal } from './main.ts'
import { VisibleBytes, visibleText } from './visible-text.ts'

/** Clears the line that the cursor is in. */
const CLEAR = '\r\u001b[K'

/**
 * The terminal that every command gets. All output passes here, and control sequences are escaped. Results that do not go
 * to a terminal are left as they are; messages are always escaped, because a file of them may be viewed later.
 */
export function escapingTerminal(terminal: Terminal): Terminal {
  const { ask, stdoutIsTerminal = false, stderrIsTerminal = false } = terminal
  const bytes = { stdout: new VisibleBytes(), stderr: new VisibleBytes() }
  // What it inherits stays lazy: asking for the signal takes over signals.
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
