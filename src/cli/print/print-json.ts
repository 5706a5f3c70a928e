import type { Terminal } from '../terminal.ts'

/** Prints a value as one line of JSON on stdout. */
export function printJson(terminal: Pick<Terminal, 'stdout'>, value: unknown): void {
  terminal.stdout(`${JSON.stringify(value)}\n`)
}
