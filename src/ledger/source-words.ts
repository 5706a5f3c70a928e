/** What submits operations, by the source that they record. */
const SOURCES: Readonly<Record<string, string>> = {
  submit: 'a command or a program',
  run: 'a call that waits for it',
  http: 'HTTP',
  mcp: 'MCP',
  workflow: 'a workflow',
  cron: 'a schedule',
  notice: 'a notice',
}

/** What an operation was submitted through: `HTTP`. */
export function sourceInWords(source: string): string {
  return SOURCES[source] ?? source
}
