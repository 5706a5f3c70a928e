import type { Terminal } from './main.ts'
import { ShownBytes, shownText } from './shown-text.ts'

/** Clears the line that the cursor is in. */
const CLEAR = '\r\u001b[K'

/**
 * The terminal that every command gets, and the one place through which all that is said passes: what a terminal would
 * obey is written out. Results that go elsewhere than to a terminal are left as they are; what is said beside them is
 * for people wherever it goes, and may end in a file that is looked at later.
 */
export function guardedTerminal(terminal: Terminal): Terminal {
  const { ask, stdoutIsTerminal = false, stderrIsTerminal = false } = terminal
  const bytes = { stdout: new ShownBytes(), stderr: new ShownBytes() }
  // What it inherits stays lazy: asking for the signal takes over signals.
  return Object.assign(Object.create(terminal) as Terminal, {
    stdout: (text: string | Buffer) => {
      if (!stdoutIsTerminal) terminal.stdout(text)
      else terminal.stdout(typeof text === 'string' ? shownText(text) : bytes.stdout.push(text))
    },
    stderr: (text: string | Buffer) => {
      if (typeof text === 'string') terminal.stderr(shownText(text))
      else terminal.stderr(stderrIsTerminal ? bytes.stderr.push(text) : text)
    },
    clearLine: () => terminal.stderr(CLEAR),
    ...(ask ? { ask: (question: string) => ask(shownText(question)) } : {}),
  })
}
