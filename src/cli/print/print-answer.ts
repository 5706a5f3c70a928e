import type { Terminal } from '../terminal.ts'

/** Prints an answer or a result. As bytes: in a pipe or a file it is somebody's data, and stays as it is. */
export function printAnswer(terminal: Terminal, text: string): void {
  terminal.stdout(Buffer.from(text.endsWith('\n') ? text : `${text}\n`))
}
